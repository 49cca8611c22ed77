"""Functions that permute dims, change the shape, broadcast and repeat elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._composite.views.conversions import reshape
from torchlike._engine import Size
from torchlike._errors.warned import once
from torchlike._ops.schema.declare import OMITTED
from torchlike._tensor import factories, public_calls
from torchlike._tensor.argument_forms import settled
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.public_calls import history_first, ints, whole
from torchlike._tensor.tensor import Tensor

# -- permutations of dims ----------------------------------------------------------------------------------------------


@history_first
def t(input: Tensor) -> Tensor:
    """Return the transpose of a matrix, as a view. For a tensor with fewer dims, return a view of it.

    >>> torchlike.tensor([[1, 2], [3, 4]]).t()
    tensor([[1, 3],
            [2, 4]])
    """
    if input.ndim > 2:
        raise _errors.shapes.no_matrix("t", input.ndim)
    return rows["_t"](input)


def _T(self: Tensor) -> Tensor:
    """Return the tensor with its dims in reverse order."""
    if not self.ndim:
        once(_errors.shapes.deprecated_of_scalar("Tensor.T"))
    elif self.ndim != 2:
        once(_errors.shapes.deprecated_transpose())
    return rows["permute"](self, tuple(range(self.ndim - 1, -1, -1)))


def _mT(self: Tensor) -> Tensor:
    """Return the tensor with its last two dims transposed."""
    if not self.ndim:
        once(_errors.shapes.deprecated_of_scalar("Tensor.mT"))
        return self
    if self.ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {self.ndim}-D tensor.")
    return rows["transpose"](self, -2, -1)


def _H(self: Tensor) -> Tensor:
    """Return the conjugate transpose of a matrix, as a view."""
    if not self.ndim:
        return _scalar_adjoint(self, "Tensor.H")
    if self.ndim != 2:
        hint = " For batches of matrices, consider using tensor.mH" if self.ndim > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim}-D tensor.{hint}")
    return adjoint(self)


def _mH(self: Tensor) -> Tensor:
    """Return the conjugate transposes of a batch of matrices, as a view."""
    if not self.ndim:
        return _scalar_adjoint(self, "Tensor.mH")
    if self.ndim < 2:
        raise RuntimeError(f"tensor.mH is only supported on matrices or batches of matrices. Got {self.ndim}-D tensor.")
    return adjoint(self)


def _scalar_adjoint(input: Tensor, name: str) -> Tensor:
    once(_errors.shapes.deprecated_of_scalar(name))
    return rows["conj"](input) if input.dtype.is_complex else input


def adjoint(input: Tensor) -> Tensor:
    """Return the conjugate transpose of the last two dims, as a view."""
    if not input.ndim:
        return _scalar_adjoint(input, "adjoint()")
    if input.ndim < 2:
        raise RuntimeError(
            f"tensor.adjoint() is only supported on matrices or batches of matrices. Got {input.ndim}-D tensor."
        )
    turned = rows["transpose"](input, -2, -1)
    return rows["conj"](turned) if input.dtype.is_complex else turned


def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Swap two dims.

    Args:
      axis0, axis1: the dims to swap.

    >>> torchlike.ones(2, 3).swapaxes(0, 1).shape
    torch.Size([3, 2])
    """
    return rows["transpose"](input, axis0, axis1)


