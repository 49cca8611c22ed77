"""Checks of hyperparameters, shared by the optimizers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from torchlike import Tensor
from torchlike.optim import _errors


def check_lr(lr: Any) -> None:
    """Raise unless the learning rate is a non-negative number or Tensor of one element."""
    check_one_element(lr)
    if not 0.0 <= lr:
        raise _errors.invalid("learning rate", lr)


def check_one_element(lr: Any) -> None:
    """Raise if a value is a Tensor of several elements."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise _errors.lr_not_one_element()


def check_at_least(bound: int, **values: Any) -> None:
    """Raise unless every named value is >= `bound`, with the message of PyTorch's newer optimizers."""
    for name, value in values.items():
        check_one_element(value)
        if not bound <= value:
            raise _errors.too_small(name.replace("_", " "), bound, value)


def check_positive(**values: Any) -> None:
    """Raise unless every named value is >= 0. PyTorch's message calls `eps` "epsilon"."""
    for name, value in values.items():
        if not 0.0 <= value:
            raise _errors.invalid("epsilon value" if name == "eps" else f"{name} value", value)


def check_fraction(name: str, value: float) -> None:
    """Raise unless the value is in [0, 1]."""
    if not 0.0 <= value <= 1.0:
        raise _errors.invalid(f"{name} value", value)


def check_betas(betas: tuple) -> None:
    """Raise unless both decay rates are in [0, 1)."""
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise _errors.invalid(f"beta parameter at index {i}", betas[i])


def check_implementation(foreach: bool | None = None, fused: bool | None = None, differentiable: bool = False) -> None:
    """Raise if the options are incompatible.

    `foreach` has no other effect: in PyTorch it selects among implementations with equal results.
    """
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def check_fused(group: dict[str, Any], params: Iterable[Tensor]) -> None:
    """Raise if the options of a group include `fused` and PyTorch's fused step does not take one of the parameters."""
    if group.get("fused"):
        from torchlike.utils._foreach_utils import _get_fused_kernels_supported_devices

        devices = _get_fused_kernels_supported_devices()
        for param in params:
            if not (param.is_floating_point() and param.device.type in devices):
                raise _errors.not_fused(devices, param.dtype, param.device.type)


class Capturable(NamedTuple):
    """The error that PyTorch raises for a step with `capturable=True` on the CPU.

    Attributes:
      tensors: the tensors that would have to be on an accelerator, and the same with `foreach=True`.
      xla: whether the devices include XLA's, and the same with `foreach=True`.
    """

    tensors: tuple[str, str] = ("params and state_steps", "params and state_steps")
    xla: tuple[bool, bool] = (True, False)

    def check(self, group: dict[str, Any], params: Iterable[Tensor]) -> None:
        """Raise PyTorch's error if a group has `capturable=True` and its step is not fused."""
        if group.get("capturable") and not group.get("fused"):
            listed = bool(group.get("foreach"))
            if any(param.device.type == "cpu" for param in params):
                raise _errors.not_capturable(self.tensors[listed], self.xla[listed])
