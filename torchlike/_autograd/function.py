"""`autograd.Function`: an operator whose forward and backward the user writes over tensors."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, _modes
from torchlike._autograd import saved, views
from torchlike._autograd.engine import Grad, Walk
from torchlike._autograd.nodes import Edge, Node, Refusal
from torchlike._core import Value


class FunctionCtx:
    """What forward and backward of a `Function` share: the tensors and notes that forward leaves for backward."""

    __slots__ = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for backward; read them there as `ctx.saved_tensors`."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `jvp`; read them there as `ctx.saved_tensors`."""
        for tensor in tensors:
            if tensor is not None and not hasattr(tensor, "_storage"):
                raise _errors.autograd.save_for_forward_takes_tensors()
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Say which inputs forward changed in place; forward must return them."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (True) or None for outputs without a gradient."""
        self.materialize_grads = value


class FunctionNode(Node, FunctionCtx):
    """The node of one call of a `Function`; it is also the `ctx` of forward and backward."""

    __slots__ = ("__dict__",)
    runs_on_nothing = True

    def __init__(self, function: type, edges: Sequence, inputs: Sequence) -> None:
        super().__init__(None, [], list(edges), [])  # type: ignore[arg-type]
        self._function = function
        self._inputs = inputs  # the avals of the inputs; None for what is no tensor
        self.needs_input_grad = tuple(e is not None for e in edges)
        self.materialize_grads = True
        self.dirty_tensors: tuple = ()
        self.non_differentiable: tuple = ()
        self.to_save: tuple = ()
        self._avals: list = []
        self._kept: list | None = []
        self._lives_forward: bool = False  # while `jvp` runs, `saved_tensors` are those of `save_for_forward`

    def name(self) -> str:
        return self._function.__name__ + "Backward"

    def outputs(self) -> int:
        return len(self._avals)

    def result(self, number: int) -> Any:
        return self._avals[number]

    def slots(self) -> list[int | None]:
        return [i for i, aval in enumerate(self._inputs) if aval is not None]

    def keep(self) -> None:
        """At the end of forward: from now on the saved tensors must not change, or they are in the hooks' hands."""
        from torchlike._tensor import Tensor

        kept: list = []
        for i, t in enumerate(self.to_save):
            if t is not None and not isinstance(t, Tensor):
                raise _errors.autograd.save_for_backward_takes_tensors(i, t)
            kept.append(None if t is None else saved.keep(t))
        self._kept = kept
        self.to_save = ()

    @property
    def saved_tensors(self) -> tuple:
        """The tensors given to `save_for_backward`."""
        if self._lives_forward:
            return self.saved_for_forward
        if self._kept is None:
            raise _errors.autograd.backward_twice()
        return tuple(None if kept is None else kept.tensor() for kept in self._kept) or self.to_save

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> list[Grad | None]:
        from torchlike._tensor import wrap

        given = [self._cotangent(i, held, wrap) for i in range(len(self._avals))]
        with saved.arriving(held), _modes.set_grad_enabled(walk.create_graph):
            returned = self._pull()(self, *given)
        if not walk.keep_graph:
            self._kept = None
        grads = tuple(returned) if isinstance(returned, tuple) else (returned,)
        return self._checked(grads, wanted)

    def _pull(self) -> Callable:
        function: Any = self._function
        has_vjp = function.vjp is not Function.vjp
        if has_vjp and function.backward is not Function.backward:
            raise _errors.autograd.backward_and_vjp()
        return function.vjp if has_vjp else function.backward

    def _cotangent(self, i: int, held: dict[int, Grad], wrap: Callable) -> Any:
        if i in held:
            return wrap(*held[i])
        if not self.materialize_grads or self._avals[i] is None:
            return None
        aval = self._avals[i]
        return wrap(Value(aval, np.zeros(aval.shape, aval.dtype.numpy)))

    def _checked(self, grads: tuple, wanted: tuple[int, ...]) -> list[Grad | None]:
        """The gradients of the inputs that are wanted, each of its input's shape and dtype."""
        count = len(self.edges)
        if len(grads) > count and all(g is None for g in grads[count:]):
            grads = grads[:count]
        if len(grads) != count:
            raise _errors.autograd.gradient_count(self.name(), count, len(grads))
        for i, (grad, aval) in enumerate(zip(grads, self._inputs)):
            if grad is not None and not hasattr(grad, "_storage"):
                raise _errors.autograd.gradient_kind(grad)
            if grad is not None and aval is None:
                raise _errors.autograd.gradient_of_no_tensor(self.name(), i)
        return [fitted(self, i, grads[i], self._inputs[i]) for i in wanted]


def fitted(node: Node, number: int, grad: Any, aval: Any) -> Grad | None:
    """A gradient that a user made, with the shape and dtype of what it is the gradient of."""
    if grad is None:
        return None
    if grad.shape != aval.shape:
        if len(grad.shape) < aval.ndim or not _expandable(aval.shape, grad.shape):
            raise _errors.autograd.gradient_shape(node.name(), number, grad.shape, aval.shape)
        grad = grad.sum_to_size(aval.shape)
    if grad.dtype is not aval.dtype:
        grad = (grad.real if grad.is_complex() and not aval.dtype.is_complex else grad).to(aval.dtype)
    return grad._pair()


def _expandable(small: Sequence[int], large: Sequence[int]) -> bool:
    return all(a in (1, b) for a, b in zip(reversed(small), reversed(large)))


