"""Hooks on saved tensors: `pack` is called when a tensor is saved, and `unpack` when it is used.

A node created under such hooks holds the results of `pack` instead of Values, and only for the inputs on which its
gradient depends. The rest of the engine does not deal with hooks.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from torchlike import _errors
from torchlike._autograd import versions
from torchlike._autograd.engine import Grad, Walk
from torchlike._autograd.nodes import Node, count_of
from torchlike._autograd.sparse_value import SparseValue
from torchlike._dtypes import modes
from torchlike._dtypes.recorder import Mode, Recorder, enter, leave
from torchlike._engine import Value
from torchlike._ops.schema.gradient import dependence
from torchlike._ops.schema.plan import OpPlan

Hooks = tuple[Callable, Callable]


class _Local(threading.local):
    stack: tuple[Hooks, ...] = ()  # only the innermost pair is used
    refusal: str | None = None
    arriving: tuple[Value, ...] = ()  # the gradients that reached the node being unpacked


local = _Local()


class saved_tensors_hooks:
    """A context manager that packs saved tensors with `pack_hook`. Backward unpacks them with `unpack_hook`.

    Args:
      pack_hook: `pack_hook(tensor)` may return any object. It must not write to the tensor.
      unpack_hook: `unpack_hook(packed)` returns a tensor of the shape of the saved tensor.

    Raises:
      TypeError: `unpack_hook` did not return a tensor.
      RuntimeError: `pack_hook` wrote to its argument, or the hooks are disabled.

    For an operator whose gradient PyTorch computes from the result (`exp`), the input is saved and packed here.

    >>> import torchlike as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    tensor([2., 2.])
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if local.refusal is not None:
            raise RuntimeError(local.refusal)
        for hook in (self.pack_hook, self.unpack_hook):
            if not callable(hook):
                raise TypeError(
                    "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument "
                    "types are supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> "
                    f"None\n\nInvoked with: {self.pack_hook!r}, {self.unpack_hook!r}"
                )
        local.stack = (*local.stack, (self.pack_hook, self.unpack_hook))
        enter(_packing)

    def __exit__(self, *_: object) -> None:
        leave(_packing)
        local.stack = local.stack[:-1]


