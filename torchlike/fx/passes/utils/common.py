"""Modules for subgraphs, and the comparison of graphs."""

from __future__ import annotations

from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule, _copy_attr
from torchlike.nn import Module

from .matcher_utils import SubgraphMatcher


class HolderModule(Module):
    """A module that only holds submodules.

    Args:
      d (dict): the submodules by name.
    """

    def __init__(self, d: dict[str, Module]) -> None:
        super().__init__()
        for name, module in d.items():
            self.add_module(name, module)


def lift_subgraph_as_module(
    gm: GraphModule, subgraph: Graph, comp_name: str = "", class_name: str = "GraphModule"
) -> tuple[GraphModule, dict[str, str]]:
    """Return a module for a subgraph, and a map from the names of its attributes to their names in the parts.

    Args:
      gm (GraphModule): the module that has the attributes.
      subgraph (Graph): the subgraph.
      comp_name (str): the name of the part, which begins the names in the parts.
      class_name (str): the name of the class.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.ReLU()))
    >>> made, names = torch.fx.passes.utils.lift_subgraph_as_module(traced, traced.graph, 'part')
    >>> made(torch.tensor([-1.0, 1.0])), names
    (tensor([0., 1.]), {'0': 'part.0'})
    """
    root, names = HolderModule({}), {}
    for node in subgraph.nodes:
        if node.op in ("call_module", "get_attr"):
            target = str(node.target)
            names[target] = f"{comp_name}.{target}"
            _copy_attr(gm, root, target)
    return GraphModule(root, subgraph, class_name), names


def compare_graphs(left: Graph, right: Graph) -> bool:
    """Return whether two graphs have the same structure.

    Args:
      left, right (Graph): the graphs.

    >>> import torchlike as torch
    >>> first, second = (torch.fx.symbolic_trace(lambda x: torch.relu(x)).graph for _ in range(2))
    >>> torch.fx.passes.utils.compare_graphs(first, second)
    True
    """
    return len(SubgraphMatcher(left, match_output=True, match_placeholder=True).match(right)) > 0


__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]
