"""Rules for gather, scatter and the dynamic slices, which read and write windows of an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike._engine.interpreter.rules import Equation, rule


class Windows:
    """The operand's windows in one gather or scatter, as NumPy advanced indices.

    The operand is transposed so that the indexed dims come first. The elements that the indices read or write then have
    the dims (batch..., windows of the indexed dims..., other dims...).
    """

    def __init__(
        self,
        shape: tuple,
        sizes: list[int],
        indexed: tuple,
        batching: tuple,
        in_indices: tuple,
        hidden: tuple,
        batch_rank: int,
    ) -> None:
        self.shape, self.sizes, self.indexed, self.batching, self.in_indices = (
            shape,
            sizes,
            indexed,
            batching,
            in_indices,
        )
        self.batch_rank = batch_rank
        first = [*indexed, *batching]
        rest = [d for d in range(len(shape)) if d not in first]
        self.turned = (*first, *rest)
        self.cut = tuple(slice(sizes[d]) for d in rest) if any(sizes[d] != shape[d] for d in rest) else None
        # The window dims in the transposed order, and their permutation to the order of the operand's dims.
        self.wide = [d for d in indexed if d not in hidden]
        come = [*self.wide, *[d for d in rest if d not in hidden]]
        self.lost = [i for i, d in enumerate([*self.wide, *rest]) if d in hidden]
        self.order = [come.index(d) for d in sorted(come)]

    def starts(self, indices: np.ndarray) -> list[np.ndarray]:
        """Return the first index of every window, for each indexed dim."""
        return [indices[..., i].astype(np.intp, copy=False) for i in range(len(self.indexed))]

    def last(self, dim: int) -> int:
        """Return the largest start of a window along a dim of the operand."""
        return self.shape[dim] - self.sizes[dim]

    def clipped(self, starts: list[np.ndarray]) -> list[np.ndarray]:
        """Return the starts, moved so that every window lies inside the operand."""
        return [np.minimum(np.maximum(s, 0), self.last(d)) for s, d in zip(starts, self.indexed)]

    def outside(self, starts: list[np.ndarray]) -> np.ndarray | None:
        """Return a mask of the windows that exceed the operand, or None if all are inside it."""
        found: Any = False
        for s, d in zip(starts, self.indexed):
            found = found | (s < 0) | (s > self.last(d))
        return found if np.any(found) else None

    def batches(self, batch: tuple) -> list[np.ndarray]:
        """Return the index of each window along the batch dims that operand and indices share."""
        return [np.arange(batch[d]).reshape([-1 if i == d else 1 for i in range(len(batch))]) for d in self.in_indices]

    def index(self, starts: list[np.ndarray], along: list[np.ndarray]) -> tuple:
        """Return the index into the transposed operand."""
        wide = len(self.wide)
        spread = lambda x: x.reshape(x.shape + (1,) * wide)
        found = []
        for s, d in zip(starts, self.indexed):
            place = spread(s)
            if d in self.wide and self.sizes[d] > 1:
                place = place + np.arange(self.sizes[d]).reshape([-1 if w == d else 1 for w in self.wide])
            elif d in self.wide and not self.sizes[d]:
                place = place[..., :0] if wide == 1 else np.take(place, [], axis=place.ndim - wide + self.wide.index(d))
            found.append(place)
        found += [spread(x) for x in along]
        if self.cut is not None:
            found += self.cut
        return tuple(found)


@rule("gather")
def _gather(e: Equation) -> Callable:
    p, d = e.params, e.params["dimension_numbers"]
    shape, sizes, dtype, out = tuple(e.inputs[0].shape), list(p["slice_sizes"]), e.outputs[0].dtype, e.outputs[0]
    batch_rank = len(e.inputs[1].shape) - 1
    hidden = (*d.collapsed_slice_dims, *d.operand_batching_dims)
    windows = Windows(
        shape,
        sizes,
        tuple(d.start_index_map),
        tuple(d.operand_batching_dims),
        tuple(d.start_indices_batching_dims),
        hidden,
        batch_rank,
    )
    fill = _fill(p, dtype) if _mode(e) == "FILL_OR_DROP" else None
    # For each dim of the result, the dim of the indexed array that it comes from.
    source = [0] * len(out.shape)
    batch_dims = [i for i in range(len(out.shape)) if i not in d.offset_dims]
    for n, dim in enumerate(batch_dims):
        source[dim] = n
    for n, dim in zip(windows.order, d.offset_dims):
        source[dim] = batch_rank + n
    result, turned, lost = tuple(out.shape), windows.turned, tuple(batch_rank + i for i in windows.lost)
    moved = source != sorted(source)

    def gather(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
        starts = windows.starts(indices)
        outside = windows.outside(starts)
        if outside is not None:
            starts = windows.clipped(starts)
        found = x.transpose(turned)[windows.index(starts, windows.batches(indices.shape[:-1]))]
        if outside is not None and fill is not None:
            found = np.array(found)
            found[outside] = fill
        found = found.squeeze(lost) if lost else found
        return found.transpose(source) if moved else found.reshape(result)

    return gather


MODES = ("CLIP", "FILL_OR_DROP", "PROMISE_IN_BOUNDS", "ONE_HOT")


def _mode(e: Equation) -> str:
    """Return the name of the mode for indices out of bounds."""
    name = str(e.params["mode"]).rpartition(".")[2]
    if name not in MODES:
        raise e.refuse(f"in mode {name}")
    return name


def _fill(params: dict, dtype: np.dtype) -> Any:
    """Return the value of a gather for indices out of bounds."""
    if params["fill_value"] is not None:
        return np.asarray(params["fill_value"]).astype(dtype)
    if dtype.kind in "fcV":
        return np.asarray(np.nan).astype(dtype)
    if dtype.kind == "b":
        return np.asarray(True)
    return np.asarray(np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max, dtype)


SCATTERS: dict[str, np.ufunc | None] = {
    "scatter": None,
    "scatter-add": np.add,
    "scatter-sub": np.subtract,
    "scatter-mul": np.multiply,
    "scatter-min": np.minimum,
    "scatter-max": np.maximum,
}


def _scattered_windows(e: Equation) -> Windows:
    """Return the windows of the operand that a scatter writes to."""
    d, shape, updates = e.params["dimension_numbers"], tuple(e.inputs[0].shape), tuple(e.inputs[2].shape)
    hidden = (*d.inserted_window_dims, *d.operand_batching_dims)
    shown = iter([updates[i] for i in d.update_window_dims])
    return Windows(
        shape,
        [1 if i in hidden else next(shown) for i in range(len(shape))],
        tuple(d.scatter_dims_to_operand_dims),
        tuple(d.operand_batching_dims),
        tuple(d.scatter_indices_batching_dims),
        hidden,
        len(e.inputs[1].shape) - 1,
    )


@rule(*SCATTERS)
def _scatter(e: Equation) -> Callable:
    p, d = e.params, e.params["dimension_numbers"]
    if e.name == "scatter" and p["update_jaxpr"] is not None:
        raise e.refuse("with a custom update function")
    updates, windows = tuple(e.inputs[2].shape), _scattered_windows(e)
    batch_rank = len(e.inputs[1].shape) - 1
    batch_dims = [i for i in range(len(updates)) if i not in d.update_window_dims]
    # The permutation of the updates' dims to the order of the indexed operand.
    ordered = [0] * len(windows.order)
    for place, dim in zip(windows.order, d.update_window_dims):
        ordered[place] = dim
    source = (*batch_dims, *ordered)
    clip, write, turned, lost = _mode(e) == "CLIP", _writer(e), windows.turned, tuple(windows.lost)

    def scatter(x: np.ndarray, indices: np.ndarray, new: np.ndarray) -> np.ndarray:
        starts, new = windows.starts(indices), new.transpose(source)
        along = windows.batches(indices.shape[:-1])
        if lost:
            new = np.expand_dims(new, tuple(batch_rank + i for i in lost))
        outside = windows.outside(starts)
        if outside is not None and clip:
            starts = windows.clipped(starts)
        elif outside is not None:
            kept = ~outside
            starts, along, new = (
                [s[kept] for s in starts],
                [np.broadcast_to(a, kept.shape)[kept] for a in along],
                new[kept],
            )
        found = np.array(x, order="C")
        write(found.transpose(turned), windows.index(starts, along), new)
        return found

    return scatter


def _writer(e: Equation) -> Callable[[np.ndarray, tuple, np.ndarray], None]:
    """Return the function that writes updates at indices. Indices may contain duplicates."""
    ufunc = SCATTERS[e.name]
    if ufunc is None:

        def put(array: np.ndarray, index: tuple, new: np.ndarray) -> None:
            array[index] = new

        return put
    if e.params.flag("unique_indices"):

        def combine(array: np.ndarray, index: tuple, new: np.ndarray) -> None:
            array[index] = ufunc(array[index], new)

        return combine
    return lambda array, index, new: _combine_many(ufunc, array, index, new)


def _combine_many(ufunc: np.ufunc, array: np.ndarray, index: tuple, new: np.ndarray) -> None:
    """Compute `ufunc.at(array, index, new)`.

    Updates of whole rows are sorted by row and reduced with `reduceat`, which is faster, because `at` processes single
    elements.
    """
    if len(index) == 1 and array.ndim > 1 and isinstance(index[0], np.ndarray) and array.size:
        rows = index[0].reshape(-1)
        new = new.reshape(rows.size, -1) if rows.size else new
        if not rows.size:
            return
        order = np.argsort(rows, kind="stable")
        rows = rows[order]
        first = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
        sums = (np.add if ufunc is np.subtract else ufunc).reduceat(new[order], first, axis=0)
        rows = rows[first]
        array[rows] = ufunc(array[rows], sums.reshape(rows.size, *array.shape[1:]))
    else:
        ufunc.at(array, index, new)


def _clamped(starts: Any, sizes: Any, shape: tuple) -> tuple:
    return tuple(
        [slice(s, s + n) for s, n in zip([min(max(int(i), 0), m - n) for i, n, m in zip(starts, sizes, shape)], sizes)]
    )


@rule("dynamic_slice")
def _dynamic_slice(e: Equation) -> Callable:
    shape, sizes = tuple(e.inputs[0].shape), tuple(e.params["slice_sizes"])
    return lambda x, *starts: x[_clamped(starts, sizes, shape)]


@rule("dynamic_update_slice")
def _dynamic_update_slice(e: Equation) -> Callable:
    shape, sizes = tuple(e.inputs[0].shape), tuple(e.inputs[1].shape)

    def update(x: np.ndarray, new: np.ndarray, *starts: np.ndarray) -> np.ndarray:
        found = np.array(x)
        found[_clamped(starts, sizes, shape)] = new
        return found

    return update
