"""The `ctx` of an `autograd.Function` and the graph node of its call.

Users see one object, `ctx`. It is also `y.grad_fn` and accepts attributes of any name. The autograd engine uses a
`FunctionNode`. Both refer to one `Call` with the state of the call, so that they do not form a reference cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

import numpy as np

from torchlike import _errors
from torchlike._autograd.engine import Grad, Walk
from torchlike._autograd.hook_handles import RemovableHandle
from torchlike._autograd.nodes import Edge, Extra, Node
from torchlike._dtypes import modes
from torchlike._engine import Aval, Value
from torchlike._errors.warned import warn
from torchlike._transforms import saved_tensor_hooks


class FunctionCtx:
    """The base class of `ctx`, with the methods that forward calls to pass tensors and options to backward."""

    def save_for_backward(self, *tensors: Any) -> None:
        """Save tensors (or None) for backward, which reads them as `ctx.saved_tensors`."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Save tensors (or None) for `jvp`, which reads them as `ctx.saved_tensors`."""
        for tensor in tensors:
            if tensor is not None and not hasattr(tensor, "_storage"):
                raise _errors.autograd.save_for_forward_takes_tensors()
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Declare the inputs that forward modifies in place. Forward must return them."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Declare the outputs that have no gradient."""
        self.non_differentiable = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Emit a deprecation warning. PyTorch tracks shared storage automatically."""
        warn(_errors.autograd.SHARED_STORAGE, FutureWarning)

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether backward receives zeros (True) or None for outputs without a gradient."""
        self.materialize_grads = value


class Call:
    """The engine's state of one call of a `Function`."""

    __slots__ = (
        "age",
        "dirty_tensors",
        "edges",
        "extra",
        "function",
        "inputs",
        "is_recorded",
        "kept",
        "materialize_grads",
        "materialize_non_diff_grads",
        "needs_input_grad",
        "node",
        "non_differentiable",
        "outputs",
        "saved_for_forward",
        "to_save",
    )

    def __init__(self, function: type, edges: Sequence[Edge | None], inputs: Sequence[Aval | None]) -> None:
        self.function, self.edges, self.inputs = function, list(edges), inputs
        self.outputs: list[tuple[Aval, bool] | None] = []  # for each tensor, its aval and whether it has a gradient
        self.age: int | None = None
        self.extra: Extra | None = None
        self.kept: list | None = []  # the saved tensors; None after a backward pass freed them
        self.node: ref[FunctionNode] | None = None
        self.materialize_grads = self.materialize_non_diff_grads = True
        self.needs_input_grad: Any = tuple(e is not None for e in edges)
        self.is_recorded = False
        self.to_save: Any = None
        self.dirty_tensors: Any = None
        self.non_differentiable: Any = None
        self.saved_for_forward: Any = None

    def declared(self, name: str) -> tuple:
        """Return the tensors that forward saved or marked under this name."""
        tensors = getattr(self, name)
        if tensors is not None and not isinstance(tensors, tuple):
            raise RuntimeError(f"autograd internal error: {name} attribute is expected to be a tuple but is ")
        return tensors or ()

    def keep(self) -> None:
        """Save the tensors given to `save_for_backward`. Called at the end of forward."""
        kept: list = []
        for i, tensor in enumerate(self.declared("to_save")):
            if tensor is not None and not hasattr(tensor, "_pair"):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {i} is of type {type(tensor).__name__}"
                )
            kept.append(None if tensor is None else saved_tensor_hooks.keep(tensor))
        self.kept = kept

    def end_forward(self) -> None:
        """Drop the references that only forward and `jvp` need."""
        self.to_save = self.dirty_tensors = self.non_differentiable = self.saved_for_forward = None

    def saved_tensors(self) -> tuple:
        """Return the value of `ctx.saved_tensors`."""
        if self.saved_for_forward is not None:
            return self.declared("saved_for_forward")
        if self.kept is None:
            raise _errors.autograd.backward_twice()
        return tuple(None if kept is None else kept.tensor() for kept in self.kept)


