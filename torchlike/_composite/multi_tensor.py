"""Multi-tensor updates: one trace entry applies an update rule to all tensors of an optimizer step."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes.strides import extent
from torchlike._engine import Aval, Plan, Value, record
from torchlike._engine.trace.plan import COMPILED, ONCE
from torchlike._engine.xla.layout import shared_layouts_of_update
from torchlike._engine.xla.target import placing_on_cpu
from torchlike._ops.schema.namespace import namespace
from torchlike._ops.schema.typing_rules import broadcast
from torchlike._tensor.storage import commit
from torchlike._tensor.tensor import Tensor

BLOCK = 1 << 18  # elements of each column that the host updates at a time
_plans: dict[tuple, Plan] = {}
_STORAGE = attrgetter("_storage")


def multi_tensor_update(
    rule: Callable[..., tuple],
    statics: tuple,
    scalars: tuple[float, ...],
    tensors: Sequence[Sequence[Tensor]],
    written: tuple[int, ...],
    joined: tuple[int, ...] = (),
    shown: Sequence[Sequence[Tensor]] = (),
    by_element: bool = True,
) -> None:
    """Update many tensors by one rule, in place and outside of autograd, as one entry of the trace.

    Args:
      rule: `rule(statics, scalars, *row) -> new arrays for the written columns`, a pure function over NumPy or JAX
        arrays.
      statics: hashable settings, which are part of the program's key.
      scalars: runtime numbers such as the learning rate or bias corrections; changing them never recompiles. The rule
        receives them as 0-dim arrays in the dtype in which the row is computed.
      tensors: columns, such as `[params, grads, exp_avgs]`; row i consists of the i-th tensor of each column.
      written: the indices of the columns that the rule writes.
      joined: the sizes of groups of tensors at the end of the columns. Each group is flattened and concatenated into
        one row: [3, 2] makes two rows of the last five tensors. A shorter column has one flat tensor for each group.
      shown: the tensors that are set to the last scalars, one list per scalar. The rule does not receive these scalars.
      by_element: True if the rule is element-wise.
    """
    values = [t._storage.value if t._chain is None else t._read() for column in tensors for t in column]
    lengths = tuple([len(column) for column in tensors])
    kinds = tuple([tuple([t._value.aval for t in holders]) for holders in shown])
    key = (rule, statics, len(scalars), lengths, written, joined, kinds, *[v.aval for v in values])
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = _make_plan(
            rule, statics, len(scalars), lengths, written, joined, kinds, values, by_element
        )
    results = record(plan, values, scalars)
    del values  # release the references, so that the old buffers count as unused below
    targets = [t for c in written for t in tensors[c]]
    commit(zip([*targets, *[t for holders in shown for t in holders]] if shown else targets, results))


def share_memory(written: list[Tensor], read: list[Tensor | None]) -> bool:
    """Return whether a write to a tensor of `written` changes another one of them or a tensor of `read`."""
    others = [t for t in read if t is not None]
    if len({*map(_STORAGE, written), *map(_STORAGE, others)}) == len(written) + len(others):
        return False
    ends: dict[tuple[int, bool], int] = {}  # (storage, whether it is written) -> the largest end so far
    spans = [(*_span(t), is_written) for tensors, is_written in ((written, True), (others, False)) for t in tensors]
    for storage, begin, end, is_written in sorted(spans):
        if begin < max(ends.get((storage, True), 0), is_written and ends.get((storage, False), 0)):
            return True
        ends[storage, is_written] = max(end, ends.get((storage, is_written), 0))
    return False


def _span(tensor: Tensor) -> tuple[int, int, int]:
    """Return the storage id of a tensor, and the byte offsets at which its elements begin and end."""
    size, begin = tensor.element_size(), tensor.storage_offset()
    return id(tensor._storage), begin * size, extent(tensor.shape, tensor.stride(), begin) * size


def row_update(rule: Callable, statics: tuple, scalars: Sequence, row: Sequence, written: Sequence[int]) -> tuple:
    """Apply a rule of `multi_tensor_update` to one row, and return the new arrays of the written columns."""
    work = _dtypes.opmath(_dtypes.FROM_NUMPY[row[0].dtype]).to_real().numpy
    new = rule(statics, tuple(s.astype(work) for s in scalars), *row)
    return tuple(array.astype(row[place].dtype) for array, place in zip(new, written))


def _make_plan(
    rule: Callable,
    statics: tuple,
    numbers: int,
    lengths: tuple[int, ...],
    written: tuple[int, ...],
    joined: tuple[int, ...],
    shown: tuple[tuple[Aval, ...], ...],
    values: list[Value],
    by_element: bool,
) -> Plan:
    avals = tuple(v.aval for v in values)  # the plan must not keep the values alive
    ends = list(itertools.accumulate(lengths))
    columns = [slice(end - length, end) for end, length in zip(ends, lengths)]
    rows = rows_of(lengths[0], joined)

    @jax.jit  # traced once for all rows of one shape
    def update_row(scalars: tuple, row: tuple) -> tuple:
        return row_update(rule, statics, scalars, row, written)

    def update(*flat: Any) -> tuple:
        arrays, scalars = flat[: len(avals)], flat[len(avals) :]
        xp, used = namespace(arrays[0]), scalars[: numbers - len(shown)]
        if xp is np and by_element:
            made = _in_blocks(functools.partial(update_row, used), [arrays[column] for column in columns], written)
        else:
            whole = [joined_rows(arrays[column], rows) for column in columns]
            new = zip(*[update_row(used, row) for row in zip(*whole)])
            made = [array for c, parts in zip(written, new) for array in apart(parts, arrays[columns[c]], rows)]
        counts = zip(shown, scalars[numbers - len(shown) :])
        return *made, *[xp.full(a.shape, count, a.dtype.numpy) for kinds, count in counts for a in kinds]

    is_even = True
    if by_element:
        kinds, alone = [avals[column] for column in columns], lengths[0] - sum(joined)
        zeros = (np.float32(0),) * (numbers - len(shown))
        is_even = _is_even(functools.partial(update_row, zeros), [k[:alone] for k in kinds], written)
        _check_joined(kinds, rows[alone:], alone)
    outputs = (*[a for c in written for a in avals[columns[c]]], *itertools.chain.from_iterable(shown))
    plan = Plan(rule.__name__, avals, (float,) * numbers, outputs, update)
    plan.shared_layouts = [
        *shared_layouts_of_update(lengths, written, lengths[0] - sum(joined), [a.shape for a in avals])
    ]
    is_single = all(a.dtype is _dtypes.float32 for a in avals)
    plan.executor = ONCE if by_element and is_single and is_even else COMPILED
    return plan


def _is_even(update_row: Callable, columns: Sequence[Sequence[Aval]], written: Sequence[int]) -> bool:
    """Return whether the tensors of each row have the same shape.

    Raises:
      RuntimeError: the tensors cannot be broadcast, or a written tensor would change its shape.
    """
    uneven = [row for row in zip(*columns) if len({a.shape for a in row}) > 1]
    for row in uneven:
        broadcast([a.shape for a in row])
        made = jax.eval_shape(update_row, tuple([jax.ShapeDtypeStruct(a.shape, a.dtype.numpy) for a in row]))
        for place, new in zip(written, made):
            if new.shape != row[place].shape:
                raise _errors.shapes.in_place_shape(row[place].shape, new.shape)
    return not uneven


def _check_joined(columns: Sequence[Sequence[Aval]], packs: Sequence[slice], alone: int) -> None:
    """Raise an error for concatenated rows whose tensors differ in size."""
    for number, pack in enumerate(packs):
        sizes = [a.numel for a in columns[0][pack]]
        for column in columns:
            is_flat = len(column) < len(columns[0])
            found = [column[alone + number].numel] if is_flat else [a.numel for a in column[pack]]
            for a, b in zip([sum(sizes)] if is_flat else sizes, found):
                if a != b:
                    raise _errors.shapes.not_broadcastable(b, a, 0)


@functools.cache
def over_rows(rule: Callable[..., tuple]) -> Callable[..., tuple]:
    """Return the variant of a rule for parameters with row-sparse gradients.

    Its columns are (param, values, lines, *state). It updates only the rows of the parameter and the state at the
    indices `lines`. The gradient of a row is the sum of its `values`.
    """

    @functools.wraps(rule)
    def update(statics: tuple, scalars: tuple, param: Any, values: Any, lines: Any, *state: Any) -> tuple:
        if not lines.size:
            return param, *state
        tables = [a.reshape((-1, *values.shape[1:])) for a in (param, *state)]
        # The result of `unique` has a static size. Surplus indices are out of bounds, so their writes are dropped.
        picked, place = jnp.unique(lines, return_inverse=True, size=lines.size, fill_value=tables[0].shape[0])
        grad = jnp.zeros_like(values).at[place].add(values)
        first, *others = [t.at[picked].get(mode="fill", fill_value=0) for t in tables]
        made = rule(statics, scalars, first, grad, *others)
        written = [t.at[picked].set(new.astype(t.dtype), mode="drop") for t, new in zip(tables, made)]
        return tuple(t.reshape(param.shape) for t in written)

    return update


def _in_blocks(update_row: Callable, columns: Sequence[Sequence[np.ndarray]], written: Sequence[int]) -> list:
    """Return the new arrays of the written columns, computed on the host.

    The arrays of each column are updated as if they were laid end to end, in blocks of one length. The length is a
    power of two, and the last block is padded, so one small program serves all tensors. Compiling it costs a tenth of
    compiling the update of many tensors, and its arrays stay in the processor's cache. In float32, an element gets
    bit-identical results from this program and the larger one. In other dtypes XLA sometimes contracts multiply-adds
    differently.
    """
    size = sum(a.size for a in columns[0])
    block = min(BLOCK, 1 << max(size - 1, 0).bit_length())
    made = [[np.empty(a.shape, a.dtype) for a in columns[c]] for c in written]
    rows = zip(*[_blocks(column, block) for column in columns])
    places = zip(*[_blocks(column, block) for column in made])
    with placing_on_cpu():
        for row, place in zip(rows, places):
            new = update_row(tuple([_padded(views, block) for views in row]))
            for views, whole in zip(place, new):
                _spread(np.asarray(whole), views)
    return [array for column in made for array in column]


def _blocks(arrays: Sequence[np.ndarray], block: int) -> Iterator[list[np.ndarray]]:
    """Yield, for each block of the arrays laid end to end, the flat views that make it up."""
    views: list[np.ndarray] = []
    room = block
    for array in arrays:
        flat, begin = array.reshape(-1), 0
        while begin < flat.size:
            end = min(begin + room, flat.size)
            views.append(flat[begin:end])
            room, begin = room - (end - begin), end
            if not room:
                yield views
                views, room = [], block
    if views:
        yield views


def _padded(views: list[np.ndarray], block: int) -> np.ndarray:
    """Return the views end to end, with zeros up to the length of a block."""
    more = block - sum(view.size for view in views)
    if not more and len(views) == 1:
        return views[0]
    return np.concatenate([*views, np.zeros(more, views[0].dtype)])


def _spread(whole: np.ndarray, views: list[np.ndarray]) -> None:
    """Write the elements of a block to the views that make it up."""
    begin = 0
    for view in views:
        view[...] = whole[begin : begin + view.size]
        begin += view.size


def rows_of(length: int, joined: tuple[int, ...]) -> list[slice]:
    """Return the slice of a full column that makes up each row."""
    ends = list(itertools.accumulate([*[1] * (length - sum(joined)), *joined]))
    return [slice(begin, end) for begin, end in zip([0, *ends], ends)]


def joined_rows(column: Sequence[Any], rows: list[slice]) -> list[Any]:
    """Return one array for each row: the tensor of the row, or its tensors flattened and concatenated."""
    if len(column) == len(rows):
        return list(column)
    parts = [column[row] for row in rows]
    return [p[0] if len(p) == 1 else namespace(column[0]).concatenate([a.reshape(-1) for a in p]) for p in parts]


def apart(made: Sequence[Any], like: Sequence[Any], rows: list[slice]) -> Iterator[Any]:
    """Undo `joined_rows`: yield arrays with the shapes and dtypes of `like`."""
    if len(like) == len(rows):
        yield from [array.reshape(one.shape) for array, one in zip(made, like)]
        return
    for array, row in zip(made, rows):
        begin, flat = 0, array.reshape(-1)
        for part in like[row]:
            yield flat[begin : begin + part.size].reshape(part.shape).astype(part.dtype)
            begin += part.size
