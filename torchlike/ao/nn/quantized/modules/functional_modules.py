"""Modules whose methods are operators, so that the operators' results can be observed and quantized."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike import nn


class FloatFunctional(nn.Module):
    """Operators whose results an observer watches. Each call site of a model has an instance of its own.

    >>> import torchlike as torch
    >>> torch.ao.nn.quantized.FloatFunctional().add(torch.ones(1), torch.ones(1))
    tensor([2.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = nn.Identity()

    def forward(self, x: Any) -> Any:
        """Raise: call one of the operators.

        Args:
          x: not used.

        Raises:
          RuntimeError: always.
        """
        raise RuntimeError("FloatFunctional is not intended to use the 'forward'. Please use the underlying operation")

    def add(self, x: Any, y: Any) -> Any:
        """Return `x + y`."""
        return self.activation_post_process(torch.add(x, y))

    def add_scalar(self, x: Any, y: float) -> Any:
        """Return `x + y` for a number `y`."""
        return torch.add(x, y)

    def mul(self, x: Any, y: Any) -> Any:
        """Return `x * y`."""
        return self.activation_post_process(torch.mul(x, y))

    def mul_scalar(self, x: Any, y: float) -> Any:
        """Return `x * y` for a number `y`."""
        return torch.mul(x, y)

    def cat(self, x: Any, dim: int = 0) -> Any:
        """Return the tensors `x`, concatenated along `dim`."""
        return self.activation_post_process(torch.cat(x, dim=dim))

    def add_relu(self, x: Any, y: Any) -> Any:
        """Return ReLU of `x + y`."""
        return self.activation_post_process(nn.functional.relu(torch.add(x, y)))

    def matmul(self, x: Any, y: Any) -> Any:
        """Return the matrix product of `x` and `y`."""
        return self.activation_post_process(torch.matmul(x, y))


class FXFloatFunctional(FloatFunctional):
    """`FloatFunctional` without observers."""

    def __init__(self) -> None:
        super().__init__()
        del self._modules["activation_post_process"]
        self.__dict__["activation_post_process"] = _identity


def _identity(x: Any) -> Any:
    return x


class QFunctional(nn.Module):
    """The operators of `FloatFunctional` on quantized tensors. `convert` makes it."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = 1.0
        self.zero_point = 0
        self.activation_post_process = nn.Identity()

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = torch.tensor(self.scale)
        destination[prefix + "zero_point"] = torch.tensor(self.zero_point)

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: Any,
        unexpected_keys: Any,
        error_msgs: Any,
    ) -> None:
        self.scale = float(state_dict.pop(prefix + "scale"))
        self.zero_point = int(state_dict.pop(prefix + "zero_point"))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def _get_name(self) -> str:
        return "QFunctional"

    def extra_repr(self) -> str:
        """Return the parameters of the results."""
        return f"scale={self.scale}, zero_point={self.zero_point}"

    def forward(self, x: Any) -> Any:
        """Raise: call one of the operators.

        Args:
          x: not used.

        Raises:
          RuntimeError: always.
        """
        raise RuntimeError("Functional is not intended to use the 'forward'. Please use the underlying operation")

    def _result(self, name: str, *args: Any) -> Any:
        made = getattr(torch.ops.quantized, name)(*args, self.scale, self.zero_point)
        return self.activation_post_process(made)

    def add(self, x: Any, y: Any) -> Any:
        """Return `x + y`."""
        return self._result("add", x, y)

    def add_scalar(self, x: Any, y: float) -> Any:
        """Return `x + y` for a number `y`."""
        return torch.ops.quantized.add_scalar(x, y)

    def mul(self, x: Any, y: Any) -> Any:
        """Return `x * y`."""
        return self._result("mul", x, y)

    def mul_scalar(self, x: Any, y: float) -> Any:
        """Return `x * y` for a number `y`."""
        return torch.ops.quantized.mul_scalar(x, y)

    def cat(self, x: Any, dim: int = 0) -> Any:
        """Return the tensors `x`, concatenated along `dim`."""
        return self._result("cat", x, dim)

    def add_relu(self, x: Any, y: Any) -> Any:
        """Return ReLU of `x + y`."""
        return self._result("add_relu", x, y)

    def matmul(self, x: Any, y: Any) -> Any:
        """Return the matrix product of `x` and `y`."""
        return torch.ops.quantized.matmul(x, y, self.scale, self.zero_point)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the quantized module of a `FloatFunctional` with an observer.

        Args:
          mod: the module.
          use_precomputed_fake_quant: not used.

        Raises:
          AssertionError: `mod` is of another class.
        """
        if type(mod) is not FloatFunctional:
            raise AssertionError(
                f"QFunctional.from_float expects an instance of FloatFunctional, got {type(mod).__name__}"
            )
        scale, zero_point = mod.activation_post_process.calculate_qparams()
        made = cls()
        made.scale = float(scale)
        made.zero_point = int(zero_point)
        return made