class FunctionNode(Node):
    """The graph node of one call of a `Function`."""

    __slots__ = ("call", "ctx")
    runs_on_nothing = True

    def __init__(self, ctx: BackwardCFunction, call: Call) -> None:
        self.ctx, self.call = ctx, call
        super().__init__(None, [], call.edges, [])
        if call.age is None:
            call.age = self.age
        self.age = call.age
        call.node = ref(self)

    @property
    def extra(self) -> Extra | None:
        """The hooks of the call. They are stored on the `Call`, so that they outlive the node while `ctx` is alive."""
        return self.call.extra

    @extra.setter
    def extra(self, extra: Extra | None) -> None:
        # `Node.__init__` sets None. This must not drop the hooks of a call whose node is created again.
        self.call.extra = extra or self.call.extra

    def public(self) -> Any:
        return self.ctx

    def name(self) -> str:
        return type(self.ctx).__name__

    def outputs(self) -> int:
        return len(self.call.outputs)

    def result(self, number: int) -> Any:
        output = self.call.outputs[number]
        return output and output[0]

    def free(self) -> None:
        self.call.kept = None

    def slots(self) -> list[int | None]:
        return [i for i, aval in enumerate(self.call.inputs) if aval is not None]

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> list[Grad | None]:
        given = [self._cotangent(i, held) for i in range(self.outputs())]
        with saved_tensor_hooks.arriving(held), modes.set_grad_enabled(walk.create_graph):
            returned = self.call_backward(given)
        if not walk.keep_graph:
            self.free()
        grads = tuple(returned) if isinstance(returned, tuple) else (returned,)
        return self._checked(grads, wanted)

    def call_backward(self, cotangents: Sequence) -> Any:
        """Call the user-defined `backward` or `vjp`."""
        from torchlike._transforms.function import Function

        function: Any = self.ctx._forward_cls
        has_backward = function.backward is not Function.backward
        if has_backward and function.vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return (function.backward if has_backward else function.vjp)(self.ctx, *cotangents)

    def _cotangent(self, i: int, held: dict[int, Grad]) -> Any:
        from torchlike._tensor.tensor import wrap

        if i in held:
            return wrap(*held[i])
        call, output = self.call, self.call.outputs[i]
        if output is None or not call.materialize_grads:
            return None
        aval, differentiable = output
        if not (differentiable or call.materialize_non_diff_grads):
            return None
        return wrap(Value(aval, np.zeros(aval.shape, aval.dtype.numpy)))

    def _checked(self, grads: tuple, wanted: tuple[int, ...]) -> list[Grad | None]:
        """Return the gradients of the wanted inputs, each with the shape and dtype of its input."""
        inputs = self.call.inputs
        count = len(inputs)
        if len(grads) > count and all(g is None for g in grads[count:]):
            grads = grads[:count]
        if len(grads) != count:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {count}, got {len(grads)})"
            )
        for i, (grad, aval) in enumerate(zip(grads, inputs)):
            if grad is not None and not hasattr(grad, "_pair"):
                raise RuntimeError(f"expected Variable or None (got {type(grad).__name__})")
            if grad is not None and aval is None:
                raise _errors.autograd.gradient_of_no_tensor(self.name(), i)
        return [fitted(self, i, grads[i], inputs[i]) for i in wanted]


def fitted(node: Node, number: int, grad: Any, aval: Any) -> Grad | None:
    """Return a user-defined gradient, reduced to the shape and cast to the dtype of its input."""
    if grad is None:
        return None
    if grad.shape != aval.shape:
        if len(grad.shape) < aval.ndim or not _expandable(aval.shape, grad.shape):
            raise _errors.autograd.gradient_shape(node.name(), number, grad.shape, aval.shape)
        grad = grad.sum_to_size(aval.shape)
    if grad.dtype is not aval.dtype:
        if grad.is_complex() and not aval.dtype.is_complex:
            raise _errors.autograd.complex_gradient()
        grad = grad.to(aval.dtype)
    return grad._pair()


def _expandable(small: Sequence[int], large: Sequence[int]) -> bool:
    return all(a in (1, b) for a, b in zip(reversed(small), reversed(large)))


# -- the public object -------------------------------------------------------------------------------------------------


