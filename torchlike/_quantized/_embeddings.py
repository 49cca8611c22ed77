"""Embeddings of byte rows, each with a scale and a zero point of its own."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._quantized import _tensor as t
from torchlike._tensor.tensor import Tensor

_INDICES = (_dtypes.int32, _dtypes.int64)


class PackedRows:
    """The weight of an embedding.

    Args:
      weight: a quint8 tensor (count, dim), with a float zero point for each row.
    """

    def __init__(self, weight: Any) -> None:
        if not isinstance(weight, t.QuantizedTensor):
            raise _errors.quantized.of_plain("embedding_bag_prepack")
        self._weight: Any = weight

    def unpack(self) -> Any:
        """Return the weight."""
        return self._weight

    def at(self, indices: Tensor) -> Tensor:
        """Return the rows at `indices` as float32.

        The product and the sum are rounded once, as by a fused multiplication and addition.
        """
        if indices.dtype not in _INDICES:
            shown = indices.dtype.name.capitalize()
            raise RuntimeError(f"Expect 32 or 64 bit indices, but found {shown.removesuffix('32')} instead.")
        self._check(indices)
        if self._weight.device != indices.device:
            self._weight = self._weight.to(indices.device)
        found = self._weight._quantizer
        scales = found.scales.float()
        shift = (scales * found.zero_points.float()).double()
        rows = self._weight._ints[indices].double() * scales.double()[indices].unsqueeze(-1)
        return (rows - shift[indices].unsqueeze(-1)).float()

    def _check(self, indices: Tensor) -> None:
        count = self._weight.shape[0]
        outside = (indices < 0) | (indices >= count)
        if bool(outside.any()):
            place = int(outside.flatten().nonzero()[0])
            number = int(indices.flatten()[place])
            raise RuntimeError(f"Index {place} is out of bounds: {number}, range 0 to {count}")

    def __reduce__(self) -> tuple:
        return PackedRows, (self._weight,)

    def __deepcopy__(self, memo: dict) -> PackedRows:
        return PackedRows(copy.deepcopy(self._weight, memo))


def embedding_bag_prepack(
    weight: Any, optimized_qparams: bool = False, nbins: int = 200, ratio: float = 0.16
) -> PackedRows:
    """Return the packed weight of an embedding."""
    return PackedRows(weight)


def embedding_bag_unpack(W_prepack: PackedRows) -> Any:
    """Return the weight of an embedding."""
    return W_prepack.unpack()


def embedding_byte(weight: PackedRows, indices: Tensor, pruned_weights: bool = False) -> Tensor:
    """Return the rows at `indices` as float32."""
    return weight.at(indices)


def embedding_bag_byte(
    weight: PackedRows,
    indices: Tensor,
    offsets: Tensor | None = None,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    pruned_weights: bool = False,
    per_sample_weights: Tensor | None = None,
    compressed_indices_mapping: Tensor | None = None,
    include_last_offset: bool = False,
) -> Tensor:
    """Return the sums of the rows of each bag. As in PyTorch, the mode is not used."""
    if compressed_indices_mapping is not None:
        raise _errors.arguments.unsupported("torch.ops.quantized.embedding_bag_byte", "compressed_indices_mapping")
    if indices.ndim == 1 and offsets is None:
        raise RuntimeError("embedding_bag_byte expects offsets to be set for 1D indices.")
    found = weight.at(indices.flatten())
    if per_sample_weights is not None:
        found = found * per_sample_weights.flatten().unsqueeze(-1)
    places = indices.new_ones(indices.numel()).cumsum(0) - 1
    if offsets is None:
        bags, count = places // max(indices.shape[1], 1), indices.shape[0]
    else:
        starts = offsets[:-1] if include_last_offset else offsets
        bags, count = (places.unsqueeze(1) >= starts).sum(1) - 1, starts.numel()
    return found.new_zeros(count, found.shape[1]).index_add(0, bags, found)


FUNCTIONS: dict[str, Callable] = {
    f.__name__: f for f in (embedding_bag_prepack, embedding_bag_unpack, embedding_byte, embedding_bag_byte)
}
