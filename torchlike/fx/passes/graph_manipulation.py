"""The sizes of the results and parameters of nodes, and the replacement of targets."""

from __future__ import annotations

from typing import Any, NamedTuple

import torchlike
from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule
from torchlike.fx.node import Node, Target, map_arg

from .shape_prop import ShapeProp, TensorMetadata


def replace_target_nodes_with(
    fx_module: GraphModule, old_op: str, old_target: Target, new_op: str, new_target: Target
) -> None:
    """Change the kind and target of all nodes that have a kind and target.

    Args:
      fx_module (GraphModule): the module, which gets a new graph.
      old_op (str): the kind of the nodes.
      old_target: their target.
      new_op (str): the new kind.
      new_target: the new target.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x))
    >>> replace_target_nodes_with(traced, "call_function", torch.relu, "call_function", torch.sigmoid)
    >>> traced(torch.zeros(1))
    tensor([0.5000])
    """
    made, copies = Graph(), {}
    for node in fx_module.graph.nodes:
        if (node.op, node.target) == (old_op, old_target):
            args, kwargs = map_arg((node.args, node.kwargs), copies.__getitem__)
            copies[node] = made.create_node(new_op, new_target, args, kwargs, node.name)
        else:
            copies[node] = made.node_copy(node, copies.__getitem__)
    fx_module.graph = made


class size_bytes(NamedTuple):
    """The bytes of a node's result, and those of the result and the parameters together."""

    output_size: int
    total_size: int


def get_size_of_all_nodes(fx_module: GraphModule, args: list[Any] | None = None) -> None:
    """Set the attribute `size_bytes` of all nodes but the output.

    Args:
      fx_module (GraphModule): the module.
      args (list of Tensor, optional): arguments with which the graph is executed to find the shapes.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 3)))
    >>> get_size_of_all_nodes(traced, [torch.ones(4, 2)])
    >>> traced.graph.nodes[1].size_bytes
    size_bytes(output_size=48, total_size=84)
    """
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op == "output":
            break
        sized: Any = node
        sized.size_bytes = get_size_of_node(fx_module, node)


def get_tensor_meta(node: Node) -> TensorMetadata:
    """Return the properties of a node's result that `ShapeProp` has found.

    Args:
      node (Node): the node.

    Raises:
      RuntimeError: there are none.
    """
    found = node.meta.get("tensor_meta")
    if not found:
        raise RuntimeError(
            f"Node {node} has no tensor metadata associated with it! Check that shape propagation has run."
        )
    return found


def get_size_of_node(fx_module: GraphModule, node: Node) -> size_bytes:
    """Return the bytes of a node's result and of its parameters.

    Args:
      fx_module (GraphModule): the module.
      node (Node): a node of its graph.

    Raises:
      RuntimeError: the shape of the result is not known.
    """
    count = 0
    if node.op == "call_module":
        count = sum(p.numel() for p in fx_module.get_submodule(str(node.target)).parameters())
    found = get_tensor_meta(node)
    own = found.shape.numel()
    each = torchlike.empty(0, dtype=found.dtype).element_size()
    return size_bytes(each * own, each * (count + own))


__all__ = [
    "get_size_of_all_nodes",
    "get_size_of_node",
    "get_tensor_meta",
    "replace_target_nodes_with",
    "size_bytes",
]