class save_on_cpu(saved_tensors_hooks):
    """A context manager that keeps saved tensors in host memory until backward needs them.

    A tensor on an accelerator is fetched when it is saved, which flushes the pending trace.

    Args:
      pin_memory: use page-locked memory. JAX does not offer it, so True raises for a tensor on an accelerator.
      device_type: has no effect. Tensors of all accelerators are moved.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        def pack(tensor: Any) -> Any:
            if pin_memory and tensor.device.type != "cpu":
                raise _errors.arguments.unsupported("save_on_cpu", "pin_memory")
            return tensor.device, tensor.cpu()

        super().__init__(pack, lambda packed: packed[1].to(packed[0]))


class disable_saved_tensors_hooks:
    """A context manager in which setting saved-tensor hooks raises a RuntimeError with the given message."""

    def __init__(self, error_message: str) -> None:
        self.error_message = error_message

    def __enter__(self) -> None:
        if local.stack:
            raise RuntimeError(self.error_message)
        self.before, local.refusal = local.refusal, self.error_message

    def __exit__(self, *_: object) -> None:
        local.refusal = self.before

    def __call__(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with disable_saved_tensors_hooks(self.error_message):
                return function(*args, **kwargs)

        return wrapped


# -- packing -----------------------------------------------------------------------------------------------------------


class Packed:
    """A saved tensor packed by hooks."""

    __slots__ = ("aval", "edge", "held", "unpack")

    def __init__(self, tensor: Any, edge: Any = None) -> None:
        pack, self.unpack = local.stack[-1]
        self.aval, self.edge = tensor._value.aval, edge or tensor._edge
        before = tensor._version
        with modes.no_grad():
            self.held = pack(tensor)
        if tensor._version != before:
            raise _errors.autograd.pack_hook_wrote()

    def tensor(self) -> Any:
        """Return the unpacked tensor, with the shape and dtype of the saved tensor."""
        from torchlike._tensor.tensor import Tensor, alias

        made = self.unpack(self.held)
        if not isinstance(made, Tensor):
            raise _errors.autograd.unpacked_no_tensor(made)
        aval = self.aval
        if made._value.aval is not aval:
            made = made.to(aval.device, aval.dtype).expand(aval.shape)
        if made._edge is not self.edge:
            made = alias(made)
            made._edge = self.edge
        return made


class Kept:
    """A saved tensor without hooks. It must not be overwritten before backward reads it."""

    __slots__ = ("kept", "version")

    def __init__(self, tensor: Any) -> None:
        if tensor._storage.inference:
            raise _errors.autograd.inference_saved()
        self.kept, self.version = tensor, tensor._version

    def tensor(self) -> Any:
        kept, version = self.kept, self.kept._version
        if version != self.version:
            raise versions.modified(kept._value.aval, kept._edge, version, self.version)
        return kept


class KeptSparse:
    """A saved sparse tensor without hooks. None of its members must be overwritten or replaced."""

    __slots__ = ("kept", "members")

    def __init__(self, tensor: Any) -> None:
        self.kept, self.members = tensor, [Kept(member) for member in tensor._members()]

    def tensor(self) -> Any:
        if any(a.tensor() is not b for a, b in zip(self.members, self.kept._members())):
            raise versions.modified(self.kept._aval, None, 1, 0)
        return self.kept


def keep(tensor: Any) -> Packed | Kept | KeptSparse:
    """Save a tensor outside a node. The method `tensor()` of the result returns the tensor."""
    if local.stack:
        return Packed(tensor)
    return KeptSparse(tensor) if tensor._pair()[0].__class__ is SparseValue else Kept(tensor)


class PackedNode(Node):
    """A node whose saved values were packed by hooks.

    `source` is the node's plan, which saves only the inputs that the gradient depends on.
    """

    __slots__ = ("packed", "source")

    def __init__(self, node: Node, values: Sequence[Value]) -> None:
        self.plan, self.saved, self.edges, self.scalars = None, None, node.edges, node.scalars
        self.age, self.extra = node.age, node.extra
        self.source = lean(node.plan, tuple(i for i, e in enumerate(node.edges) if e is not None))
        kept = [(_shown(values[i], self.edges[i]), self.edges[i]) for i in self.source.saved]
        self.packed: list[Packed] | None = [Packed(tensor, edge) for tensor, edge in kept]

    @property
    def is_spent(self) -> bool:
        return self.packed is None

    def free(self) -> None:
        self.packed = None

    def name(self) -> str:
        return self.source.node

    def outputs(self) -> int:
        return count_of(self.source)

    def result(self, number: int) -> Any:
        return self.source.outputs[number]

    def slots(self) -> list[int | None]:
        return self.source.slots()

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> Sequence[Grad | None]:
        if self.packed is None:
            raise _errors.autograd.backward_twice()
        with arriving(held):
            values = [p.tensor()._value for p in self.packed]
        if not walk.keep_graph:
            self.free()
        plain = Node(self.source, values, self.edges, self.scalars)
        # Neither versions nor writes through `.data` concern what the hooks returned.
        plain.age = min(versions.latest, versions.uncounted)
        return walk._gradients(plain, held, wanted)


def _shown(value: Value, edge: Any) -> Any:
    """Return the tensor that a pack hook receives for a saved value: the leaf itself, or a new tensor."""
    from torchlike._tensor.tensor import wrap

    leaf = versions.leaf_of(edge)
    return leaf if leaf is not None and leaf._value is value else wrap(value, edge)


class arriving:
    """A context manager that sets the gradients that reached a node while its saved tensors are unpacked."""

    def __init__(self, held: dict[int, Grad]) -> None:
        self.values = tuple(value for value, _ in held.values())

    def __enter__(self) -> None:
        self.before, local.arriving = local.arriving, self.values

    def __exit__(self, *_: object) -> None:
        local.arriving = self.before


@functools.lru_cache(4096)
def lean(plan: OpPlan, wanted: tuple[int, ...]) -> OpPlan:
    """Return the plan with only those inputs saved on which the gradient for the `wanted` inputs depends."""
    given = tuple(i for i, d in enumerate(plan.differentiable) if d)
    saved = tuple(sorted(dependence(plan, wanted, given))) if given else ()
    made = OpPlan(plan.name, plan.inputs, plan.scalars, plan.outputs, plan.function, plan.extra)
    return made.complete(plan.op, saved, plan.differentiable, plan.strides, plan.node)


class _Packing(Mode):
    """A mode that calls the hooks with the tensors that nodes save."""

    def over(self, below: Recorder) -> Recorder:
        def node(plan: OpPlan, values: Sequence[Value], edges: Sequence, scalars: Sequence) -> Node:
            made = below.node(plan, values, edges, scalars)
            return PackedNode(made, values) if local.stack and made.saved else made

        return below if below.packs else below.but(node=node, watches=True, packs=True)


_packing = _Packing()
