"""Forward-mode differentiation with dual tensors.

>>> import torchlike as torch
>>> from torchlike.autograd import forward_ad
>>> with forward_ad.dual_level():
...     x = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
...     forward_ad.unpack_dual((x * x).sum()).tangent
tensor(2.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from torchlike._dtypes.modes import _Switch
from torchlike._transforms import forward_mode


class UnpackedDualTensor(NamedTuple):
    """The result of `unpack_dual`."""

    primal: Any
    tangent: Any


def enter_dual_level() -> int:
    """Enter a forward-mode level, in which tensors can carry tangents. Return its number.

    Raises:
      RuntimeError: a level is already active. As in PyTorch, levels cannot be nested.
    """
    if forward_mode.is_open():
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    forward_mode.enter()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Exit the level and delete the tangents of its tensors."""
    if level is None and not forward_mode.is_open():
        raise RuntimeError("Dual level must be a positive number.")
    if level not in (None, 0) or not forward_mode.is_open():
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    forward_mode.leave()


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """Return a copy of `tensor` that carries `tangent`, which has the same shape.

    The result has its own memory: writes to it do not change `tensor`.

    Raises:
      RuntimeError: no level is active, the shapes differ, or `tensor` already carries a tangent.
      ValueError: the dtype of `tensor` or `tangent` is neither floating nor complex.
    """
    return forward_mode.make_dual(tensor, tangent, level)


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the tensor without its tangent, and its tangent or None."""
    return UnpackedDualTensor(*forward_mode.unpack_dual(tensor, level))


class dual_level(_Switch):
    """A context manager in which tensors can carry tangents (see `make_dual`)."""

    def __enter__(self) -> int:  # type: ignore[override]
        return enter_dual_level()

    def __exit__(self, *_: object) -> None:
        exit_dual_level()


class _set_fwd_grad_enabled(_Switch):
    """A switch that turns the propagation of tangents on or off.

    It takes effect when it is created. As a context manager, it restores the previous state at the end of the block.
    """

    def __init__(self, mode: bool) -> None:
        self.mode, self.before = mode, _is_fwd_grad_enabled()
        forward_mode.local.resting = not mode

    def __enter__(self) -> None:
        forward_mode.local.resting = not self.mode

    def __exit__(self, *_: object) -> None:
        forward_mode.local.resting = not self.before


def _is_fwd_grad_enabled() -> bool:
    """Return whether operators propagate tangents."""
    return not forward_mode.local.resting


def __getattr__(name: str) -> int:
    if name == "_current_level":
        return 0 if forward_mode.is_open() else -1
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]