class _Field:
    """An attribute of `ctx` that is stored on the `Call`."""

    def __init__(
        self, doc: str, read: Callable[[Any], Any] | None, write: Callable[[Any, Any], None] | None = None
    ) -> None:
        self.__doc__, self.read, self.write = doc, read, write

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, ctx: Any, owner: type | None = None) -> Any:
        if ctx is None:
            return self
        if self.read is None:
            raise _errors.autograd.ctx_field(self.name, "readable")
        return self.read(ctx)

    def __set__(self, ctx: Any, value: Any) -> None:
        if self.write is None:
            raise _errors.autograd.ctx_field(self.name, "writable")
        self.write(ctx, value)


def _stored(name: str, doc: str) -> _Field:
    """Return a field that can be read, and set to any value."""
    return _Field(doc, lambda ctx: getattr(call_of(ctx), name), lambda ctx, value: setattr(call_of(ctx), name, value))


def _switch(name: str, doc: str, setter: str, is_readable: bool) -> _Field:
    """Return a field that can be set to a bool."""

    def write(ctx: Any, value: Any) -> None:
        if value.__class__ is not bool:
            raise TypeError(f"{setter} received an invalid combination of arguments - got (), but expected (bool)")
        setattr(call_of(ctx), name, value)

    return _Field(doc, (lambda ctx: getattr(call_of(ctx), name)) if is_readable else None, write)


def _saved_variables(ctx: Any) -> tuple:
    warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
    return call_of(ctx).saved_tensors()


class BackwardCFunction(FunctionCtx):
    """The `ctx` of one call of a `Function`. It is also the `grad_fn` of the outputs."""

    __slots__ = ("call",)  # the class attribute is deleted below, so that a user's attribute cannot collide with it
    _forward_cls: Any = None
    __module__ = "torchlike.autograd.function"  # the public module

    saved_tensors = _Field("The tensors given to `save_for_backward`.", lambda ctx: call_of(ctx).saved_tensors())
    saved_variables = _Field("The old name of `saved_tensors`.", _saved_variables)
    requires_grad = _Field("Always True, also under `no_grad`, as in PyTorch.", lambda ctx: True)
    next_functions = _Field(
        "The nodes that this node passes its gradients to.", lambda ctx: node_of(ctx).next_functions
    )
    metadata = _Field("A dictionary for user data.", lambda ctx: node_of(ctx).metadata)
    needs_input_grad = _stored("needs_input_grad", "A bool for each argument of forward: True if it needs a gradient.")
    to_save = _stored("to_save", "The tensors to save at the end of forward.")
    saved_for_forward = _stored("saved_for_forward", "The tensors that `jvp` reads.")
    dirty_tensors = _stored("dirty_tensors", "The inputs that forward changed in place.")
    non_differentiable = _stored("non_differentiable", "The outputs without a gradient.")
    materialize_grads = _switch(
        "materialize_grads", "True if an undefined gradient becomes zeros.", "set_materialize_grads", False
    )
    _materialize_non_diff_grads = _switch(
        "materialize_non_diff_grads",
        "The same flag for outputs without a gradient.",
        "set_materialize_non_diff_grads",
        True,
    )

    def name(self) -> str:
        """Return the name of this node, such as `DoubleBackward`."""
        return node_of(self).name()

    def register_hook(self, hook: Callable) -> RemovableHandle:
        """Register `hook(grad_inputs, grad_outputs)`, called after this node ran. It may return new grad_inputs."""
        return node_of(self).register_hook(hook)

    def register_prehook(self, hook: Callable) -> RemovableHandle:
        """Register `hook(grad_outputs)`, called before this node runs. It may return new grad_outputs."""
        return node_of(self).register_prehook(hook)


_hidden: Any = vars(BackwardCFunction)["call"]  # the slot's descriptor; the next line deletes the class attribute
del BackwardCFunction.call
call_of: Callable[[Any], Call] = _hidden.__get__


def begin(function: Any, edges: Sequence[Edge | None], inputs: Sequence[Aval | None]) -> FunctionNode:
    """Return the node of a new call. Its `ctx` is passed to forward."""
    ctx = function._backward_cls()
    call = Call(function, edges, inputs)
    _hidden.__set__(ctx, call)
    return FunctionNode(ctx, call)


def node_of(public: Any) -> Any:
    """Return the engine node of a public node."""
    if not isinstance(public, BackwardCFunction):
        return public
    call = call_of(public)
    node = None if call.node is None else call.node()
    return FunctionNode(public, call) if node is None else node