def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two dims.

    Args:
      dim0, dim1: the dims to swap.
    """
    return rows["transpose"](input, dim0, dim1)


def movedim(input: Tensor, source: tuple[int, ...] | int, destination: tuple[int, ...] | int) -> Tensor:
    """Move dims to new positions; the other dims keep their order.

    Args:
      source: the dim or dims to move.
      destination: their positions in the result.

    >>> torchlike.ones(2, 3, 4).movedim(0, -1).shape
    torch.Size([3, 4, 2])
    """
    source, destination = settled(source), settled(destination)
    one, other = isinstance(source, int), isinstance(destination, int)
    if one is not other:
        raise _errors.arguments.invalid_combination("movedim", (input, source, destination), {})
    return _moved(input, (source,), (destination,)) if one else _moved(input, source, destination)


def _moved(input: Tensor, source: Any, destination: Any) -> Tensor:
    if len(source) != len(destination):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain "
            f"the same number of dims as destination ({list(destination)} dims)"
        )
    taken, target = [input._nonnegative(d) for d in source], [input._nonnegative(d) for d in destination]
    for name, dims, given in (("source", taken, source), ("destination", target, destination)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    if not input.ndim:
        return rows["view_as_self"](input)
    rest = iter(d for d in range(input.ndim) if d not in taken)
    at = dict(zip(target, taken))
    return rows["permute"](input, tuple(at[d] if d in at else next(rest) for d in range(input.ndim)))


def moveaxis(input: Tensor, source: tuple[int, ...] | int, destination: tuple[int, ...] | int) -> Tensor:
    """Move dims to new positions; the other dims keep their order.

    Args:
      source: the dim or dims to move.
      destination: their positions in the result.
    """
    source, destination = settled(source), settled(destination)
    return movedim(input, source, destination)


@history_first
def flip(input: Tensor, *several: Any, dims: Any = None) -> Tensor:
    """Reverse the order of the indices along `dims`. The result is a copy.

    Args:
      several: the dims, as ints or as one sequence of ints.
      dims: the dims by name.

    >>> torchlike.tensor([1, 2, 3]).flip(0)
    tensor([3, 2, 1])
    """
    if dims is None and not several:
        raise _errors.arguments.missing("flip", "dims")
    wrapped = [input._nonnegative(d) for d in ints(several if dims is None else (dims,), "flip", "dims")]
    for d in wrapped:
        if wrapped.count(d) > 1:
            raise _errors.shapes.repeated_dim(d)
    return rows["_flip"](input, tuple(wrapped))


def _flip_all(input: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Reverse the order of the indices along `dims`. The result is a copy.

    Args:
      dims: the dims, a sequence of ints.

    >>> torchlike.flip(torchlike.tensor([1, 2, 3]), (0,))
    tensor([3, 2, 1])
    """
    return flip(input, dims)


def fliplr(input: Tensor) -> Tensor:
    """Reverse the order of the columns."""
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


def flipud(input: Tensor) -> Tensor:
    """Reverse the order of the rows."""
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


def rot90(input: Tensor, k: int = 1, dims: tuple[int, ...] = (0, 1)) -> Tensor:
    """Rotate by `k` times 90 degrees in the plane of two dims, from the first toward the second.

    Args:
      k: the number of rotations. A negative number rotates in the other direction.
      dims: the two dims of the plane.

    >>> torchlike.tensor([[1, 2], [3, 4]]).rot90()
    tensor([[2, 4],
            [1, 3]])
    """
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    if dims[0] == dims[1] or abs(dims[0] - dims[1]) == input.ndim:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    for name, d in zip(("dim0", "dim1"), dims):
        if not -input.ndim <= d < input.ndim:
            raise RuntimeError(f"Rotation {name} out of range, {name} = {d}")
    quarter = k % 4
    if quarter == 2:
        return flip(input, tuple(dims))
    if quarter == 0:
        return rows["clone"](input)
    turned = flip(input, (dims[1] if quarter == 1 else dims[0],))
    return turned.transpose_(*dims)


