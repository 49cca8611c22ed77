"""Gradient nodes: the record of one operator that backward replays."""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict
from collections.abc import Callable, Container, Sequence
from typing import Any
from weakref import ref

from torchlike._autograd.hook_handles import RemovableHandle, hold
from torchlike._dtypes.recorder import plain
from torchlike._engine import Value
from torchlike._engine.trace.trace import latest
from torchlike._ops.schema.plan import OpPlan

Edge = tuple["Node", int]  # a node and which of its outputs
sequence = itertools.count(0, -1)  # newer nodes have smaller ages
_new = object.__new__
_NOTHING: tuple = ()


class Node:
    """One recorded operator: its plan, the values its gradient needs, and the edges to where its inputs came from."""

    __slots__ = ("__weakref__", "age", "edges", "extra", "plan", "saved", "scalars")
    differentiate: Callable[..., Any]
    saved_results: Container[int] = ()  # of a node without a plan: the results that PyTorch saves for backward
    runs_on_nothing = False  # whether it is asked for its gradients where none has come to it

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
        """A node for an operator just called with these input values (the hot path: no call of `__init__`)."""
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
        """Whether a pass has used up what the gradient needs."""
        return self.saved is None and self.edges != ()

    def forget(self) -> None:
        """Let go of what a spent node holds beside what it saved."""

    def outputs(self) -> int:
        """How many results the operator has."""
        return len(self.plan.outputs)

    def result(self, number: int) -> Any:
        """The aval of one of the operator's results."""
        return self.plan.outputs[number]

    @property
    def inputs(self) -> Sequence[tuple[int, Value]]:
        """The inputs that it holds, each with its place."""
        return list(zip(self.plan.saved, self.saved or ()))

    def repeatable(self) -> tuple[OpPlan, Sequence[Value]]:
        """The plan and the values to differentiate where the gradient will be differentiated in turn."""
        return self.plan, self.saved

    def name(self) -> str:
        """PyTorch's name of this node, such as `MulBackward0`."""
        return self.plan.node

    def slots(self) -> Sequence[int | None]:
        """PyTorch's edges of this node: for each its place among `edges`, or None for a number."""
        return range(len(self.edges)) if self.plan is None else self.plan.slots()

    @property
    def next_functions(self) -> tuple:
        """The nodes that this node passes its gradients to, each with an output number."""
        found = [None if i is None else self.edges[i] for i in self.slots()]
        return tuple((None, 0) if e is None else (e[0].public(), e[1]) for e in found)

    def public(self) -> Any:
        """The object that users see as this node: an instance of a class named after the operator."""
        name = self.name().rpartition("::")[2]
        if self.__class__.__name__ != name:
            self.__class__ = _class_of(self.__class__, name)  # type: ignore[assignment]
        return self

    @property
    def metadata(self) -> dict:
        """A dictionary for the user's own notes on this node."""
        return hooks_of(self).metadata

    def register_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node ran; it may return new grad_inputs."""
        return hold(hooks_of(self).post, adapters.after(hook))

    def register_prehook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node runs; it may return new grad_outputs."""
        return hold(hooks_of(self).pre, adapters.before(hook))

    def __repr__(self) -> str:
        return f"<{self.name().rpartition('::')[2]} object at {id(self):#x}>"


class Adapters:
    """Functions that make a user's hook on tensors a hook on gradients in flight. `_tensor/hooks.py` sets them."""

    before: Callable[[Callable], Callable]
    after: Callable[[Callable], Callable]


adapters = Adapters()
plain.node = Node.quick


@functools.cache
def _class_of(kind: type[Node], name: str) -> type[Node]:
    return type(name, (kind,), {"__slots__": ()})


class Refusal(Node):
    """The history of a gradient that has no derivative: an error on the way back, and on to `edges`."""

    __slots__ = ("_error",)

    def __init__(self, error: Callable[[], Exception], edges: Sequence[Edge | None] = (None,)) -> None:
        super().__init__(None, [], edges, [])
        self._error = error

    def name(self) -> str:
        return "torch::autograd::Error"

    def outputs(self) -> int:
        return 1

    def result(self, number: int) -> Any:
        return None

    def differentiate(self, *_: Any) -> Any:
        raise self._error()


class AccumulateGrad(Node):
    """The end of a path: adds what arrives to the `.grad` of one leaf (held weakly through `receive`)."""

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
        """The leaf tensor."""
        return self.variable_ref()

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"


class Sink(AccumulateGrad):
    """The end of the paths of all views without a history, whatever their shapes: drops what arrives."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(lambda: None, lambda pair, create_graph: None)


class Extra:
    """What few nodes have: hooks, the user's notes, an overwritten result."""

    __slots__ = (
        "behind",
        "detached",
        "inner",
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
        self.retained: dict[int, Callable] = {}  # output number -> what keeps its gradient
        self.pre: OrderedDict[int, Callable] = OrderedDict()
        self.post: OrderedDict[int, Callable] = OrderedDict()
        self.metadata: dict = {}
        self.behind: tuple[Node, int] | None = None  # of a gradient's node: the `shell` of what it is the
        # gradient of, if that keeps results, and how many of its inputs stand for what that saved
        self.inner: Any = None  # of a write to a part of memory: the node whose result was written, and what sees it
        self.reshaped = False  # whether a result was given another shape unseen by the graph
        self.detached: dict[int, int] = {}  # output number -> the age of a node made when it was detached in place
        self.kept: dict[int, Any] = {}  # output number -> the stamp of one of several results that the node needs
        self.overwritten: Any = None  # the stamp of a result that the node needs and that was written to


def shell(node: Node) -> Node:
    """A node as the checks of its results see it, which holds nothing that it saved."""
    made = _new(Node)
    made.plan, made.saved, made.edges, made.scalars = node.plan, None, (), ()
    made.age, made.extra = node.age, hooks_of(node)
    return made


def hooks_of(node: Node) -> Extra:
    """The node's hooks, made on first use."""
    if node.extra is None:
        node.extra = Extra()
    return node.extra


# -- leaves that stop to be one ----------------------------------------------------------------------------------------


def note_end(tensor: Any) -> None:
    """Called before a tensor is cut off from its history: what it takes up again when gradients flow to it once more,
    its node where it was a leaf (if a graph still holds that), and the hooks on its gradient."""
    if tensor._edge is None:
        return
    node, number = tensor._edge
    ended = ref(node) if isinstance(node, AccumulateGrad) and node.variable is tensor else None
    before = getattr(tensor, "_ended", None)
    hooks = None if node.extra is None else node.extra.tensor.get(number)
    if ended or before or hooks:
        tensor._ended = ended or (before and before[0]), hooks


def begin_again(tensor: Any, make: Callable[[Any], AccumulateGrad]) -> AccumulateGrad:
    """The node of a tensor that becomes a leaf: the one that it has been, or else one that `make` makes."""
    before = getattr(tensor, "_ended", None)
    if before is None:
        return make(tensor)
    held, hooks = before
    node = (held and held()) or make(tensor)
    if hooks or node.extra is not None:
        hooks_of(node).tensor = {0: hooks} if hooks else {}
    return node
