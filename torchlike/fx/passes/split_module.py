"""Division of a module into submodules, one for each part of its graph."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule, _attribute
from torchlike.fx.node import Node, map_arg
from torchlike.nn import Module

_OUTSIDE = ("placeholder", "get_attr", "output")


class Partition:
    """A part of a graph: its nodes, and the names of the results that it takes and gives.

    Args:
      name (str): the name of the part.
    """

    def __init__(self, name: str) -> None:
        self.name, self.submod_name = name, f"submod_{name}"
        self.node_names: list[str] = []
        self.nodes: list[Node] = []
        self.inputs: dict[str, Node] = {}
        self.outputs: dict[str, Node] = {}
        self.dependencies: dict[str, None] = {}
        self.dependents: dict[str, None] = {}
        self.graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return (
            f"name: {self.name},\n nodes: {self.node_names},\n inputs: {list(self.inputs)},\n "
            f"outputs: {list(self.outputs)},\n partitions depended on: {list(self.dependencies)},\n "
            f"partition dependents: {list(self.dependents)}"
        )


def split_module(
    m: GraphModule,
    root_m: Module,
    split_callback: Callable[[Node], Hashable],
    qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False,
    keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True,
    *,
    partition_affix: str | None = None,
    tuple_return: bool = False,
) -> GraphModule:
    """Return a module that calls one submodule for each part of a graph.

    Attributes are read outside the submodules and passed to them.

    Args:
      m (GraphModule): the module. It does not change.
      root_m (Module): the module to which the names in the graph refer, usually `m`.
      split_callback (function): maps a node to the number or name of its part. It is called for calls only.
      qualname_map (dict, optional): receives the original dotted names of submodules, by their new names.
      keep_original_order: order the submodules by their first nodes. Otherwise the order only follows the data.
      keep_original_node_name: nodes keep their names in the submodules.
      keep_original_input_name: parameters of submodules are named as the results that they take, not `arg_0`, `arg_1`.
      partition_affix (str, optional): is added to the names of submodules: `submod_{affix}_{part}`.
      tuple_return: submodules with a single result return a tuple too.

    Raises:
      RuntimeError: two parts depend on each other.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> part = {"relu": 0, "add": 1}
    >>> split = torch.fx.passes.split_module.split_module(traced, traced, lambda node: part[node.name])
    >>> print(split.code.strip())
    def forward(self, x):
        submod_0 = self.submod_0(x);  x = None
        submod_1 = self.submod_1(submod_0);  submod_0 = None
        return submod_1
    """
    parts = _divided(m.graph, split_callback)
    for part in parts.values():
        if partition_affix is not None:
            part.submod_name = f"submod_{partition_affix}_{part.name}"
        _fill(part, root_m, bool(keep_original_node_name), keep_original_input_name, tuple_return)
        for node in part.nodes:
            if qualname_map is not None and node.op == "call_module":
                qualname_map[f"{part.submod_name}.{str(node.target).replace('.', '_')}"] = str(node.target)
    return _joined(m.graph, root_m, _sorted(parts, bool(keep_original_order)), bool(keep_original_order), tuple_return)


def _divided(graph: Graph, split_callback: Callable[[Node], Hashable]) -> dict[str, Partition]:
    """Return the parts of a graph by name, with the results that each takes and gives."""
    parts: dict[str, Partition] = {}
    of: dict[Node, Partition] = {}
    for node in graph.nodes:
        if node.op not in _OUTSIDE:
            name = str(split_callback(node))
            of[node] = parts.setdefault(name, Partition(name))
            of[node].nodes.append(node)
            of[node].node_names.append(node.name)
    for user in graph.nodes:
        for made in user.all_input_nodes:
            source, taker = of.get(made), of.get(user)
            if source is taker:
                continue
            if source is not None:
                source.outputs[made.name] = made
            if taker is not None:
                taker.inputs[made.name] = made
            if source is not None and taker is not None:
                source.dependents[taker.name] = taker.dependencies[source.name] = None
    return parts


def _sorted(parts: dict[str, Partition], keep_order: bool) -> list[Partition]:
    """Return the parts such that each follows those on which it depends."""
    waits = {name: dict(part.dependencies) for name, part in parts.items()}
    ready = [name for name in parts if not waits[name]]
    places = {name: place for place, name in enumerate(parts)}
    found: list[Partition] = []
    while ready:
        name = ready.pop(ready.index(min(ready, key=places.__getitem__)) if keep_order else -1)
        found.append(parts[name])
        for later in parts[name].dependents:
            del waits[later][name]
            if not waits[later]:
                ready.append(later)
    if len(found) != len(parts):
        raise RuntimeError("cycle exists between partitions!")
    return found


def _fill(part: Partition, root: Module, keep_names: bool, keep_inputs: bool, tuple_return: bool) -> None:
    """Create the graph of a part."""
    known = part.environment
    for i, taken in enumerate(part.inputs.values()):
        known[taken] = part.graph.placeholder(taken.name if keep_inputs else f"arg_{i}", taken.type)
        known[taken].meta = dict(taken.meta)
    for node in part.nodes:
        args, kwargs = map_arg((node.args, node.kwargs), known.__getitem__)
        target: Any = node.target
        if node.op == "call_module":
            target = str(node.target).replace(".", "_")
            part.targets[target] = _attribute(root, str(node.target))
        name = node.name if keep_names else None
        known[node] = part.graph.create_node(node.op, target, args, kwargs, name, node.type)
        known[node].meta = dict(node.meta)
    results = tuple(known[node] for node in part.outputs.values())
    part.graph.output(results[0] if len(results) == 1 and not tuple_return else results)


def _joined(graph: Graph, root: Module, parts: list[Partition], keep_order: bool, tuple_return: bool) -> GraphModule:
    """Return a module with the parts as submodules. With `keep_order`, attributes are read where they are needed."""
    base, attributes, known = Graph(), {}, {}

    def read(nodes: Iterable[Node]) -> None:
        for node in nodes:
            if node.op == "get_attr" and node not in known:
                attributes[str(node.target)] = _attribute(root, str(node.target))
                known[node] = base.node_copy(node)

    known.update({node: base.node_copy(node) for node in graph.nodes if node.op == "placeholder"})
    if not keep_order:
        read(graph.nodes)
    for part in parts:
        read(part.inputs.values())
        attributes[part.submod_name] = GraphModule(part.targets, part.graph)
        result = base.call_module(part.submod_name, tuple(known[taken] for taken in part.inputs.values()))
        for i, made in enumerate(part.outputs.values()):
            plain = len(part.outputs) == 1 and not tuple_return
            known[made] = result if plain else base.call_function(operator.getitem, (result, i))
    read(graph.nodes)
    for node in graph.find_nodes(op="output"):
        base.output(map_arg(node.args[0], known.__getitem__)).meta = dict(node.meta)
    return GraphModule(attributes, base)


__all__ = ["Partition", "split_module"]
