"""The base class of nested tensors of both layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import adopt, current, plainly


class Nested(Tensor):
    """A tensor whose own storage holds the elements of all components, as a plain tensor of another shape.

    Operators act on that plain tensor, by the rules of the layout.
    """

    def _like(self, rows: Tensor) -> Any:
        """Return a nested tensor with the same structure and other elements."""
        raise NotImplementedError

    is_nested = property(lambda self: True, doc="True.")

    def dim(self) -> int:
        """Return the number of dims, with that of the batch."""
        return self.ndim

    ndimension = dim

    def nelement(self) -> int:
        """Return the number of elements of all components."""
        return self.numel()

    __hash__ = Tensor.__hash__

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.numpy()

    def item(self) -> Any:
        """Return the only element."""
        return plain(self).item()

    def __bool__(self) -> bool:
        return bool(plain(self))

    def values(self) -> Tensor:
        """Return the elements of all components as a plain tensor, a view of this tensor."""
        return on_rows(Tensor.view, (self, self._aval.shape), {})

    # -- gradients -----------------------------------------------------------------------------------------------------

    @property
    def grad(self) -> Any:
        """The gradient accumulated by `backward()`, a nested tensor."""
        found = Tensor.grad.fget(self)  # type: ignore[attr-defined]
        if found is not None and not isinstance(found, Nested):
            found = self._grad = self._as_gradient(found)
        return found

    @grad.setter
    def grad(self, grad: Any) -> None:
        if grad is not None:
            self._check_grad(grad)
        if current().capture is not None:
            current().capture.grad(self, False)
        self._grad = grad

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    def _take_structure(self, other: Any) -> None:
        """Take the structure of another nested tensor."""
        raise NotImplementedError

    def _check_grad(self, grad: Any) -> None:
        """Raise RuntimeError if a tensor has another shape."""
        raise NotImplementedError

    def _as_gradient(self, rows: Tensor) -> Any:
        """Return a gradient of the elements as a nested tensor."""
        return self._like(rows)

    def register_hook(self, hook: Callable[[Any], Any]) -> Any:
        """Register a function that is called when this tensor's gradient is computed.

        Args:
          hook (function): called with the gradient, a nested tensor. If it returns a tensor, this replaces the
            gradient.
        """

        def called(grad: Tensor) -> Tensor | None:
            found = hook(self._as_gradient(grad))
            return plain(found) if isinstance(found, Nested) else found

        return Tensor.register_hook(self, called)

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Compute the gradients of the leaves of this tensor's graph.

        Args:
          gradient (Tensor): the gradient of this tensor, of the same shape.
          retain_graph (bool, optional): keep the saved tensors for another backward pass.
          create_graph (bool): record the backward pass, so that the gradients can be differentiated.
          inputs (Tensor or list, optional): the leaves whose `.grad` is accumulated. Default: all leaves.
        """
        torchlike.autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Set `requires_grad` of this leaf, and return the tensor.

        Args:
          requires_grad: the new value.
        """
        self.requires_grad = requires_grad
        return self

    def detach(self) -> Any:
        """Return a tensor over the same rows that is detached from the gradient graph."""
        return self._like(plain(self).detach())

    @property
    def mT(self) -> Any:
        """The last two dims swapped."""
        return self.transpose(-2, -1)

    @property
    def data(self) -> Any:
        """A detached tensor over the same elements. Autograd does not track writes to it."""
        return self._like(plain(self).data)

    @data.setter
    def data(self, other: Any) -> None:
        if type(other) is not type(self):
            raise RuntimeError("Attempted to call `variable.set_data(tensor)`, but the tensor is of another layout")
        Tensor.data.fset(self, plain(other))  # type: ignore[attr-defined]
        self._take_structure(other)

    @data.deleter
    def data(self) -> None:
        Tensor.data.fdel(self)  # type: ignore[attr-defined]


def plain(nested: Nested) -> Tensor:
    """Return the elements as a plain tensor with the same storage and gradient edge. It must not be written to."""
    return adopt(Tensor, nested)


def on_rows(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Call a function whose first argument is a nested tensor on the elements. The result may be a view of them."""
    first = args[0]
    root = None if first._origin is None else first._root()
    found = [first, root] if isinstance(root, Nested) and root is not first else [first]
    return plainly(func, args, kwargs, found)
