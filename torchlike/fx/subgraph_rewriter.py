"""Replacement of all subgraphs that match a pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, map_arg


class Match(NamedTuple):
    """A match of a pattern: the node of its result, and a map from the pattern's nodes to the graph's nodes."""

    anchor: Node
    nodes_map: dict[Node, Node]


def replace_pattern(
    gm: GraphModule, pattern: Callable | GraphModule, replacement: Callable | GraphModule
) -> list[Match]:
    """Replace all matches of a pattern in a module's graph. The module is recompiled.

    A match has the same functions and constants as the pattern. Other parts of the graph must not use its inner
    results.

    Args:
      gm (GraphModule): the module, which is changed in place.
      pattern (function or GraphModule): the operations that are replaced. Its parameters match any value.
      replacement (function or GraphModule): the new operations. Its parameters stand for those of `pattern`, in order.

    Returns:
      The matches, in the order of the graph.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> matches = torch.fx.replace_pattern(traced, lambda x: torch.relu(x), lambda x: torch.sigmoid(x))
    >>> len(matches), traced(torch.zeros(1))
    (1, tensor([1.5000]))
    """
    wanted, instead = _graph(pattern), _graph(replacement)
    matches: list[Match] = []
    taken: set[Node] = set()
    end = wanted.output_node().args[0]
    for node in reversed(gm.graph.nodes):
        found: dict[Node, Node] = {}
        if isinstance(end, Node) and _alike(end, node, found) and _apart(found, end, taken):
            matches.insert(0, Match(node, found))
            taken |= {n for p, n in found.items() if p.op != "placeholder"}
    inputs = [n for n in wanted.nodes if n.op == "placeholder"]
    for match in matches:
        _replace(gm.graph, match, inputs, instead)
    gm.graph.eliminate_dead_code()
    gm.recompile()
    return matches


def _graph(given: Callable | GraphModule) -> Graph:
    return given.graph if isinstance(given, GraphModule) else symbolic_trace(given).graph


def _alike(wanted: Node, node: Node, found: dict[Node, Node]) -> bool:
    """Return whether `node` matches the node `wanted` of the pattern. Add the pairs of matching nodes to `found`."""
    if wanted in found:
        return found[wanted] is node
    if wanted.op != "placeholder":
        if (wanted.op, wanted.target) != (node.op, node.target):
            return False
        if not _same((wanted.args, wanted.kwargs), (node.args, node.kwargs), found):
            return False
    found[wanted] = node
    return True


def _same(a: Any, b: Any, found: dict[Node, Node]) -> bool:
    if isinstance(a, Node):
        return isinstance(b, Node) and _alike(a, b, found)
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(_same(x, y, found) for x, y in zip(a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(_same(a[k], b[k], found) for k in a)
    return type(a) is type(b) and a == b


def _apart(found: dict[Node, Node], end: Node, taken: set[Node]) -> bool:
    """Return whether the nodes of a match belong to no other match, and its intermediate nodes have no other users."""
    inner = {n for p, n in found.items() if p.op != "placeholder"}
    kept = inner - {found[end]}
    return not inner & taken and all(user in inner for n in kept for user in n.users)


def _replace(graph: Graph, match: Match, inputs: list[Node], instead: Graph) -> None:
    own = [n for n in instead.nodes if n.op == "placeholder"]
    val_map = {new: match.nodes_map[old] for new, old in zip(own, inputs)}
    with graph.inserting_before(match.anchor):
        result = graph.graph_copy(instead, val_map)
    made = map_arg(result, lambda n: n)
    match.anchor.replace_all_uses_with(made)
    for later in (match.anchor,):
        graph.erase_node(later)
