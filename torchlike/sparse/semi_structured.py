"""Tensors with two zeros in each group of four elements, which need kernels of NVIDIA GPUs and are not supported."""

from __future__ import annotations

from typing import Any

from torchlike import _errors

_INSTEAD = "keep the dense tensor: XLA has no kernels for this layout"


class SparseSemiStructuredTensor:
    """A semi-structured sparse tensor. Not supported: the constructor raises NotImplementedError.

    Args:
      args, kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot(f"sparse.{type(self).__name__}", _INSTEAD)


class SparseSemiStructuredTensorCUTLASS(SparseSemiStructuredTensor):
    """A semi-structured sparse tensor for CUTLASS. Not supported: the constructor raises NotImplementedError.

    Args:
      args, kwargs: not used.
    """


class SparseSemiStructuredTensorCUSPARSELT(SparseSemiStructuredTensor):
    """A semi-structured sparse tensor for cuSPARSELt. Not supported: the constructor raises NotImplementedError.

    Args:
      args, kwargs: not used.
    """


def to_sparse_semi_structured(original_tensor: Any, transposed: bool = False) -> Any:
    """Raise NotImplementedError. Keep the dense tensor.

    Args:
      original_tensor, transposed: not used.
    """
    raise _errors.arguments.cannot("sparse.to_sparse_semi_structured", _INSTEAD)


__all__ = [
    "SparseSemiStructuredTensor",
    "SparseSemiStructuredTensorCUSPARSELT",
    "SparseSemiStructuredTensorCUTLASS",
    "to_sparse_semi_structured",
]
