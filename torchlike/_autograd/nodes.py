"""Gradient nodes: records of operators from which a backward pass computes gradients."""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from weakref import ref

from torchlike import _errors
from torchlike._autograd.hook_handles import RemovableHandle, hold
from torchlike._dtypes.recorder import plain
from torchlike._engine import Value
from torchlike._engine.trace.trace import latest
from torchlike._ops.schema.node_names import Nodes
from torchlike._ops.schema.plan import OpPlan

Edge = tuple["Node", int]  # a node and the index of one of its outputs
sequence = itertools.count(0, -1)  # newer nodes have smaller ages
_new = object.__new__
_NOTHING: tuple = ()


class Node:
    """The record of an operator: its plan, the values saved for backward, and the gradient edges of its inputs."""

    __slots__ = ("__weakref__", "age", "edges", "extra", "plan", "saved", "scalars")
    differentiate: Callable[..., Any]
    # For a node without a plan: the results that PyTorch saves for backward, and the results whose gradients need each.
    saved_results: Mapping[int, frozenset[int]] = MappingProxyType({})
    runs_on_nothing = False  # whether the node runs even if no gradient has arrived at it

    def __init__(
        self, plan: OpPlan | None, saved: Sequence[Value], edges: Sequence[Edge | None], scalars: Sequence
    ) -> None:
        self.plan: OpPlan | Any = plan
        self.saved: Sequence[Value] | Any = saved
        self.edges: Sequence[Edge | Any] = edges
        self.scalars: Sequence = scalars
        self.age = latest.node = next(sequence)
        self.extra: Extra | Any = None
        if latest.made is not None:
            latest.made(self)

    @staticmethod
    def quick(plan: OpPlan, values: Sequence[Value], edges: Sequence[Edge | None], scalars: Sequence) -> Node:
        """Return a node for an operator with these input values. Hot path: it avoids the call of `__init__`."""
        if plan.check_node is not None:
            plan.check_node(edges)
        node = _new(Node)
        node.plan = plan
        node.saved = values if plan.saves_all else [values[i] for i in plan.saved] if plan.saved else _NOTHING
        node.edges = edges
        node.scalars = scalars
        node.age = latest.node = next(sequence)
        node.extra = None
        if latest.made is not None:
            latest.made(node)
        return node

    @property
    def is_spent(self) -> bool:
        """True if a backward pass has freed the saved values."""
        return self.saved is None and self.edges != ()

    def free(self) -> None:
        """Free the saved values. A gradient that needs them raises from now on."""
        if self.plan is not None and (self.saved or "all" in self.plan.remembers):
            self.saved = None

    def inside(self) -> Sequence[Edge]:
        """Return the edges at which a pass inside this node begins, if the node holds a graph of its own."""
        return ()

    def forget(self) -> None:
        """Drop the references that a node still holds after its saved values were freed."""

    def outputs(self) -> int:
        """Return the number of the operator's results up to the last one that has a gradient."""
        return count_of(self.plan)

    def result(self, number: int) -> Any:
        """Return the aval of one of the operator's results."""
        return self.plan.outputs[number]

    @property
    def inputs(self) -> Sequence[tuple[int, Value]]:
        """The saved inputs, each with its index among the operator's inputs."""
        return list(zip(self.plan.saved, self.saved or ()))

    def repeatable(self) -> tuple[OpPlan, Sequence[Value]]:
        """Return the plan and the values to use if the gradient itself will be differentiated."""
        return self.plan, self.saved

    def name(self) -> str:
        """Return PyTorch's name of this node, such as `MulBackward0`."""
        return str(self.plan.node)

    def to_blame(self, number: int) -> tuple[str, int]:
        """Return the name of PyTorch's node that makes a NaN in the gradient of an input, and its output's number."""
        plan, found = self.plan, None
        if plan is not None and isinstance(plan.node, Nodes):
            found = plan.node.to_blame(plan.argument(number))
        return found or (self.name(), number)

    def slots(self) -> Sequence[int | None]:
        """Return, for each edge that PyTorch's node has, its index among `edges`, or None for a number."""
        return range(len(self.edges)) if self.plan is None else self.plan.slots()

    @property
    def next_functions(self) -> tuple:
        """The nodes that receive this node's gradients, each with an output number."""
        found = inner_edges(self) or [None if i is None else self.edges[i] for i in self.slots()]
        return tuple((None, 0) if e is None else (e[0].public(), e[1]) for e in found)

    def public(self) -> Any:
        """Return this node as users see it: an instance of a class that is named after the operator."""
        name = self.name().rpartition("::")[2]
        if self.__class__.__name__ != name:
            self.__class__ = _class_of(self.__class__, name)  # type: ignore[assignment]
        return self

    @property
    def metadata(self) -> dict:
        """A dictionary in which users can store data about this node."""
        return hooks_of(self).metadata

    def register_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node runs. The hook may return new grad_inputs."""
        return hold(hooks_of(self).post, adapters.after(hook))

    def register_prehook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node runs. The hook may return new grad_outputs."""
        return hold(hooks_of(self).pre, adapters.before(hook))

    def __repr__(self) -> str:
        return f"<{self.name().rpartition('::')[2]} object at {id(self):#x}>"


