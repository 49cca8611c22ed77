"""Observers that choose nothing: fixed parameters, placeholders and recorders."""

from __future__ import annotations

from typing import Any

import torchlike as torch
from torchlike._errors.warned import warn
from torchlike.ao.quantization.observer._base import _EPS, ObserverBase


class _Passive(ObserverBase):
    """The base class of observers that only carry a configuration."""

    def forward(self, x: Any) -> Any:
        """Return `x`."""
        return x

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """Raise: the observer has no scale.

        Raises:
          Exception: always.
        """
        raise Exception(f"calculate_qparams should not be called for {type(self).__name__}")


class FixedQParamsObserver(ObserverBase):
    """Return the given scale and zero point.

    Args:
      scale: the distance between neighboring values.
      zero_point: the integer that stands for 0.
      dtype: the dtype of the quantized values.
      qscheme: the quantization scheme.
      quant_min: the lowest level.
      quant_max: the highest level.
      is_dynamic: must be False.
      kwargs: arguments of `ObserverBase`.

    Raises:
      NotImplementedError: the observer is dynamic.

    >>> import torchlike as torch
    >>> torch.ao.quantization.FixedQParamsObserver(0.5, 0).calculate_qparams()
    (tensor([0.5000]), tensor([0], dtype=torch.int32))
    """

    def __init__(
        self,
        scale: float,
        zero_point: int,
        dtype: Any = torch.quint8,
        qscheme: Any = torch.per_tensor_affine,
        quant_min: int = 0,
        quant_max: int = 255,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        if is_dynamic:
            raise NotImplementedError("FixedQParamsObserver doesn't support dynamic quantization")
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.quant_min = quant_min
        self.quant_max = quant_max
        self.register_buffer("scale", torch.tensor([scale], dtype=torch.float))
        self.register_buffer("zero_point", torch.tensor([zero_point], dtype=torch.int))
        self.qscheme = qscheme

    def forward(self, X: Any) -> Any:
        """Return `X`."""
        return X

    def calculate_qparams(self) -> Any:  # type: ignore[override]
        """Return the fixed scale and zero point."""
        return self.scale, self.zero_point


class PlaceholderObserver(_Passive):
    """Carry the configuration of values that are not watched, as in dynamic quantization.

    Args:
      dtype: the dtype of the quantized values.
      custom_op_name: a name that graph passes read.
      compute_dtype: deprecated; use `is_dynamic`.
      quant_min: the lowest level.
      quant_max: the highest level.
      qscheme: the quantization scheme.
      eps: the smallest scale.
      is_dynamic: whether the values are quantized by their own range at run time.
    """

    def __init__(
        self,
        dtype: Any = torch.float32,
        custom_op_name: str = "",
        compute_dtype: Any = None,
        quant_min: int | None = None,
        quant_max: int | None = None,
        qscheme: Any = None,
        eps: float | None = None,
        is_dynamic: bool = False,
    ) -> None:
        super().__init__(dtype=dtype, is_dynamic=is_dynamic)
        self.qscheme = torch.per_tensor_affine if qscheme is None else qscheme
        self.quant_min = quant_min
        self.quant_max = quant_max
        self.eps = _EPS if eps is None else eps
        self.custom_op = custom_op_name
        if compute_dtype:
            warn(
                "Please use `is_dynamic` instead of `compute_dtype`. \
                    `compute_dtype` will be deprecated in a future release \
                    of PyTorch."
            )

    def extra_repr(self) -> str:
        """Return the dtype and the kind of quantization."""
        return f"dtype={self.dtype}, is_dynamic={self.is_dynamic}"


class RecordingObserver(_Passive):
    """Keep a copy of every input.

    Args:
      dtype: the dtype of the quantized values.

    >>> import torchlike as torch
    >>> observer = torch.ao.quantization.RecordingObserver()
    >>> _ = observer(torch.ones(1))
    >>> observer.get_tensor_value()
    [tensor([1.])]
    """

    def __init__(self, dtype: Any = torch.quint8) -> None:
        super().__init__(dtype=dtype, is_dynamic=False)
        self.tensor_val: list[Any] = []

    def forward(self, x: Any) -> Any:
        """Keep a copy of `x` and return it."""
        self.tensor_val.append(x.clone())
        return x

    def get_tensor_value(self) -> list[Any]:
        """Return the copies."""
        return self.tensor_val


class NoopObserver(_Passive):
    """Carry the dtype of values that are not watched.

    Args:
      dtype: the dtype of the quantized values.
      custom_op_name: a name that graph passes read.
    """

    def __init__(self, dtype: Any = torch.float16, custom_op_name: str = "") -> None:
        super().__init__(dtype=dtype, is_dynamic=False)
        self.custom_op = custom_op_name


class ReuseInputObserver(_Passive):
    """Mark an operator, such as `reshape`, whose result has the scale of its input."""

    def __init__(self) -> None:
        super().__init__(torch.quint8, is_dynamic=False)
