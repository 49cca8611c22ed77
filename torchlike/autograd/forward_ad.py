"""Forward-mode differentiation: tensors that carry a tangent, and the operators that carry it on.

>>> import torchlike as torch
>>> from torchlike.autograd import forward_ad
>>> with forward_ad.dual_level():
...     x = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
...     forward_ad.unpack_dual((x * x).sum()).tangent
tensor(2.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from torchlike import _errors
from torchlike._dtypes.modes import _Switch
from torchlike._transforms import forward_mode


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` returns."""

    primal: Any
    tangent: Any


def enter_dual_level() -> int:
    """Open a level in which tensors can carry tangents; returns its number.

    Raises:
      RuntimeError: a level is open already; PyTorch nests none either.
    """
    if forward_mode.is_open():
        raise _errors.autograd.nested_dual_level()
    forward_mode.enter()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level; the tangents of all its tensors are forgotten."""
    if level is None and not forward_mode.is_open():
        raise _errors.autograd.dual_level_number()
    if level not in (None, 0) or not forward_mode.is_open():
        raise _errors.autograd.dual_level_order()
    forward_mode.leave()


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A tensor of the contents of `tensor` that carries `tangent`, of the same shape.

    The result has memory of its own: a write to it does not show in `tensor`.

    Raises:
      RuntimeError: outside of a level, for another shape, or for a tensor that carries a tangent already.
      ValueError: one of the two is not of a floating or complex dtype.
    """
    return forward_mode.make_dual(tensor, tangent, level)


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """The tensor without its tangent, and its tangent; None where it carries none."""
    return UnpackedDualTensor(*forward_mode.unpack_dual(tensor, level))


class dual_level(_Switch):
    """Within the `with` block tensors can carry tangents (see `make_dual`)."""

    def __enter__(self) -> int:  # type: ignore[override]
        return enter_dual_level()

    def __exit__(self, *_: object) -> None:
        exit_dual_level()


class _set_fwd_grad_enabled(_Switch):
    """Turn forward mode on or off, at once and until the end of a `with` block: off, no operator carries tangents."""

    def __init__(self, mode: bool) -> None:
        self.mode, self.before = mode, _is_fwd_grad_enabled()
        forward_mode.local.resting = not mode

    def __enter__(self) -> None:
        forward_mode.local.resting = not self.mode

    def __exit__(self, *_: object) -> None:
        forward_mode.local.resting = not self.before


def _is_fwd_grad_enabled() -> bool:
    """Whether operators carry tangents."""
    return not forward_mode.local.resting


def __getattr__(name: str) -> int:
    if name == "_current_level":
        return 0 if forward_mode.is_open() else -1
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]
