"""`autograd.Function`: an operator whose forward and backward the user writes over tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, _modes
from torchlike._autograd import versions
from torchlike._autograd.engine import Grad, Walk
from torchlike._autograd.nodes import Node
from torchlike._core import Value


class FunctionNode(Node):
    """The node of one call of a `Function`; it is also the `ctx` of forward and backward."""

    __slots__ = ("__dict__",)

    def __init__(self, function: type, edges: Sequence) -> None:
        super().__init__(None, [], list(edges), [])  # type: ignore[arg-type]
        self.function = function
        self.needs_input_grad = tuple(e is not None for e in edges)
        self.materialize_grads = True
        self.dirty: tuple = ()
        self.non_differentiable: tuple = ()
        self.avals: list = []
        self._saved: tuple | None = ()
        self._versions: tuple = ()  # of the saved tensors, once forward has returned

    def name(self) -> str:
        return self.function.__name__ + "Backward"

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward; read them there as `ctx.saved_tensors`."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple:
        """The tensors given to `save_for_backward`."""
        if self._saved is None:
            raise _errors.autograd.backward_twice()
        for tensor, version in zip(self._saved, self._versions):
            if version is not None and tensor._version != version:
                raise versions.modified(tensor._value.aval, tensor._edge, tensor._version, version)
        return self._saved

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which inputs forward changed in place."""
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (True) or None for outputs without a gradient."""
        self.materialize_grads = value

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> list[Grad | None]:
        from torchlike._tensor import Tensor, wrap

        given = [self._cotangent(i, held, wrap) for i in range(len(self.avals))]
        with _modes.set_grad_enabled(walk.create_graph):
            returned = self.function.backward(self, *given)  # type: ignore[attr-defined]
        if not walk.keep_graph:
            self._saved = None
        grads = tuple(returned) if isinstance(returned, tuple | list) else (returned,)
        count = len(self.edges)
        if len(grads) > count and all(g is None for g in grads[count:]):
            grads = grads[:count]
        if len(grads) != count:
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients (expected {count}, "
                               f"got {len(grads)})")  # fmt: skip
        return [grads[i]._pair() if isinstance(grads[i], Tensor) else None for i in wanted]

    def _cotangent(self, i: int, held: dict[int, Grad], wrap: Callable) -> Any:
        if i in held:
            return wrap(*held[i])
        if not self.materialize_grads or self.avals[i] is None:
            return None
        aval = self.avals[i]
        return wrap(Value(aval, np.zeros(aval.shape, aval.dtype.numpy)))


class Function:
    """Base of operators with a gradient of their own: define static `forward` and `backward`, call `apply`.

    >>> import torchlike as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return grad * 2
    >>> x = torch.ones(2, requires_grad=True)
    >>> Double.apply(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """

    generate_vmap_rule = False

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result; takes `ctx` first unless `setup_context` is defined."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        """Store what backward needs, where forward takes no `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """One gradient for each input of forward."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function to use it with backward mode AD.")  # fmt: skip

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the function, recording its gradient."""
        from torchlike._tensor import Tensor

        edges = [a._pair()[1] if isinstance(a, Tensor) else None for a in args]
        recording = _modes.local.grad and any(e is not None for e in edges)
        node = FunctionNode(cls, edges)
        if not recording:
            node.needs_input_grad = (False,) * len(edges)
        with _modes.no_grad():
            if cls.setup_context is Function.setup_context:
                result = cls.forward(node, *args, **kwargs)
            else:
                result = cls.forward(*args, **kwargs)
                cls.setup_context(node, args, result)
        outputs = result if isinstance(result, tuple) else (result,)
        node._versions = tuple(getattr(t, "_version", None) for t in node._saved or ())
        node.avals = [o._value.aval if isinstance(o, Tensor) else None for o in outputs]
        made = tuple(_connect(node, i, o, args, recording) for i, o in enumerate(outputs))
        return made if isinstance(result, tuple) else made[0]


def _connect(node: FunctionNode, number: int, output: Any, args: tuple, recording: bool) -> Any:
    """An output of forward as its caller sees it: with an edge to the node."""
    from torchlike._tensor import Tensor, alias

    if not isinstance(output, Tensor) or not recording:
        return output
    if any(output is t for t in node.dirty):
        output._check_writable_leaf()
        output._edge = (node, number)
        return output
    if any(output is a for a in args):
        output = alias(output)
    if any(output is t for t in node.non_differentiable) or output.dtype.category < _dtypes.FLOATING:
        return output
    output._edge = (node, number)
    return output


def once_differentiable(backward: Callable) -> Callable:
    """Mark a backward whose result cannot be differentiated again."""

    @functools.wraps(backward)
    def wrapped(ctx: Any, *grads: Any) -> Any:
        with _modes.no_grad():
            return backward(ctx, *grads)

    return wrapped