def count_of(plan: OpPlan) -> int:
    """Return the number of an operator's results up to the last one that has a gradient."""
    return max((i + 1 for i, has in enumerate(plan.differentiable) if has), default=0)


class Adapters:
    """Functions that convert a hook on tensors to a hook on (Value, edge) pairs. `_tensor/hooks.py` sets them."""

    before: Callable[[Callable], Callable]
    after: Callable[[Callable], Callable]


adapters = Adapters()
plain.node = Node.quick


@functools.cache
def _class_of(kind: type[Node], name: str) -> type[Node]:
    return type(name, (kind,), {"__slots__": (), "__module__": "builtins"})  # the module of PyTorch's classes


class Named(Node):
    """A node without a plan that has a name of its own and one output."""

    __slots__ = ("_name",)

    def name(self) -> str:
        return self._name

    def outputs(self) -> int:
        return 1

    def result(self, number: int) -> Any:
        return None


class Refusal(Named):
    """The history of a result that cannot be differentiated: a backward pass that reaches it raises."""

    __slots__ = ("_error",)

    def __init__(
        self,
        error: Callable[[], Exception],
        edges: Sequence[Edge | None] = (None,),
        name: str = "torch::autograd::Error",
    ) -> None:
        super().__init__(None, [], edges, [])
        self._error, self._name = error, name

    def differentiate(self, *_: Any) -> Any:
        raise self._error()


class Inner(Named):
    """A node that PyTorch records within an operator that has one node here. The backward pass does not run it."""

    __slots__ = ()

    def __init__(self, edges: Sequence[Edge | None], name: str) -> None:
        self.plan, self.saved, self.scalars = None, None, ()
        self.edges, self._name = edges, name
        self.age, self.extra = 1, None

    def register_hook(self, hook: Callable) -> RemovableHandle:
        """Raise: the node does not run."""
        raise _errors.autograd.hook_of_inner_node(self._name)

    register_prehook = register_hook


def inner_edges(node: Node) -> Sequence[Edge | None] | None:
    """Return the edges of an operator's last node if PyTorch records several nodes for it, else None."""
    if node.plan is None or node.plan.extra is None or not isinstance(node.plan.node, Nodes):
        return None
    extra = hooks_of(node)
    if extra.inside is None:
        extra.inside = [_inner_edge(node, each) for each in node.plan.node.inputs]
    return extra.inside


def _inner_edge(node: Node, of: str) -> Edge | None:
    if not isinstance(of, Nodes):
        where, position = node.plan.extra.arguments[of]
        return node.edges[position] if where == "array" else None
    edges = [_inner_edge(node, each) for each in of.inputs]
    return (Inner(edges, str(of)), 0) if any(edges) else None


