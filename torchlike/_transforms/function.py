"""`autograd.Function`: operators with a user-defined forward and backward on tensors."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from torchlike import _dtypes, _errors
from torchlike._autograd.nodes import AccumulateGrad, Refusal
from torchlike._autograd.sparse_value import SparseValue
from torchlike._dtypes import modes
from torchlike._dtypes.memory_format import sparse_coo
from torchlike._engine import Aval
from torchlike._errors.warned import warn
from torchlike._tensor import views
from torchlike._transforms import context, forward_mode
from torchlike._transforms.context import BackwardCFunction, Call, FunctionCtx, FunctionNode


class FunctionMeta(type):
    """The class of classes of functions."""


class Function(FunctionCtx, metaclass=FunctionMeta):
    """The base class of operators with a custom gradient. Define static `forward` and `backward`, and call `apply`.

    Either `forward(ctx, *args)` computes the result, or `forward(*args)` does and `setup_context(ctx, inputs, output)`
    saves tensors for backward. `backward(ctx, *grad_outputs)` (or `vjp`) returns one gradient for each argument of
    forward, and None for an argument that is not a tensor. `jvp(ctx, *tangents)` returns the tangents for forward mode.

    Inside a function that `torch.vmap` maps, the operator runs unchanged if `generate_vmap_rule` is True. Otherwise,
    `vmap(info, in_dims, *args)` is called with the batched arguments.

    Args:
      args, kwargs: not used: the class has no useful instances.

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
    _backward_cls = BackwardCFunction

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # Create one class for each function, because programs read the class name of a node.
        members = {"__slots__": (), "__module__": BackwardCFunction.__module__, "_forward_cls": cls}
        cls._backward_cls = type(cls.__name__ + "Backward", (BackwardCFunction,), members)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warn(_errors.autograd.function_instance(type(self)), DeprecationWarning)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise. A `Function` is called by `apply`."""
        raise _errors.autograd.legacy_function()

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result. The first argument is `ctx`, unless `setup_context` is defined."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> Any:
        """Save tensors for backward, for a forward that takes no `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    if TYPE_CHECKING:
        backward: ClassVar[Callable[..., Any]]
    else:

        @staticmethod
        def backward(ctx: Any, *grad_outputs: Any) -> Any:
            """Return one gradient for each input of forward."""
            raise _errors.autograd.no_backward()

    @staticmethod
    def vjp(ctx: Any, *grad_outputs: Any) -> Any:
        """An alias of `backward`."""
        raise _errors.autograd.no_backward()

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Return one tangent for each output of forward. The arguments are one tangent (or None) for each input."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple, *args: Any) -> Any:
        """Map the function over a dim. Return the result and its batch dim."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or "
            "set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the function and record its gradient."""
        from torchlike._tensor.tensor import Tensor
        from torchlike._transforms import vmap as mapped

        has_setup = cls.setup_context is not Function.setup_context
        if has_setup:
            args = _with_defaults(cls.forward, args, kwargs)
        elif kwargs:
            args = _by_place(cls.forward, args, kwargs)
        forward = cls.forward
        if modes.local.transforms:
            rule = mapped.rule_of(cls, args)
            if rule is not None:
                forward, is_all = rule
                if is_all:
                    return forward(*args)
        pairs = [a._pair() if isinstance(a, Tensor) else (None, None) for a in args]
        if any(value.__class__ is SparseValue and edge is not None for value, edge in pairs):
            raise _errors.layouts.refused(f"{cls.__name__}.apply of a tensor that requires grad", sparse_coo)
        node = context.begin(cls, [edge for _, edge in pairs], [value and value.aval for value, _ in pairs])
        call = node.call
        call.is_recorded = modes.local.grad and any(e is not None for e in call.edges)
        with modes.no_grad(), forward_mode.paused():
            if has_setup:
                result = forward(*args)
                cls.setup_context(node.ctx, args, result)
            else:
                result = cls.forward(node.ctx, *args)
        outputs = result if isinstance(result, tuple) else (result,)
        _check_marks(call)
        _check_dirty(call, args, outputs)
        call.outputs = [_described(call, o) if isinstance(o, Tensor) else None for o in outputs]
        made = tuple(_connect(node, i, o, args) for i, o in enumerate(outputs))
        forward_mode.through_function(node, args, [value for value, _ in pairs], made)
        if call.is_recorded:
            call.keep()
        call.end_forward()
        return made if isinstance(result, tuple) else made[0]


def _with_defaults(forward: Callable, args: tuple, kwargs: dict) -> tuple:
    """Return all arguments of forward as positional arguments, with defaults, for `setup_context`."""
    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    for name in bound.kwargs:
        raise _errors.autograd.unexpected_keyword(name)
    return bound.args


def _by_place(forward: Callable, args: tuple, kwargs: dict) -> tuple:
    """Move keyword arguments to their positions after `ctx`, so that gradients flow to them."""
    parameters = inspect.signature(forward).parameters.values()
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][1:]
    for name in kwargs:
        if name not in names:
            raise _errors.autograd.unexpected_keyword(name)
        if name in names[: len(args)]:
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    last = max(names.index(name) for name in kwargs)
    for place in range(len(args), last + 1):
        if names[place] not in kwargs:
            raise TypeError(f"forward() missing required argument: '{names[place]}' (position {place})")
    return (*args, *[kwargs[name] for name in names[len(args) : last + 1]])


def _check_marks(call: Call) -> None:
    if not all(hasattr(d, "_storage") for d in call.declared("dirty_tensors")):
        raise RuntimeError("mark_dirty can only accept variables, but argument ")
    if not all(hasattr(d, "_storage") for d in call.declared("non_differentiable")):
        raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")


def _check_dirty(call: Call, args: tuple, outputs: tuple) -> None:
    dirty = call.declared("dirty_tensors")
    if not all(any(d is o for o in outputs) for d in dirty):
        raise _errors.autograd.dirty_not_returned()
    if not all(any(d is a for a in args) for d in dirty):
        warn(_errors.autograd.DIRTY_NO_INPUT)


def _described(call: Call, output: Any) -> tuple[Aval, bool]:
    """Return the aval of an output, and whether it has a gradient."""
    is_marked = any(output is t for t in call.declared("non_differentiable"))
    return output._value.aval, not is_marked and output.dtype.category >= _dtypes.FLOATING


def _connect(node: FunctionNode, number: int, output: Any, args: tuple) -> Any:
    """Return an output of forward with a gradient edge to the node, if the call is recorded and the output has one."""
    call, described = node.call, node.call.outputs[number]
    if described is None:
        return output
    is_input = any(output is a for a in args)
    is_dirty = is_input and any(output is t for t in call.declared("dirty_tensors"))
    if not (call.is_recorded and described[1]):
        return _without_history(call, output, is_input, is_dirty)
    if is_dirty:
        return _rewritten(node, number, output)
    if is_input:
        output = _shown_again(call, output)
    output._edge, output._tracks = (node, number), False
    if output._origin is not None:
        why = views.Frozen.ONE_OF_SEVERAL if _has_several(call) else views.Frozen.CUSTOM_FUNCTION
        views.freeze(output, why)
    return output


def _has_several(call: Call) -> bool:
    return sum(each is not None for each in call.outputs) > 1


def _without_history(call: Call, output: Any, is_input: bool, is_dirty: bool) -> Any:
    """Return an output without a gradient.

    For an input that requires grad, return a detached alias, so that the input itself still requires grad.
    """
    from torchlike._tensor.tensor import alias

    if is_dirty:
        output._count()  # a tensor marked dirty counts as written
    if not output.requires_grad:
        return _shown_again(call, output) if is_input and not is_dirty else output
    if is_input:
        return alias(output)
    return output if output._is_view() else output.detach_()


def _rewritten(node: FunctionNode, number: int, output: Any) -> Any:
    """Make the node the new gradient edge of an input that forward modified in place."""
    try:
        if isinstance(output._edge and output._edge[0], AccumulateGrad):
            raise _errors.autograd.dirty_leaf()
        if output._origin is not None and not views.is_whole(output) and _has_several(node.call):
            raise _errors.autograd.dirty_view_of_several()
        output._write(output._value, (node, number), node.age)
    except RuntimeError:
        output._count()  # PyTorch counts the write before it checks the input
        raise
    return output


def _shown_again(call: Call, output: Any) -> Any:
    """Return a view of an input that forward returned unchanged."""
    has_setup = call.function.setup_context is not Function.setup_context
    if has_setup and any(output is t for t in call.declared("to_save")):
        raise RuntimeError(
            "An input that has been returned as-is as output is being saved for backward. This is not supported if you "
            "override setup_context. You should return and save a view of the input instead, e.g. with x.view_as(x) or "
            "setup ctx inside the forward function itself."
        )
    with modes.no_grad(), forward_mode.paused():
        return output.view_as(output)


Function.__module__ = "torchlike.autograd.function"  # the public module


def once_differentiable(backward: Callable) -> Callable:
    """Decorate a backward whose result cannot be differentiated again. An attempt raises an error."""

    @functools.wraps(backward)
    def wrapped(ctx: Any, *grads: Any) -> Any:
        with modes.no_grad():
            returned = backward(ctx, *grads)
        if not (modes.local.grad and any(getattr(g, "requires_grad", False) for g in grads)):
            return returned
        if not isinstance(returned, tuple):
            return _refusing(returned)
        return tuple(_refusing(r) for r in returned)

    return wrapped


def _refusing(grad: Any) -> Any:
    if not hasattr(grad, "_storage"):
        return grad
    from torchlike._tensor.tensor import alias

    made = alias(grad)
    made._edge = (Refusal(_errors.autograd.once_only), 0)
    return made
