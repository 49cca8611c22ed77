"""The mode that adds each operator that runs to a graph."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike import fx
from torchlike._dtypes.recorder import Mode, Recorder
from torchlike._random import _stand_ins
from torchlike._tensor.tensor import wrap
from torchlike.fx.experimental._aten_names import Drawn, Recorded, named
from torchlike.fx.passes.shape_prop import _extract_tensor_metadata
from torchlike.ops import OpOverload, aten


class GraphRecorder(Mode):
    """A mode in which operators run as usual, and each adds nodes to a graph. Values map to nodes by identity.

    Args:
      known: the tensors that the function refers to, which become attributes of the graph's module.
    """

    generalizes = True

    def __init__(self, known: Sequence[Any]) -> None:
        self.graph, self.root = fx.Graph(), torchlike.nn.Module()
        self.nodes: dict[int, fx.Node] = {}  # by the identity of a value
        self.drawn: dict[int, fx.Node] = {}  # by the identity of a sampled array
        self.kept: list = []  # keeps the identities unique
        self.known = {id(tensor._storage.value): tensor for tensor in known if tensor._chain is None}
        self.made: set[fx.Node] = set()  # the attributes for tensors that the function makes
        self.counts = {"_param_constant": 0, "_tensor_constant": 0}

    def over(self, below: Recorder) -> Recorder:
        """Return a recorder that also adds nodes. Transforms such as `vmap` end by calling `append`."""

        def append(plan: Any, values: Sequence, scalars: Sequence = ()) -> tuple:
            results = below.append(plan, values, scalars)
            self.add(plan, values, scalars, results)
            return results

        def one(plan: Any, values: Sequence, scalars: Sequence = ()) -> Any:
            return append(plan, values, scalars)[0]

        functions: dict[str, Any] = {"append": append, "append_one": one, "moves": False, "write": self._write}
        if below.record is below.append:
            functions |= {"record": append, "record_one": one}
        return below.but(**functions)

    def hold(self, value: Any, node: fx.Node) -> None:
        """Set the node of a value, and describe the value in the metadata of a new node."""
        self.nodes[id(value)] = node
        node.meta.setdefault("tensor_meta", _extract_tensor_metadata(wrap(value)))
        self.kept.append(value)

    def node(self, value: Any) -> fx.Node:
        """Return the node of a value. A value from outside becomes an attribute."""
        found = self.nodes.get(id(value))
        if found is None:
            array = value.array
            found = self.drawn.get(id(array)) or self.drawn.get(id(getattr(array, "base", None)))
            found = found if found is not None else self._constant(value)
            self.hold(value, found)
        return found

    def _constant(self, value: Any) -> fx.Node:
        tensor = self.known.get(id(value))
        kind = "_param_constant" if isinstance(tensor, torchlike.nn.Parameter) else "_tensor_constant"
        name = f"{kind}{self.counts[kind]}"
        self.counts[kind] += 1
        setattr(self.root, name, wrap(value) if tensor is None else tensor)
        node = self.graph.get_attr(name)
        if tensor is None:
            self.made.add(node)
        return node

    def add(self, plan: Any, values: Sequence, scalars: Sequence, results: Sequence) -> None:
        """Add the nodes of an operator."""
        inputs = [self.node(value) for value in values]
        if getattr(plan, "chain", ()):
            self.hold(results[0], self._written(plan, inputs, scalars))
            return
        made = named(plan, inputs, scalars, self.emit)
        if len(results) == 1:
            self.hold(results[0], made)
            return
        for i, result in enumerate(results):
            self.hold(result, self.graph.call_function(operator.getitem, (made, i)))

    def emit(self, target: Callable, *args: Any, **kwargs: Any) -> fx.Node:
        """Add a node that calls a function."""
        name = target.overloadpacket.__name__ if isinstance(target, OpOverload) else getattr(target, "__name__", None)
        return self.graph.create_node("call_function", target, args, kwargs, name)

    def draw(self, draw: Callable, *args: Any, **kwargs: Any) -> Any:
        """Sample, and add a node that samples again."""
        array = draw(*args, **kwargs)
        self.drawn[id(array)] = self.emit(Drawn(draw, args, kwargs))
        self.kept.append(array)
        return array

    def _written(self, plan: Any, inputs: Sequence, scalars: Sequence) -> fx.Node:
        """Add a write through views: a copy into the view of the base, whose node stays the same.

        Views without an ATen name are written by an operator that computes the new contents of the whole base.
        """
        base, part = inputs
        if base in self.made:
            base = self.emit(aten.clone.default, base)
        last = next(reversed(self.graph.nodes))
        source = part.args[0] if part is last and part.args else None
        view, rest, made = base, iter(scalars), []
        for step in plan.chain:
            view = named(step, [view], [next(rest) for _ in step.scalars], self.emit)
            made.append(view)
        if any(isinstance(node.target, Recorded) for node in made):  # such a node returns a copy instead of a view
            for node in reversed(made):
                self.graph.erase_node(node)
            self.emit(aten.copy_.default, base, self.emit(Recorded(plan, scalars), base, part))
            return base
        if isinstance(source, fx.Node) and len(made) == 1 and (source.target, source.args) == (view.target, view.args):
            self.graph.erase_node(view)
            if self._in_place(source, part) is not None:
                return base
            view = source
        self.emit(aten.copy_.default, view, part)
        return base

    def _write(self, storage: Any, value: Any) -> Any:
        """Add a write to a whole tensor, which other tensors may share."""
        old = self.nodes.get(id(storage.value))
        if old is not None:
            new = self.node(value)
            if old in self.made:  # each call of the graph has the contents anew
                self.hold(value, new)
            elif new is not old:
                in_place = self._in_place(old, new)
                self.hold(value, in_place if in_place is not None else self.emit(aten.copy_.default, old, new))
        return value

    def _in_place(self, old: fx.Node, new: fx.Node) -> fx.Node | None:
        """Turn the node that computed the new contents from the old ones into one that runs in place, if it can."""
        target: Any = new.target
        if new is not next(reversed(self.graph.nodes)) or not isinstance(target, OpOverload) or new.args[:1] != (old,):
            return None
        name = target.overloadpacket.__name__ + "_"
        if not hasattr(torchlike.Tensor, name):
            return None
        made = self.emit(getattr(getattr(aten, name), target._overloadname), *new.args, **new.kwargs)
        new.replace_all_uses_with(made)
        self.nodes.update({key: made for key, node in self.nodes.items() if node is new})
        self.graph.erase_node(new)
        return made


class watching:
    """A context manager in which a recorder sees random samples."""

    def __init__(self, recorder: GraphRecorder) -> None:
        self.recorder = recorder

    def __enter__(self) -> None:
        self.before, _stand_ins.local.watch = _stand_ins.local.watch, self.recorder.draw

    def __exit__(self, *_: object) -> None:
        _stand_ins.local.watch = self.before
