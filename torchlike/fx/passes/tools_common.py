"""Functions that several passes use."""

from __future__ import annotations

import collections
import heapq
import operator
from collections.abc import Mapping
from typing import Any

from torchlike import Tensor
from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule
from torchlike.fx.node import Node, qualified_name
from torchlike.nn import Module

CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def get_node_target(submodules: Mapping[str, Module], node: Node) -> str:
    """Return the name of the target that a node calls: the type of a module, a qualified name, or a method's name.

    Args:
      submodules (dict): the modules by dotted name, as `dict(module.named_modules())` gives them.
      node (Node): a call.

    Raises:
      AssertionError: the node is not a call.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU()))
    >>> call = traced.graph.find_nodes(op="call_module")[0]
    >>> torch.fx.passes.tools_common.get_node_target(dict(traced.named_modules()), call)
    'torch.nn.modules.activation.ReLU'
    """
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(
            f"Expect op types of {', '.join(['call_method', 'call_function', 'call_module'])}, but found {node.op}"
        )
    if node.op == "call_method":
        return str(node.target)
    if node.op == "call_module":
        kind: Any = type(submodules[str(node.target)])
        return f"{kind.__module__}.{kind.__qualname__}".replace("torchlike.", "torch.", 1)
    target: Any = node.target
    name = qualified_name(target)
    return name.replace("operator.", "_operator.", 1) if getattr(operator, target.__name__, None) is target else name


def is_node_output_tensor(node: Node) -> bool:
    """Return whether a node's result is a tensor, by the type that `ShapeProp` has found.

    Args:
      node (Node): the node.
    """
    kind = node.meta.get("type", None)
    return kind is not None and issubclass(kind, Tensor)


_FIRST = tuple(
    getattr(operator, name)
    for name in ("add", "mul", "sub", "floordiv", "truediv", "mod", "le", "lt", "ge", "gt", "eq", "ne")
)


def _waits(graph: Graph) -> dict[Node, int]:
    """Return for each node the number of nodes whose results it uses."""
    return {node: len(node.all_input_nodes) for node in graph.nodes}


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Sort the nodes of a module such that each follows those whose results it uses, level by level.

    Args:
      gm (GraphModule): the module, which gets a new graph.

    Returns:
      The module.

    Raises:
      RuntimeError: the graph has cycles.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x).sum() + x)
    >>> legalize_graph(traced).graph.nodes
    [x, relu, sum_1, add, output]
    """
    waits, made, copies = _waits(gm.graph), Graph(), {}
    queue = collections.deque(node for node in waits if waits[node] == 0)
    while queue:
        node = queue.popleft()
        copies[node] = made.node_copy(node, copies.__getitem__)
        for user in node.users:
            waits[user] -= 1
            if waits[user] == 0:
                is_first = user.op == "call_function" and user.target in _FIRST
                (queue.appendleft if is_first else queue.append)(user)
    if len(made.nodes) < len(waits):
        raise RuntimeError(f"Input graph has cycles, unable to add {[node for node in waits if waits[node] != 0]}")
    gm.graph = made
    return gm


def stable_topological_sort(gm: GraphModule) -> GraphModule:
    """Sort the nodes of a module such that each follows those whose results it uses. Otherwise keep the order.

    Args:
      gm (GraphModule): the module, which gets a new graph.

    Returns:
      The module.

    Raises:
      AssertionError: the graph has cycles.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x).sum() + x)
    >>> stable_topological_sort(traced).graph.nodes
    [x, relu, sum_1, add, output]
    """
    waits, made, copies = _waits(gm.graph), Graph(), {}
    nodes = list(waits)
    places = {node: place for place, node in enumerate(nodes)}
    ready = [places[node] for node in nodes if waits[node] == 0]
    while ready:
        node = nodes[heapq.heappop(ready)]
        copies[node] = made.node_copy(node, copies.__getitem__)
        for user in node.users:
            waits[user] -= 1
            if waits[user] == 0:
                heapq.heappush(ready, places[user])
    if len(made.nodes) != len(nodes):
        raise AssertionError(f"Input graph has cycles, unable to add {[node for node in waits if waits[node] != 0]}")
    gm.graph = made
    return gm


__all__ = [
    "CALLABLE_NODE_OPS",
    "get_node_target",
    "is_node_output_tensor",
    "legalize_graph",
    "stable_topological_sort",
]