@history_first
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Shift the elements along `dims` cyclically; without `dims`, shift those of the flattened tensor.

    Args:
      shifts: the distance by which elements move, an int, or one for each dim.
      dims: the dim or dims.

    >>> torchlike.tensor([1, 2, 3]).roll(1)
    tensor([3, 1, 2])
    """
    moves = ints((shifts,), "roll", "shifts")
    along = () if dims is None else ints((dims,), "roll", "dims")
    if not moves:
        raise RuntimeError("`shifts` required")
    if len(moves) != len(along) and not (len(moves) == 1 and not along):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(moves)}, dims:{len(along)}")
    if along and not input.ndim:
        raise _errors.shapes.dim_of_scalar(along[0])
    return rows["_roll"](input, moves, tuple(input._nonnegative(d) for d in along) or None)


# -- other shapes ------------------------------------------------------------------------------------------------------


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Flatten the dims from `start_dim` to `end_dim`, inclusive, to one.

    Args:
      start_dim, end_dim: the first and the last dim to flatten. Negative dims count from the last.

    >>> torchlike.ones(2, 3, 4).flatten(1).shape
    torch.Size([2, 12])
    """
    start, end = (
        input._nonnegative(public_calls.whole("flatten", name, i, d))
        for i, (name, d) in enumerate((("start_dim", start_dim), ("end_dim", end_dim)), 2)
    )
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not input.ndim:
        return reshape(input, (1,))
    if start == end:
        return input
    shape = tuple(input.shape)
    return reshape(input, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """Flatten all dims to one.

    >>> torchlike.tensor([[1, 2], [3, 4]]).ravel()
    tensor([1, 2, 3, 4])
    """
    return rows["view"](input.contiguous(), (input.numel(),))


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Split one dim into several dims of the given sizes.

    Args:
      sizes: the sizes of the new dims. One may be -1; it follows from the others.

    >>> torchlike.arange(6).unflatten(0, (2, 3)).shape
    torch.Size([2, 3])
    """
    from torchlike._ops.views.view import infer_size

    if isinstance(sizes, int):
        raise _errors.arguments.not_a_size("unflatten", sizes, "sizes", 3)
    at, sizes = input._nonnegative(dim), ints((sizes,), "unflatten", "sizes")
    if not input.ndim:
        raise RuntimeError(f"unflatten got an unexpected error:\n{_errors.shapes.dim_of_scalar(at)}")
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        whole = infer_size(sizes, input.shape[at])
    except RuntimeError as error:
        if not str(error).startswith("shape"):
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {at} "
            f"({input.shape[at]}) in the input tensor"
        ) from None
    return rows["view"](input, (*input.shape[:at], *whole, *input.shape[at + 1 :]))


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expand this tensor to the shape of `other`.

    Args:
      other: the tensor with the new shape.

    >>> torchlike.tensor([[1], [2]]).expand_as(torchlike.ones(2, 2))
    tensor([[1, 1],
            [2, 2]])
    """
    return rows["expand"](self, tuple(other.shape))


def view_as(self: Tensor, other: Tensor) -> Tensor:
    """View this tensor in the shape of `other`.

    Args:
      other: the tensor with the new shape.

    >>> torchlike.arange(4).view_as(torchlike.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return rows["view"](self, tuple(other.shape))


def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Reshape this tensor to the shape of `other`.

    Args:
      other: the tensor with the new shape.

    >>> torchlike.arange(4).reshape_as(torchlike.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return reshape(self, tuple(other.shape))


def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """Broadcast to a shape without copying.

    >>> torchlike.broadcast_to(torchlike.tensor([1, 2]), (3, 2))
    tensor([[1, 2],
            [1, 2],
            [1, 2]])
    """
    if isinstance(size, int):
        raise _errors.arguments.not_a_size("broadcast_to", size, "size", 2)
    return rows["expand"](input, ints((size,), "broadcast_to"))


def _broadcast_to(self: Tensor, *size: Any) -> Tensor:
    """Broadcast to a shape without copying."""
    return rows["expand"](self, ints(size, "broadcast_to"))


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Expand tensors to their common shape.

    Args:
      tensors: tensors whose shapes broadcast.

    >>> [x.shape for x in torchlike.broadcast_tensors(torchlike.ones(2, 1), torchlike.ones(3))]
    [torch.Size([2, 3]), torch.Size([2, 3])]
    """
    from torchlike._ops.schema.typing_rules import broadcast

    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    if not tensors:
        return ()
    public_calls.tensors("broadcast_tensors", tensors)
    shape = broadcast([tuple(t.shape) for t in tensors])
    return tuple([t if t.shape == shape else rows["expand"](t, shape) for t in tensors])


def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape to which tensors of these shapes broadcast.

    Args:
      shapes: shapes, as ints or sequences of ints.

    >>> torchlike.broadcast_shapes((2, 1), (3,))
    torch.Size([2, 3])
    """
    given = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    rank = max((len(s) for s in given), default=0)
    result = [1] * rank
    for number, shape in enumerate(given):
        for i in range(-1, -1 - len(shape), -1):
            if shape[i] < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if shape[i] in (1, result[i]):
                continue
            if result[i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[i]} at {i}! Mismatching "
                    f"argument at index {number} had {shapes[number]}; but expected shape should be "
                    f"broadcastable to {result}"
                )
            result[i] = shape[i]
    return Size(result)


def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Sum this tensor to the shape `size`, which must be broadcastable to the shape of this tensor."""
    target, shape = ints(size, "sum_to_size"), tuple(self.shape)
    lead = len(shape) - len(target)
    if lead < 0 or any(n not in (1, m) for n, m in zip(target, shape[lead:])):
        raise RuntimeError(f"size {{{list(target)}}} is not expandable to size {{{list(shape)}}}.")
    dims = [*range(lead), *[lead + i for i, n in enumerate(target) if n == 1 and shape[lead + i] != 1]]
    if not (dims or target):  # a 0-dim tensor is summed too, which converts bool to int64
        return rows["sum"](self)
    return rows["view"](rows["sum"](self, tuple(dims)), target) if dims else self


# -- repeated elements -------------------------------------------------------------------------------------------------


def repeat(self: Tensor, *several: Any, repeats: Any = None) -> Tensor:
    """Repeat the tensor `repeats[d]` times along each dim d.

    Args:
      several: the counts, as ints or as one sequence of ints; at least one for each dim. More counts add leading dims.
      repeats: the counts by name.

    >>> torchlike.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    if repeats is None and not several:
        raise _errors.arguments.missing("repeat", "repeats")
    return rows["_repeat"](self, ints(several if repeats is None else (repeats,), "repeat", "repeats"))


def _tile(self: Tensor, *several: Any, dims: Sequence[int] = OMITTED) -> Tensor:
    """Repeat the tensor as `repeat` does. Missing leading counts are one.

    Args:
      several: the counts, as ints or as one sequence of ints.
      dims: the counts by name.

    >>> torchlike.tensor([1, 2]).tile(2)
    tensor([1, 2, 1, 2])
    """
    if not several and dims is OMITTED:
        raise TypeError('tile() missing 1 required positional arguments: "dims"')
    counts = ints(several if dims is OMITTED else (dims,), "tile", "dims")
    return rows["_repeat"](self, (1,) * (self.ndim - len(counts)) + counts)


def tile(input: Tensor, dims: Any) -> Tensor:
    """Repeat the tensor as `repeat` does. Missing leading counts are one.

    Args:
      dims: the counts, a sequence of ints.

    >>> torchlike.tile(torchlike.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2])
    """
    if isinstance(dims, int):
        raise _errors.arguments.not_a_size("tile", dims, "dims", 2)
    return _tile(input, dims)


def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Repeat each element, or each index of a dim, several times in a row.

    `repeats` is a count, or a tensor with one count for each element. Called with a single tensor of counts, the
    function repeats each index as many times as its count.

    Args:
      repeats: an int, or an integer tensor.
      dim: the dim whose indices are repeated. By default, the elements of the flattened tensor are repeated.
      output_size: the size of the repeated dim in the result, if it is known. The call then need not read `repeats`.

    >>> torchlike.tensor([1, 2]).repeat_interleave(2)
    tensor([1, 1, 2, 2])
    """
    if repeats is None:
        return factories.of_array(_places(input), input.device)
    source = ravel(input) if dim is None else input
    at = source._nonnegative(dim or 0)
    if isinstance(repeats, Tensor) and repeats.numel() == 1 and not repeats.is_floating_point():
        repeats = int(repeats.item())
    if not isinstance(repeats, Tensor):
        repeats = whole("repeat_interleave", "repeats", 1, repeats)
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        return rows["_repeat_interleave"](source, repeats, at)
    if repeats.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if repeats.numel() != source.shape[at]:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats.numel()} and input.size(0) = {source.shape[at]}"
        )
    places = _places(repeats)
    if output_size is not None and output_size != len(places):
        raise RuntimeError("allocated size does not match required size")
    return rows["index_select"](source, at, factories.of_array(places, input.device))