class AccumulateGrad(Node):
    """The gradient node of a leaf. It adds gradients to the leaf's `.grad`, and references the leaf weakly."""

    __slots__ = ("receive", "variable_ref")

    def __init__(self, variable_ref: Any, receive: Callable) -> None:
        self.plan, self.saved, self.edges, self.scalars = None, None, (), ()
        self.age, self.extra = 1, None
        self.variable_ref, self.receive = variable_ref, receive

    def outputs(self) -> int:
        return 1

    def result(self, number: int) -> Any:
        held = self.variable
        return None if held is None else held._value.aval

    @property
    def variable(self) -> Any:
        """The leaf tensor, or None if it no longer exists."""
        return self.variable_ref()

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"


class Sink(AccumulateGrad):
    """A sink for dropped gradients. One instance serves all views without a history of their own, of any shape."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(lambda: None, lambda pair, create_graph: None)


class Extra:
    """Attributes that few nodes have: hooks, users' metadata, and saved versions of results."""

    __slots__ = (
        "behind",
        "detached",
        "inner",
        "inside",
        "kept",
        "metadata",
        "overwritten",
        "post",
        "pre",
        "reshaped",
        "retained",
        "tensor",
    )

    def __init__(self) -> None:
        self.tensor: dict[int, OrderedDict[int, Callable]] = {}  # output number -> hooks on that output's gradient
        self.retained: dict[int, Callable] = {}  # output number -> the function that retains its gradient
        self.pre: OrderedDict[int, Callable] = OrderedDict()
        self.post: OrderedDict[int, Callable] = OrderedDict()
        self.metadata: dict = {}
        # For the node of a gradient computation whose forward node saves results: the `shell` of the forward node, and
        # the number of leading inputs that are saved values.
        self.behind: tuple[Node, int] | None = None
        # For a write to a part of memory: the node whose result was written, and a weak reference to the view.
        self.inner: Any = None
        self.inside: Sequence[Edge | None] | None = None  # the edges to the nodes of the operator before this one
        self.reshaped = False  # whether a result was reshaped without a record in the graph
        # Output number -> the age that a node would have had when the output was detached in place.
        self.detached: dict[int, int] = {}
        self.kept: dict[int, Any] = {}  # output number -> the saved version of a result that the node needs
        self.overwritten: Any = None  # the saved version of a result that the node needs and that was overwritten


def shell(node: Node) -> Node:
    """Return a copy of a node that has the attributes for version checks but none of the saved values."""
    made = _new(Node)
    made.plan, made.saved, made.edges, made.scalars = node.plan, None, (), ()
    made.age, made.extra = node.age, hooks_of(node)
    return made


def hooks_of(node: Node) -> Extra:
    """Return the node's `Extra`, which is created at the first use."""
    if node.extra is None:
        node.extra = Extra()
    return node.extra


# -- leaf tensors that are detached and become leaves again ------------------------------------------------------------


def note_end(tensor: Any) -> None:
    """Store the state that a tensor needs if it requires grad again. Call this before the tensor is detached.

    The state is the hooks on the tensor's gradient and, for a leaf, a weak reference to its `AccumulateGrad` node.
    """
    if tensor._edge is None:
        return
    node, number = tensor._edge
    ended = ref(node) if isinstance(node, AccumulateGrad) and node.variable is tensor else None
    before = getattr(tensor, "_ended", None)
    hooks = None if node.extra is None else node.extra.tensor.get(number)
    if ended or before or hooks:
        tensor._ended = ended or (before and before[0]), hooks


def begin_again(tensor: Any, make: Callable[[Any], AccumulateGrad]) -> AccumulateGrad:
    """Return the node of a tensor that becomes a leaf: its former node if that still exists, else a new one.

    The hooks that `note_end` stored are attached to the node.
    """
    before = getattr(tensor, "_ended", None)
    if before is None:
        return make(tensor)
    held, hooks = before
    node = (held and held()) or make(tensor)
    if hooks or node.extra is not None:
        hooks_of(node).tensor = {0: hooks} if hooks else {}
    return node
