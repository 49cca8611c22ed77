"""Autograd graphs of functions mapped by `vmap`.

Inside a mapped function, the graph consists of the operators of one example, and a backward pass over it computes the
gradients of each example. In the graph outside, the whole function is one node. The gradient of this node is computed
by a second backward pass over the inner graph, with the gradients of all examples.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from torchlike import _errors
from torchlike._autograd.engine import Grad, Walk, apply_op
from torchlike._autograd.jax_function import InnerWalk, InputNode
from torchlike._autograd.nodes import AccumulateGrad, Edge, Node, sequence
from torchlike._dtypes import modes
from torchlike._dtypes.recorder import Recorder, enter, leave
from torchlike._engine import Aval, Value
from torchlike._engine.trace.batched_values import Level, Row, levels_of, lift
from torchlike._errors.callers import calls_of_ours
from torchlike._tensor.views import NOWHERE
from torchlike._transforms import forward_mode


class Watched(AccumulateGrad):
    """The node of a tensor with respect to which a transform such as `grad` differentiates a function.

    The node is a leaf inside the function (`is_open`), and an identity operator outside.
    """

    __slots__ = ("is_open", "shows")

    def __init__(self, tensor: Any, edge: Edge | None) -> None:
        super().__init__(lambda: None, lambda pair, create_graph: None)
        self.edges = [edge]
        self.age = next(sequence)
        self.is_open = True
        self.shows = tensor._aval

    def result(self, number: int) -> Any:
        return self.shows

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> list[Grad]:
        return [held[0]] * len(wanted)


class Entered(InputNode):
    """The node of an argument inside a mapped function, where the inner graph ends.

    `outside` is the gradient edge of the argument outside the function.
    """

    __slots__ = ("level", "outside")

    def __init__(self, aval: Aval, level: Level, outside: Edge) -> None:
        super().__init__(aval)
        self.level, self.outside = level, outside


class Mapping:
    """One call of a mapped function: its vmap level, and the minimum age of the nodes of its inner graph."""

    def __init__(self, level: Level, since: int | None = None) -> None:
        self.level = level
        if since is None:
            level.since, level.tangents = next(sequence), len(forward_mode.local.levels)
        self.since = level.since if since is None else since  # older nodes are outside

    def enter(self, pair: Grad) -> Grad:
        """Return a batched value of the function, and its inner gradient edge.

        The first dim of the given value is the batch dim. Its tangents are batched in the same way.
        """
        whole, edge = pair
        aval = whole.aval.like(tuple(whole.aval.shape[1:]))
        row = Row(aval, self.level, whole, is_given=True)
        for tangents in forward_mode.local.levels:
            if whole in tangents:
                tangents[row] = self.enter(tangents[whole])
        return row, None if edge is None else (Entered(aval, self.level, edge), 0)

    def leave(self, pairs: Sequence[Grad]) -> list[Grad]:
        """Return the full batches of the batched results, with their gradient edges outside the function.

        The tangents of the results become tangents of the full batches.
        """
        found: list[tuple[Row, Edge | None]] = []
        carried: list[tuple[Any, int, int]] = []
        places = [self._take(pair, found, carried) for pair in pairs]
        node = MapNode(self, found) if any(edge is not None for _, edge in found) else None
        outside: list = []
        for i, (row, edge) in enumerate(found):
            shared = row.is_given or any(row is other for other, _ in found[:i])
            outside.append((_copy(row.whole) if shared else row.whole, edge and (node, i)))
        for tangents, place, tangent in carried:
            tangents[outside[place][0]] = outside[tangent]
        return [outside[i] for i in places]

    def _take(self, pair: Grad, found: list[tuple[Row, Edge | None]], carried: list[tuple[Any, int, int]]) -> int:
        """Append a result and its tangents to `found`, and return the index of the result.

        Append (tangents of a forward-mode level, index of the value, index of its tangent) to `carried`.
        """
        value = self._lifted(pair[0])
        place = len(found)
        found.append((value, pair[1] if is_alive([pair[1]]) else None))
        for tangents in forward_mode.local.levels:
            if value in tangents:
                carried.append((tangents, place, self._take(tangents[value], found, carried)))
        return place

    def _lifted(self, value: Value) -> Row:
        row = lift(value, self.level)
        if row is not value:
            for tangents in forward_mode.local.levels:
                if value in tangents:
                    tangents[row] = tangents[value]
        return row


def _copy(value: Value) -> Value:
    with forward_mode.paused():
        return apply_op("clone", (value, None))[0]


class MapNode(Node):
    """The gradient node of a whole mapped function."""

    __slots__ = ("avals", "ends", "mapping", "roots")

    def __init__(self, mapping: Mapping, results: Sequence[Grad]) -> None:
        self.mapping = mapping
        self.roots: list[Any] = [edge for _, edge in results]
        size = mapping.level.size
        self.avals = [value.aval.like((size, *value.aval.shape)) for value, _ in results]
        walk = InnerWalk(False, mapping.since)
        walk._collect([edge for edge in self.roots if edge is not None])
        self.ends: list[Any] = list(walk.ends_at)
        edges = [edge[0].outside if self._has_entered(edge) else edge for edge in self.ends]
        super().__init__(None, [], edges, [])

    def _has_entered(self, edge: Edge) -> bool:
        return isinstance(edge[0], Entered) and edge[0].level is self.mapping.level

    def inside(self) -> list[Edge]:
        return [edge for edge in self.roots if edge is not None]

    def forget(self) -> None:
        self.roots = []

    def name(self) -> str:
        return "VmapBackward"

    def outputs(self) -> int:
        return len(self.avals)

    def result(self, number: int) -> Aval:
        return self.avals[number]

    def differentiate(self, held: dict[int, Grad], wanted: tuple[int, ...], walk: Walk) -> list[Grad | None]:
        """Return the gradients of the wanted inputs.

        The gradient of a batched argument is batched. The gradient of a tensor from outside is summed over the
        examples.
        """
        level = self.mapping.level
        level.is_shared |= walk.create_graph
        frees = not walk.keep_graph or walk.frees_at_end
        at_end = frees and (level.is_shared or walk.frees_at_end)  # other nodes may need the same values in this pass
        again = Mapping(level, self.mapping.since)
        given = sorted(i for i in held if self.roots[i] is not None)
        with opened(again.level):
            create = walk.create_graph
            seeds = [again.enter((held[i][0], held[i][1] if create else None)) for i in given]
            inner = InnerWalk(create, again.since, not frees or at_end, at_end)
            inner.run([self.roots[i] for i in given], seeds)
            reached = [inner.reached(self.ends[i]) for i in wanted]
            wholes = iter(again.leave([pair for pair in reached if pair is not None]))
        found = [None if pair is None else next(wholes) for pair in reached]
        return [
            pair if pair is None or self._has_entered(self.ends[i]) else apply_op("sum", pair, 0, differentiate=create)
            for i, pair in zip(wanted, found)
        ]


def is_alive(edges: Iterable[Edge | None]) -> bool:
    """Return whether any of the edges leads to a leaf, or to an input of a recorded or differentiated function."""
    seen: set[Node] = set()
    stack = [edge for edge in edges if edge is not None]
    while stack:
        node = stack.pop()[0]
        if node in seen or node is NOWHERE[0]:
            continue
        seen.add(node)
        if isinstance(node, Entered):
            stack.append(node.outside)
            continue
        if isinstance(node, InputNode) or (isinstance(node, AccumulateGrad) and getattr(node, "is_open", True)):
            return True
        stack.extend([edge for edge in node.edges if edge is not None])
    return False


@contextmanager
def transforming() -> Iterator[None]:
    """Mark the `with` block as the inside of a transformed function, where `requires_grad_` raises an error."""
    modes.local.transforms += 1
    try:
        yield
    finally:
        modes.local.transforms -= 1


@contextmanager
def out_of_inference() -> Iterator[None]:
    """Turn inference mode off in the `with` block. If it was on, grad mode remains off."""
    if not modes.local.inference:
        yield
        return
    with modes.inference_mode(False), modes.no_grad():
        yield


# -- custom functions -------------------------------------------------------------------------------------------------


class VmapInfo(NamedTuple):
    """The batch size and the randomness mode of the mapping, passed to `autograd.Function.vmap`."""

    batch_size: int
    randomness: str


def rule_of(function: Any, args: Sequence) -> tuple[Callable, bool] | None:
    """Return how to call a custom `Function` inside transformed functions, or None to call it unchanged.

    The result is a function and a bool. If the bool is True, `Function.apply` returns the function's result directly,
    because the mapped function does not differentiate with respect to these arguments.
    """
    from torchlike._transforms.function import Function

    if function.setup_context is Function.setup_context:
        raise _errors.func.function_without_context()
    levels = [level for x in args if hasattr(x, "_storage") for level in levels_of(x._value)]
    if not levels:
        return None
    has_rule = function.vmap is not Function.vmap
    if has_rule == function.generate_vmap_rule:
        raise _errors.func.function_rules(function.__name__, both=has_rule)
    if not has_rule:
        return None
    level = max(levels, key=lambda level: level.depth)
    is_inside = _is_differentiated_inside(level, args)
    return functools.partial(_by_rule, function, level, is_inside), not is_inside


def _is_differentiated_inside(level: Level, args: Sequence) -> bool:
    """Return whether the mapped function itself differentiates with respect to these arguments."""
    pairs = [x._pair() for x in args if hasattr(x, "_storage")]
    if any(value in tangents for value, _ in pairs for tangents in forward_mode.local.levels[level.tangents :]):
        return True
    seen: set[Node] = set()
    stack = [edge for _, edge in pairs if edge is not None]
    while stack:
        node = stack.pop()[0]
        if node in seen or node.age >= level.since:
            continue
        seen.add(node)
        if isinstance(node, Watched) and node.is_open:
            return True
        if isinstance(node, Entered) and node.level is not level:
            stack.append(node.outside)
        stack.extend([edge for edge in node.edges if edge is not None])
    return False


def _by_rule(function: Any, level: Level, is_inside: bool, *args: Any) -> Any:
    """Call the `vmap` rule of the custom `Function` with the full batches of its arguments.

    The operators of the rule belong to the graph outside the mapped function. If the mapped function itself
    differentiates (`is_inside`), they are not recorded: `function.backward` computes the gradient.
    """
    from torchlike._tensor.tensor import Tensor, wrap

    mapping = Mapping(level, level.since)
    mine = [isinstance(x, Tensor) and level in levels_of(x._value) for x in args]
    wholes = iter(_wholes(mapping, [x._pair() for x, own in zip(args, mine) if own], is_inside))
    dims = tuple([0 if own else None for own in mine])
    given = [wrap(*next(wholes)) if own else x for x, own in zip(args, mine)]
    returned = function.vmap(VmapInfo(level.size, level.randomness), dims, *given)
    if not (isinstance(returned, tuple) and len(returned) == 2):
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
            f"structure compatible with the output. Got a {type(returned)} instead"
        )
    results, out_dims = returned
    several = isinstance(results, tuple | list)
    if several and not isinstance(out_dims, tuple | list):
        out_dims = type(results)([out_dims] * len(results))
    kinds = [type(x) if isinstance(x, tuple | list) else None for x in (results, out_dims)]
    if kinds[0] is not kinds[1] or (several and len(out_dims) != len(results)):
        raise _errors.func.rule_dims(out_dims, results)
    made = []
    for x, dim in zip(results, out_dims) if several else [(results, out_dims)]:
        made.append(x if dim is None else wrap(*mapping.enter(x.movedim(dim, 0)._pair())))
    return type(results)(made) if several else made[0]


def _wholes(mapping: Mapping, pairs: list[Any], is_inside: bool) -> list[Grad]:
    """Return the full batch of each value, with its gradient edge and tangents outside the mapped function.

    With `is_inside`, or if no value has an edge or a tangent, the edges are None.
    """
    if is_inside or not any(edge is not None or forward_mode.carries(value) for value, edge in pairs):
        return [(value.whole, None) for value, _ in pairs]
    mapping.level.is_shared = True
    return mapping.leave(pairs)


# -- the mode of mapped functions --------------------------------------------------------------------------------------


@contextmanager
def opened(level: Level) -> Iterator[None]:
    """Allow operators on batched values of this level in the `with` block."""
    mode = _Mapping()
    enter(mode)
    try:
        with level.opened():
            yield
    finally:
        leave(mode)


class _Mapping(forward_mode.Carrying):
    """A mode in which operators and writes to storages support batched values."""

    def over(self, below: Recorder) -> Recorder:
        write = below.write

        def as_old(storage: Any, value: Value) -> Value:
            value = _as_old(storage.value, value)
            return value if write is None else write(storage, value)

        return super().over(below).but(write=as_old)


def _as_old(old: Value, new: Value) -> Value:
    """Return the new contents of a storage, batched over the same levels as the old contents.

    Raise an error if the new contents are batched over a level over which the old contents are not.
    """
    if old.__class__ is not Row and new.__class__ is not Row:
        return new
    levels = list(levels_of(old))
    if not set(levels_of(new)) <= set(levels):
        raise _errors.func.write_to_unmapped(calls_of_ours())
    for level in levels:
        if level not in levels_of(new):
            new = lift(new, level)
    return new
