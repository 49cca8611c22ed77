"""`torch.autograd.Variable`: PyTorch's old name for a tensor that may require grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike._autograd.engine import running
from torchlike._errors.deprecated import VOLATILE
from torchlike._errors.warned import warn
from torchlike._tensor.tensor import Tensor


class _Engine:
    """The subset of the autograd engine's interface that programs use."""

    def queue_callback(self, callback: Callable[[], None]) -> None:
        """Call `callback` at the end of the current backward pass."""
        if running.walk is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        running.walk.at_end.append(callback)


class VariableMeta(type):
    """The metaclass of `Variable`: every tensor is an instance, and `Variable(tensor)` returns a tensor."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)

    def __call__(cls, data: Any = None, requires_grad: bool | None = None, volatile: bool | None = None) -> Any:
        from torchlike._dtypes import modes

        if volatile:
            warn(VOLATILE)
        made = Tensor() if data is None else data.detach()
        off = volatile or (volatile is not None and not modes.local.grad)
        return made._require_grad(bool(requires_grad) and not off)


class Variable(metaclass=VariableMeta):
    """`Variable(tensor, requires_grad=False)` is a tensor that shares the memory of `tensor`.

    Args:
      data: a tensor. Default: an empty one.
      requires_grad: let autograd record operations on the result.
      volatile: has no effect.

    >>> import torchlike as torch
    >>> torch.autograd.Variable(torch.ones(1), requires_grad=True)
    tensor([1.], requires_grad=True)
    """

    _execution_engine = _Engine()