class Function:
    """Base of operators with a gradient of their own: define static `forward` and `backward`, call `apply`.

    `forward(ctx, *args)` computes the result; or `forward(*args)` does, and `setup_context(ctx, inputs, output)` stores
    what is needed. `backward(ctx, *grad_outputs)` (or `vjp`) returns one gradient for each argument of forward, None
    for what is no tensor. `jvp(ctx, *tangents)` gives forward mode its tangents. Within a function that
    `torch.vmap` maps it runs as it stands if `generate_vmap_rule` is True; else `vmap(info, in_dims, *args)` is called
    with all examples.

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
    _node_class = FunctionNode

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # A class of its own for each, since programs look at the name of a node's class.
        cls._node_class = type(cls.__name__ + "Backward", (FunctionNode,), {"__slots__": ()})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(_errors.autograd.function_instance(type(self)), DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: functions are called by `apply`."""
        raise _errors.autograd.legacy_function()

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
        raise _errors.autograd.no_backward()

    @staticmethod
    def vjp(ctx: Any, *grad_outputs: Any) -> Any:
        """Another name of `backward`."""
        raise _errors.autograd.no_backward()

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """One tangent for each output of forward, from one tangent (or None) for each of its inputs."""
        raise _errors.autograd.no_jvp()

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *args: Any) -> Any:
        """How to map the function over a dim; returns the result and its dim. No gradient goes through it here."""
        raise _errors.autograd.no_vmap()

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the function, recording its gradient."""
        from torchlike._autograd import forward_mode, mapped
        from torchlike._tensor import Tensor

        if _modes.local.transforms:
            rule = mapped.rule_of(cls, args)
            if rule is not None:
                return rule(*args)
        if cls.setup_context is not Function.setup_context:
            args, kwargs = _with_defaults(cls.forward, args, kwargs)
        elif kwargs:
            args, kwargs = _by_place(cls.forward, args, kwargs)
        pairs = [a._pair() if isinstance(a, Tensor) else (None, None) for a in args]
        edges = [edge for _, edge in pairs]
        recording = _modes.local.grad and any(e is not None for e in edges)
        node = cls._node_class(cls, edges, [value and value.aval for value, _ in pairs])
        with _modes.no_grad(), forward_mode.paused():
            if cls.setup_context is Function.setup_context:
                result = cls.forward(node, *args, **kwargs)
            else:
                result = cls.forward(*args, **kwargs)
                cls.setup_context(node, args, result)
        outputs = result if isinstance(result, tuple) else (result,)
        node._avals = [o._value.aval if isinstance(o, Tensor) else None for o in outputs]
        _check_marks(node)
        _check_dirty(node, args, outputs)
        made = tuple(_connect(node, i, o, args, recording) for i, o in enumerate(outputs))
        if recording:
            node.keep()
        forward_mode.through_function(cls, node, [value for value, _ in pairs], made)
        return made if isinstance(result, tuple) else made[0]


def _with_defaults(forward: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """All arguments of forward: `setup_context` sees those that the caller left out too."""
    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


def _by_place(forward: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Arguments given by name in their places behind `ctx`, so that gradients reach them."""
    try:
        bound = inspect.signature(forward).bind(None, *args, **kwargs)
    except TypeError as error:
        raise TypeError(f"forward() {error}") from None
    return bound.args[1:], bound.kwargs


def _check_marks(node: FunctionNode) -> None:
    if not all(hasattr(d, "_storage") for d in node.dirty_tensors):
        raise _errors.autograd.dirty_no_tensor()
    if not all(hasattr(d, "_storage") for d in node.non_differentiable):
        raise _errors.autograd.non_differentiable_no_tensor()


def _check_dirty(node: FunctionNode, args: tuple, outputs: tuple) -> None:
    if not all(any(d is o for o in outputs) for d in node.dirty_tensors):
        raise _errors.autograd.dirty_not_returned()
    if not all(any(d is a for a in args) for d in node.dirty_tensors):
        warnings.warn(_errors.autograd.DIRTY_NO_INPUT, UserWarning, stacklevel=4)


def _connect(node: FunctionNode, number: int, output: Any, args: tuple, recording: bool) -> Any:
    """An output of forward as its caller sees it: with an edge to the node."""
    from torchlike._autograd.nodes import AccumulateGrad
    from torchlike._tensor import Tensor, alias

    if not isinstance(output, Tensor) or not recording:
        return output
    edge: Edge = (node, number)
    is_input = any(output is a for a in args)
    if any(output is t for t in node.dirty_tensors) and is_input:
        if isinstance(output._edge and output._edge[0], AccumulateGrad):
            raise _errors.autograd.dirty_leaf()
        output._write(output._value, edge, node.age)
        return output
    if any(output is t for t in node.non_differentiable) or output.dtype.category < _dtypes.FLOATING:
        return alias(output) if is_input else output
    if is_input:
        source, output = output, alias(output)
        output._origin = source if source._origin is None else source._origin
    output._edge, output._tracks = edge, False
    if output._origin is not None:
        several = sum(aval is not None for aval in node._avals) > 1
        views.freeze(output, views.Frozen.ONE_OF_SEVERAL if several else views.Frozen.CUSTOM_FUNCTION)
    return output


Function.__module__ = "torchlike.autograd.function"  # where programs know it


def once_differentiable(backward: Callable) -> Callable:
    """Mark a backward whose result cannot be differentiated again: to try raises an error."""

    @functools.wraps(backward)
    def wrapped(ctx: Any, *grads: Any) -> Any:
        with _modes.no_grad():
            returned = backward(ctx, *grads)
        if not (_modes.local.grad and any(getattr(g, "requires_grad", False) for g in grads)):
            return returned
        if not isinstance(returned, tuple):
            return _refusing(returned)
        return tuple(_refusing(r) for r in returned)

    return wrapped


def _refusing(grad: Any) -> Any:
    if not hasattr(grad, "_storage"):
        return grad
    from torchlike._tensor import alias

    made = alias(grad)
    made._edge = (Refusal(_errors.autograd.once_only), 0)
    return made
