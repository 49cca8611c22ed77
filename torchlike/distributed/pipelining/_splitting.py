"""Division of a graph into stages."""

from __future__ import annotations

import copy
import operator
from typing import Any

from torchlike.fx import Graph, GraphModule, Node
from torchlike.fx.node import nodes_in
from torchlike.nn import Module

from ._tracing import pipe_split

PREFIX = "submod_pp_"
_OUTSIDE = ("placeholder", "get_attr", "output")


def divided(root: Module, graph: Graph) -> GraphModule:
    """Return a module that calls a submodule for each stage. Parameters keep their dotted names in the submodules."""
    stages = _stages(graph)
    of = {node: i for i, nodes in enumerate(stages) for node in nodes}
    whole = Graph()
    values = {node: whole.node_copy(node) for node in graph.nodes if node.op == "placeholder"}
    results = [node for node in nodes_in(next(node for node in graph.nodes if node.op == "output").args)]
    submodules: dict[str, Any] = {}
    for i, nodes in enumerate(stages):
        inputs = _inputs(graph, nodes, of, i)
        users = lambda node: [of.get(user, -1) for user in node.users if user.op != "output"]
        outputs = [n for n in nodes if any(user != i for user in users(n)) and n not in results]
        outputs += [n for n in dict.fromkeys(results) if of.get(n) == i]
        submodules[f"{PREFIX}{i}"] = GraphModule(root, _graph_of(nodes, inputs, outputs))
        call = whole.call_module(f"{PREFIX}{i}", tuple(values[node] for node in inputs))
        for place, node in enumerate(outputs):
            values[node] = call if len(outputs) == 1 else whole.call_function(operator.getitem, (call, place))
    whole.output(tuple(values[node] for node in results))
    return GraphModule(submodules, whole)


def _stages(graph: Graph) -> list[list[Node]]:
    """Return the nodes of each stage. Stages without nodes are left out."""
    stages: list[list[Node]] = [[]]
    for node in graph.nodes:
        if (node.op, node.target) == ("call_function", pipe_split):
            stages.append([])
        elif node.op not in _OUTSIDE:
            stages[-1].append(node)
    return [nodes for nodes in stages if nodes] or [[]]


def _inputs(graph: Graph, nodes: list[Node], of: dict[Node, int], stage: int) -> list[Node]:
    """Return the nodes outside a stage that it uses, in the order of the graph."""
    used = {x for node in nodes for x in node.all_input_nodes if x.op != "get_attr" and of.get(x) != stage}
    return [node for node in graph.nodes if node in used]


def _graph_of(nodes: list[Node], inputs: list[Node], outputs: list[Node]) -> Graph:
    """Return the graph of a stage. It reads the attributes that it needs from its own module."""
    graph = Graph()
    values: dict[Node, Node] = {}
    for node in inputs:
        is_input = node.op == "placeholder"
        values[node] = graph.node_copy(node) if is_input else graph.placeholder(node.name)
    for node in nodes:
        for x in node.all_input_nodes:
            if x.op == "get_attr" and x not in values:
                values[x] = graph.node_copy(x)
        values[node] = graph.node_copy(node, values.__getitem__)
    found = tuple(values[node] for node in outputs)
    graph.output(found[0] if len(found) == 1 else found)
    return graph


def separate_shared(whole: GraphModule) -> list[dict[str, str]]:
    """Copy the parameters that several stages use, and return their names by stage."""
    users: dict[int, dict[str, str]] = {}
    for name, stage in whole.named_children():
        for path, parameter in stage.named_parameters():
            users.setdefault(id(parameter), {})[name] = path
    shared = [each for each in users.values() if len(each) > 1]
    for each in shared:
        for name, path in each.items():
            owner, _, last = path.rpartition(".")
            module = whole.get_submodule(name).get_submodule(owner)
            setattr(module, last, copy.deepcopy(getattr(module, last)))
    return shared
