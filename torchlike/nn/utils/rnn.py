"""Sequences of different lengths in one tensor: padded to the longest, or packed without padding."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import check_flag as _check_flag
from torchlike._internal import host_arrays, of_array
from torchlike._internal import wrong_type as _wrong_type
from torchlike.nn import _errors_sequence as _errors


class _Packed(NamedTuple):
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(_Packed):
    """A batch of sequences packed without padding, sorted by decreasing length.

    `pack_padded_sequence` creates a packed sequence.

    Args:
      data: the elements of all sequences at step 0, then at step 1, and so on. Without `batch_sizes`, the pair of both.
      batch_sizes: the number of sequences at each step, int64 on the CPU.
      sorted_indices: the permutation that sorted the batch, or None if the batch was packed with `enforce_sorted`.
      unsorted_indices: its inverse, which is computed by default.

    Raises:
      ValueError: `batch_sizes` is not on the CPU.

    >>> import torchlike as torch
    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
    >>> packed.data.tolist(), packed.batch_sizes.tolist()
    ([1, 3, 2], [2, 1])
    """

    __slots__ = ()

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise _errors.packed_batch_sizes_device(batch_sizes.device)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Move or cast the data. `batch_sizes` stays on the CPU."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        indices = (None if i is None else i.to(data.device) for i in (self.sorted_indices, self.unsorted_indices))
        return type(self)(data, self.batch_sizes, *indices)

    def cpu(self) -> PackedSequence:
        """Move the data to the CPU."""
        return self.to("cpu")

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Move the data to a GPU."""
        return self.to(torchlike.tensor(()).cuda(*args, **kwargs).device)

    def double(self) -> PackedSequence:
        """Cast the data to float64."""
        return self.to(torchlike.float64)

    def float(self) -> PackedSequence:
        """Cast the data to float32."""
        return self.to(torchlike.float32)

    def half(self) -> PackedSequence:
        """Cast the data to float16."""
        return self.to(torchlike.float16)

    @property
    def is_cuda(self) -> bool:
        """Return whether the data is on a GPU."""
        return self.data.is_cuda


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the inverse of a permutation, or None for None.

    Args:
      permutation: the numbers 0 to n - 1 in any order, int64.

    >>> import torchlike as torch
    >>> torch.nn.utils.rnn.invert_permutation(torch.tensor([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    if permutation is None:
        return None
    places = torchlike.arange(permutation.numel(), device=permutation.device)
    return torchlike.empty_like(permutation).scatter_(0, permutation, places)


def pad_sequence(
    sequences: Tensor | list[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Stack tensors of different lengths to one tensor, padded with `padding_value`.

    Args:
      sequences: a list of tensors (L_i, *).
      batch_first: give the result the shape (N, L, *) instead of (L, N, *).
      padding_value: the value of the padding.
      padding_side: "right" or "left".

    Returns:
      (L, N, *), where L is the length of the longest sequence.

    Raises:
      RuntimeError: `padding_side` is unknown, or `sequences` is empty or not iterable.

    >>> import torchlike as torch
    >>> torch.nn.utils.rnn.pad_sequence([torch.ones(2), torch.ones(1)], batch_first=True)
    tensor([[1., 1.],
            [1., 0.]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    _check_flag("pad_sequence", "batch_first", 2, batch_first)
    if padding_value is None:
        raise _wrong_type("pad_sequence", "padding_value", 3, "float", padding_value)
    if padding_side not in ("left", "right"):
        raise _errors.padding_side(padding_side)
    rows = list(sequences.unbind(0) if isinstance(sequences, Tensor) else sequences)
    if not rows:
        raise RuntimeError("received an empty list of sequences")
    longest = max(row.size(0) for row in rows)
    made = _padded_on_host(rows, longest, padding_value, padding_side == "right", batch_first)
    if made is not None:
        return made
    padded = []
    for row in rows:
        missing = longest - row.size(0)
        amounts = (0, missing) if padding_side == "right" else (missing, 0)
        sides = [0, 0] * (row.dim() - 1) + list(amounts)
        padded.append(torchlike.nn.functional.pad(row, sides, value=padding_value) if missing else row)
    return torchlike.stack(padded, 0 if batch_first else 1)


def _padded_on_host(rows: list[Tensor], longest: int, value: float, right: bool, batch_first: bool) -> Tensor | None:
    """Return plain CPU tensors as one padded tensor, assembled at once by NumPy.

    Batches of a loader have other lengths each time, so recorded operators would make a new program for each batch.
    Return None for other tensors, and for a value that the dtype may not have.
    """
    arrays = host_arrays(rows)
    if arrays is None or not _has(arrays[0].dtype, value) or any(a.shape[1:] != arrays[0].shape[1:] for a in arrays):
        return None
    sizes = (len(arrays), longest) if batch_first else (longest, len(arrays))
    made = np.full((*sizes, *arrays[0].shape[1:]), value, arrays[0].dtype)
    for place, array in zip(made if batch_first else made.swapaxes(0, 1), arrays):
        place[slice(len(array)) if right else slice(longest - len(array), longest)] = array
    return of_array(made)


def _has(dtype: np.dtype, value: Any) -> bool:
    """Return whether an integer dtype, or one of the larger floating-point dtypes, has a Python number."""
    if type(value) not in (int, float):
        return False
    if dtype.kind in "iu":
        return np.iinfo(dtype).min <= value <= np.iinfo(dtype).max and value == int(value)
    is_in_range = not abs(value) > float(np.finfo(dtype).max) if dtype in (np.float32, np.float64) else False
    return is_in_range or (dtype.kind == "f" and abs(value) == float("inf"))


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Split a padded batch into a list of sequences without padding. This is the inverse of `pad_sequence`.

    Args:
      padded_sequences: (L, N, *), or (N, L, *) with `batch_first`. Without `batch_first` it is transposed in place.
      lengths: (N,), the lengths of the sequences.
      batch_first: whether dimension 0 is the batch.

    >>> import torchlike as torch
    >>> batch = torch.tensor([[1, 2], [3, 0]])
    >>> torch.nn.utils.rnn.unpad_sequence(batch, torch.tensor([2, 1]), batch_first=True)
    [tensor([1, 2]), tensor([3])]
    """
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    longest = padded_sequences.size(1)
    counts = [min(max(math.ceil(length), 0), longest) for length in lengths.tolist()]
    rows = zip(padded_sequences, counts, strict=True)
    return [row[:count].clone(memory_format=torchlike.contiguous_format) for row, count in rows]


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | list[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack a padded batch of sequences with the given lengths.

    Args:
      input: (L, N, *), or (N, L, *) with `batch_first`.
      lengths: (N,), the lengths, positive ints in a list or a tensor.
      batch_first: whether dimension 0 of `input` is the batch.
      enforce_sorted: the sequences must be sorted by decreasing length. Otherwise they may have any order.

    Returns:
      A `PackedSequence`.

    Raises:
      RuntimeError: the number of lengths is not N, a length is not positive, or the lengths are not sorted.

    >>> import torchlike as torch
    >>> packed = torch.nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2), [3, 1])
    >>> packed.batch_sizes
    tensor([2, 1, 1])
    """
    _check_flag("_pack_padded_sequence", "batch_first", 3, batch_first)
    if not input.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    counts = _as_list(lengths)
    order = None
    if not enforce_sorted:
        counts, order = _longest_first(counts)
        order = torchlike.tensor(order, device=input.device)
        input = input.index_select(0 if batch_first else 1, order)
    _check_lengths(counts, input.size(0) if batch_first else input.size(1), enforce_sorted)
    steps = input.transpose(0, 1) if batch_first else input
    batch_sizes = [sum(count > step for count in counts) for step in range(counts[0])]
    data = torchlike.cat([steps[step, :size] for step, size in enumerate(batch_sizes)])
    return PackedSequence(data, torchlike.tensor(batch_sizes), order)


def _as_list(lengths: Any) -> list[int]:
    return lengths.to(torchlike.int64).tolist() if isinstance(lengths, Tensor) else [int(length) for length in lengths]


def _longest_first(counts: list[int]) -> tuple[list[int], list[int]]:
    values, order = torchlike.sort(torchlike.tensor(counts), descending=True)
    return values.tolist(), order.tolist()


def _check_lengths(counts: list[int], batch: int, enforce_sorted: bool) -> None:
    if len(counts) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} (batch_size={batch})"
        )
    if any(count <= 0 for count in counts):
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if enforce_sorted and any(a < b for a, b in pairwise(counts)):
        raise _errors.packed_lengths_sorted()


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return a packed sequence as a padded batch, and the lengths, both in the original order.

    Args:
      sequence: a `PackedSequence`.
      batch_first: give the batch the shape (N, L, *) instead of (L, N, *).
      padding_value: the value of the padding.
      total_length: L. The default is the length of the longest sequence.

    Returns:
      The batch and the lengths (N,), int64.

    Raises:
      ValueError: `total_length` is less than the length of the longest sequence.

    >>> import torchlike as torch
    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
    >>> torch.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    (tensor([[1, 2],
            [3, 0]]), tensor([2, 1]))
    """
    sizes = sequence.batch_sizes.tolist()
    length = len(sizes)
    _check_flag("_pad_packed_sequence", "batch_first", 3, batch_first)
    if padding_value is None:
        raise _wrong_type("_pad_packed_sequence", "padding_value", 4, "Number", padding_value)
    if total_length is not None:
        if total_length < length:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {length}"
            )
        if not hasattr(total_length, "__index__"):
            raise _wrong_type("_pad_packed_sequence", "total_length", 5, "int", total_length)
        length = total_length
    counts = torchlike.tensor([sum(size > row for size in sizes) for row in range(sizes[0])])
    rows = pad_sequence(_rows(sequence.data, sizes), False, padding_value)
    if length > len(sizes):
        sides = [0, 0] * (rows.dim() - 1) + [0, length - len(sizes)]
        rows = torchlike.nn.functional.pad(rows, sides, value=padding_value)
    rows = rows.transpose(0, 1) if batch_first else rows
    if sequence.unsorted_indices is not None:
        order = sequence.unsorted_indices
        return rows.index_select(0 if batch_first else 1, order), counts[order.cpu()]
    return rows, counts


def _rows(data: Tensor, sizes: list[int]) -> list[Tensor]:
    """Return the list of sequences in packed data, in sorted order."""
    starts = [sum(sizes[:step]) for step in range(len(sizes))]
    places = [[start + row for start, size in zip(starts, sizes) if size > row] for row in range(sizes[0])]
    return [data[torchlike.tensor(place, device=data.device)] for place in places]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack tensors of different lengths.

    Args:
      sequences: a list of tensors (L_i, *).
      enforce_sorted: the sequences must be sorted by decreasing length. Otherwise they may have any order.

    Returns:
      A `PackedSequence`.

    Raises:
      RuntimeError: a length is 0, or the sequences are not sorted.

    >>> import torchlike as torch
    >>> torch.nn.utils.rnn.pack_sequence([torch.ones(2), torch.ones(1)]).batch_sizes
    tensor([2, 1])
    """
    lengths = [sequence.size(0) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Split a packed sequence into a list of sequences in the original order.

    Args:
      packed_sequences: a `PackedSequence`.

    >>> import torchlike as torch
    >>> packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1, 2]), torch.tensor([3])])
    >>> torch.nn.utils.rnn.unpack_sequence(packed)
    [tensor([1, 2]), tensor([3])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
