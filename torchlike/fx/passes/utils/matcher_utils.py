"""`SubgraphMatcher`, which finds the subgraphs that match a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import _attribute
from torchlike.fx.node import Node

_OUTSIDE = ("placeholder", "output")


@dataclass
class InternalMatch:
    """A match of a pattern.

    Args:
      anchors (list of Node): the last nodes of the pattern.
      nodes_map (dict): the nodes of the graph by the nodes of the pattern.
      placeholder_nodes (list): the nodes or literals that the placeholders of the pattern match.
      returning_nodes (list of Node): the nodes that the results of the pattern match.
      name_node_map (dict): nodes by name. It is empty.
    """

    anchors: list[Node]
    nodes_map: dict[Node, Any] = field(default_factory=dict)
    placeholder_nodes: list[Any] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Node] = field(default_factory=dict)


class SubgraphMatcher:
    """A search for the subgraphs that match a pattern.

    Args:
      pattern (Graph): the pattern.
      match_output (bool): whether the output node is a part of the pattern.
      match_placeholder (bool): whether a placeholder matches placeholders only. Otherwise it matches any value.
      remove_overlapping_matches (bool): return only the first of matches that share nodes.
      ignore_literals (bool): whether arguments that are not nodes match any value.

    Raises:
      ValueError: the pattern is empty.

    >>> import torchlike as torch
    >>> from torchlike.fx.passes.utils.matcher_utils import SubgraphMatcher
    >>> pattern = torch.fx.symbolic_trace(lambda x: torch.relu(x))
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(torch.relu(x) + 1))
    >>> [match.returning_nodes for match in SubgraphMatcher(pattern.graph).match(traced.graph)]
    [[relu], [relu_1]]
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ) -> None:
        if not pattern.nodes:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        self.pattern, self.match_output, self.match_placeholder = pattern, match_output, match_placeholder
        self.remove_overlapping_matches, self.ignore_literals = remove_overlapping_matches, ignore_literals
        for node in pattern.nodes:
            if node.op != "output" and not node.users:
                raise AssertionError("SubgraphMatcher cannot be initialized with an pattern with dead code")
        end = pattern.output_node()
        self.pattern_placeholder_nodes = [node for node in pattern.nodes if node.op == "placeholder"]
        self.pattern_returning_nodes = end.all_input_nodes
        single = [node for node in end.all_input_nodes if len(node.users) == 1]
        self.pattern_anchors = [end] if match_output else single

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """Return the matches in a graph.

        Only the results of a match are used outside of it.

        Args:
          graph (Graph): the graph.
          node_name_match (str): a node whose name contains this text matches any node of the pattern. Default: none.
        """
        found = [self._made(each) for each in self._from_anchor(0, {}, graph.nodes, node_name_match)]
        found = [each for each in found if self._is_contained(each.nodes_map) and _has_no_cycle(each.nodes_map)]
        if not self.remove_overlapping_matches:
            return found
        apart, taken = [], set()
        for each in found:
            own = {gn for pn, gn in each.nodes_map.items() if pn.op not in _OUTSIDE}
            if not own & taken:
                apart.append(each)
                taken |= own
        return apart

    def _made(self, found: dict[Node, Any]) -> InternalMatch:
        given = [found[each] for each in self.pattern_placeholder_nodes]
        return InternalMatch(self.pattern_anchors, found, given, [found[each] for each in self.pattern_returning_nodes])

    def _from_anchor(self, place: int, found: dict, nodes: list[Node], name: str) -> Iterator[dict[Node, Any]]:
        """Yield the maps of nodes that extend `found` to the anchors from the given place on."""
        if place == len(self.pattern_anchors):
            if place:
                yield found
            return
        for node in nodes:
            longer = dict(found)
            if self._nodes_match(self.pattern_anchors[place], node, longer, name):
                yield from self._from_anchor(place + 1, longer, nodes, name)

    def _are_equal(self, pn: Node, gn: Node, name: str) -> bool:
        if (pn.op == "placeholder" and not self.match_placeholder) or (name and name in gn.name):
            return True
        if pn.op != gn.op:
            return False
        if pn.op == "get_attr":
            return self._have_equal_attributes(pn, gn)
        return pn.op in _OUTSIDE or pn.target == gn.target

    def _have_equal_attributes(self, pn: Node, gn: Node) -> bool:
        from torchlike import Tensor

        values = [_attribute(node.graph.owning_module, str(node.target)) for node in (pn, gn)]
        if type(values[0]) is not type(values[1]):
            return False
        if not isinstance(values[0], Tensor):
            raise RuntimeError(f"Unsupported type {values[0]} when matching attributes")
        return True

    def _nodes_match(self, pn: Node, gn: Node, found: dict[Node, Any], name: str = "") -> bool:
        """Return whether a node of the graph matches one of the pattern. Add the pairs to `found`."""
        if pn in found:
            return found[pn] is gn
        if any(gn is each for each in found.values()) or not self._are_equal(pn, gn, name):
            return False
        found[pn] = gn
        if pn.op == "placeholder":
            return True
        if len(pn.args) != len(gn.args) or list(pn.kwargs) != list(gn.kwargs):
            return False
        return self._arguments_match([*pn.args, *pn.kwargs.values()], [*gn.args, *gn.kwargs.values()], found)

    def _arguments_match(self, wanted: Any, given: Any, found: dict[Node, Any]) -> bool:
        return len(wanted) == len(given) and all(self._argument_matches(a, b, found) for a, b in zip(wanted, given))

    def _argument_matches(self, wanted: Any, given: Any, found: dict[Node, Any]) -> bool:
        if isinstance(wanted, Node) and isinstance(given, Node):
            return self._nodes_match(wanted, given, found)
        if isinstance(wanted, list | tuple) and isinstance(given, list | tuple):
            return self._arguments_match(wanted, given, found)
        if isinstance(wanted, Node):
            if wanted.op == "placeholder":
                return found.setdefault(wanted, given) == given or self.ignore_literals
            return self.ignore_literals
        return self.ignore_literals or (type(given) is type(wanted) and given == wanted)

    def _is_contained(self, found: dict[Node, Any]) -> bool:
        own = {gn: pn for pn, gn in found.items() if pn.op != "placeholder"}
        inner = [gn for gn, pn in own.items() if pn not in self.pattern_returning_nodes]
        return all(user in own for gn in inner for user in gn.users)


def _has_no_cycle(found: dict[Node, Any]) -> bool:
    """Return whether no node outside of a match uses one of its results and computes one of its arguments."""
    own = {gn for pn, gn in found.items() if pn.op not in _OUTSIDE}
    seen: set[Node] = set()
    stack = [user for node in own for user in node.users if user not in own]
    while stack:
        node = stack.pop()
        if node in own:
            return False
        if node not in seen:
            seen.add(node)
            stack.extend(node.users)
    return True


__all__ = ["InternalMatch", "SubgraphMatcher"]