def _places(repeats: Tensor) -> np.ndarray:
    if repeats.dtype not in (_dtypes.int64, _dtypes.int32):
        raise _errors.dtypes.not_implemented("repeat_interleave_cpu", repeats.dtype)
    if repeats.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    counts = repeats._host()
    if counts.size and counts.min() < 0:
        raise RuntimeError("repeats can not be negative")
    return np.repeat(np.arange(counts.size), counts)


FUNCTIONS = public_calls.functions(
    t,
    adjoint,
    swapaxes,
    swapdims,
    movedim,
    moveaxis,
    fliplr,
    flipud,
    rot90,
    roll,
    flatten,
    ravel,
    unflatten,
    broadcast_to,
    broadcast_shapes,
    tile,
    repeat_interleave,
) | {"broadcast_tensors": broadcast_tensors}
FUNCTIONS |= public_calls.named({"flip": _flip_all})
METHODS = public_calls.methods(
    t,
    adjoint,
    swapaxes,
    swapdims,
    movedim,
    moveaxis,
    flip,
    fliplr,
    flipud,
    rot90,
    roll,
    flatten,
    ravel,
    unflatten,
    expand_as,
    view_as,
    reshape_as,
    sum_to_size,
    repeat,
    repeat_interleave,
) | {"broadcast_to": _broadcast_to}
METHODS |= {"tile": _tile, "T": property(_T), "mT": property(_mT), "H": property(_H), "mH": property(_mH)}
