"""Replacement of all subgraphs that match a pattern."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from torchlike.nn import Module

from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .passes.utils.matcher_utils import InternalMatch, SubgraphMatcher


class Match(NamedTuple):
    """A match of a pattern: the node of its result, and a map from the pattern's nodes to the graph's nodes."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A replaced match of a pattern.

    Args:
      anchor (Node): the last node of the pattern.
      nodes_map (dict): the nodes of the graph by the nodes of the pattern.
      replacements (list of Node): the nodes that replace the match.
    """

    anchor: Node
    nodes_map: dict[Node, Any]
    replacements: list[Node]


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
    found = replace_pattern_with_filters(gm, pattern, replacement)
    return [Match(each.anchor, each.nodes_map) for each in found]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Callable | Graph | GraphModule,
    replacement: Callable | Graph | GraphModule | None = None,
    match_filters: list[Callable[[InternalMatch, Graph, Graph], bool]] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """Replace those matches of a pattern for which all filters return True.

    Args:
      gm (GraphModule): the module, which is changed in place.
      pattern (function, Graph or GraphModule): the operations that are replaced.
      replacement (function, Graph or GraphModule, optional): the new operations.
      match_filters (list of functions, optional): each takes a match, the graph, and the graph of the pattern.
      ignore_literals (bool): whether arguments that are not nodes match any value.
      replacement_callback (function, optional): returns the new operations for a match. It takes the same arguments.
      node_name_match (str): a node whose name contains this text matches any node of the pattern. Default: none.

    Returns:
      The replaced matches, in the order of the graph.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x + 1) + torch.relu(x))
    >>> found = torch.fx.subgraph_rewriter.replace_pattern_with_filters(
    ...     traced,
    ...     lambda x: torch.relu(x),
    ...     lambda x: torch.sigmoid(x),
    ...     [lambda match, graph, pattern: match.placeholder_nodes[0].op == "placeholder"],
    ... )
    >>> len(found), traced(torch.zeros(1))
    (1, tensor([1.5000]))
    """
    wanted = _graph(pattern)
    matches = [
        match
        for match in SubgraphMatcher(wanted, ignore_literals=ignore_literals).match(gm.graph, node_name_match)
        if all(accepts(match, gm.graph, wanted) for accepts in match_filters or [])
    ]
    if replacement is None and replacement_callback is None:
        raise AssertionError("Must provide either a replacement GraphModule or a replacement callback")
    common = None if replacement is None else _graph(replacement)
    changed: dict[Node, Node] = {}
    found: list[ReplacedPatterns] = []
    for match in matches:
        instead = common if replacement_callback is None else replacement_callback(match, gm.graph, wanted)
        assert instead is not None
        found.append(_replace(gm.graph, wanted, match, instead, changed))
    gm.recompile()
    if isinstance(replacement, Module):
        _copy_attributes(gm, replacement)
    return found


def _graph(given: Callable | Graph | GraphModule) -> Graph:
    if isinstance(given, Graph):
        return given
    return given.graph if isinstance(given, GraphModule) else symbolic_trace(given).graph


def _replace(
    graph: Graph, wanted: Graph, match: InternalMatch, instead: Graph, changed: dict[Node, Node]
) -> ReplacedPatterns:
    """Replace one match. `changed` has the results that replace those of the earlier matches."""
    own = [node for node in instead.nodes if node.op == "placeholder"]
    if len(own) != len(match.placeholder_nodes):
        raise AssertionError(f"Placeholder count mismatch: {len(match.placeholder_nodes)} vs {len(own)}")
    match.placeholder_nodes = [
        changed.get(each, each) if isinstance(each, Node) else each for each in match.placeholder_nodes
    ]
    for pattern_node, node in match.nodes_map.items():
        if isinstance(node, Node) and pattern_node.op == "placeholder":
            match.nodes_map[pattern_node] = changed.get(node, node)
    val_map = dict(zip(own, match.placeholder_nodes))
    with graph.inserting_before(_first_user(graph, match.returning_nodes)):
        made = graph.graph_copy(instead, val_map)
    results = (made,) if isinstance(made, Node) else tuple(made)
    new = [each for each in val_map.values() if not any(each is given for given in match.placeholder_nodes)]
    if len(results) != len(match.returning_nodes):
        raise AssertionError(f"Returning nodes count mismatch: {len(match.returning_nodes)} vs {len(results)}")
    for node, result in zip(match.returning_nodes, results):
        node.replace_all_uses_with(result)
        changed[node] = result
    for node in reversed(wanted.nodes):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(match.nodes_map[node])
    return ReplacedPatterns(match.anchors[0], match.nodes_map, new)


def _first_user(graph: Graph, results: list[Node]) -> Node:
    """Return the first node that uses one of the results, or the node after the last result."""
    users = {user for node in results for user in node.users}
    if users:
        return min(users, key=graph.nodes.index)
    return max(results, key=graph.nodes.index).next


def _copy_attributes(gm: GraphModule, replacement: Module) -> None:
    """Copy the attributes of the replacement that the new nodes of a module use and that it does not have."""
    gm.delete_all_unused_submodules()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        target = str(node.target)
        if _attribute(gm, target) is not None:
            continue
        found = _attribute(replacement, target)
        if found is None:
            raise RuntimeError(
                'Attempted to create a "',
                node.op,
                f'" node during subgraph rewriting with target {node.target}, but the referenced attribute does not '
                "exist in the replacement GraphModule",
            )
        if isinstance(found, Module):
            gm.add_submodule(target, copy.deepcopy(found))
        else:
            setattr(gm, target, copy.deepcopy(found))
    gm.graph.lint()


def _attribute(module: Module, target: str) -> Any:
    path, _, name = target.rpartition(".")
    try:
        return getattr(module.get_submodule(path), name, None)
    except AttributeError:
        return None
