"""Shapes and dtypes of the results in a graph, found by executing it."""

from __future__ import annotations

from typing import Any, NamedTuple

import torchlike
from torchlike.fx._errors import cannot
from torchlike.fx.graph_module import GraphModule
from torchlike.fx.interpreter import Interpreter
from torchlike.fx.node import Node, map_aggregate


class TensorMetadata(NamedTuple):
    """The properties of a tensor that a node computes. `memory_format` is None if no format describes the strides."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


class ShapeProp(Interpreter):
    """An interpreter that stores the properties of results in `node.meta["tensor_meta"]`.

    `node.meta["type"]` is the type of the result. Results that contain no tensors have no `tensor_meta`.

    Args:
      gm (GraphModule): the module.
      fake_mode: must be None.

    Raises:
      NotImplementedError: `fake_mode` is given.

    >>> import torchlike as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x).sum(0))
    >>> result = torch.fx.passes.shape_prop.ShapeProp(traced).propagate(torch.ones(2, 3))
    >>> [tuple(node.meta["tensor_meta"].shape) for node in traced.graph.nodes]
    [(2, 3), (2, 3), (3,), (3,)]
    """

    def __init__(self, gm: GraphModule, fake_mode: Any = None) -> None:
        if fake_mode is not None:
            raise cannot("fx.passes.shape_prop.ShapeProp(fake_mode=...)", "propagate tensors of the wanted shapes")
        super().__init__(gm)

    def run_node(self, n: Node) -> Any:
        """Execute one node, store the properties of its result in `meta`, and return the result.

        Args:
          n (Node): the node.

        Raises:
          RuntimeError: the node cannot be executed.
        """
        try:
            result = super().run_node(n)
        except Exception as e:
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from e
        tensors: list[Any] = []
        found = map_aggregate(result, lambda a: _described(a, tensors))
        if tensors:
            n.meta["tensor_meta"] = found
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Execute the graph, store the properties of all results, and return its result.

        Args:
          *args: the arguments of the graph.
        """
        return super().run(*args)


def _described(value: Any, tensors: list[Any]) -> Any:
    if not isinstance(value, torchlike.Tensor):
        return value
    tensors.append(value)
    return _extract_tensor_metadata(value)


def _extract_tensor_metadata(result: torchlike.Tensor, include_contiguity: bool = True) -> TensorMetadata:
    """Return the properties of a tensor. Without `include_contiguity`, the memory format is None."""
    formats = (torchlike.contiguous_format, torchlike.channels_last, torchlike.channels_last_3d)
    of_rank = [f for f, rank in zip(formats, (result.dim(), 4, 5)) if include_contiguity and rank == result.dim()]
    kept = next((f for f in of_rank if result.is_contiguous(memory_format=f)), None)
    return TensorMetadata(
        result.shape, result.dtype, result.requires_grad, result.stride(), kept, bool(result.is_quantized), {}
    )


__all__ = ["ShapeProp", "TensorMetadata"]
