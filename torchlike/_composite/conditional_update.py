"""Multi-tensor updates that the device skips: the flag is a tensor, and the host does not read it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from torchlike._composite.multi_tensor import apart, joined_rows, row_update, rows_of
from torchlike._engine import Aval, Plan, record
from torchlike._engine.trace.plan import COMPILED
from torchlike._tensor.storage import commit
from torchlike._tensor.tensor import Tensor

_plans: dict[tuple, Plan] = {}

Formula = Callable[[tuple, Any], tuple[Sequence, Sequence]]


def update_unless(
    rule: Callable[..., tuple],
    statics: tuple,
    formula: Formula,
    numbers: Sequence[float],
    tensors: Sequence[Sequence[Tensor]],
    written: tuple[int, ...],
    joined: tuple[int, ...],
    flag: Tensor,
    counters: Tensor,
) -> None:
    """Do the same as `multi_tensor_update`, but keep the old contents of all tensors if a flag on the device is set.

    Args:
      rule, statics, tensors, written, joined: as for `multi_tensor_update`. The tensors of a row have one shape.
      formula: `formula(numbers, counters) -> scalars, new counters`, a pure hashable function over JAX arrays. It
        computes the scalars of the rule inside the program.
      numbers: runtime numbers, from which the formula computes.
      flag: a zero-dim tensor. Nothing changes if it is not zero.
      counters: a vector of float64 numbers on the device of the tensors, such as the count of steps.
    """
    values = [t._storage.value if t._chain is None else t._read() for column in tensors for t in column]
    values += [flag._value, counters._value]
    lengths = tuple([len(column) for column in tensors])
    key = (rule, statics, formula, len(numbers), lengths, written, joined, *[v.aval for v in values])
    plan = _plans.get(key)
    if plan is None:
        avals, layout = tuple([v.aval for v in values]), Layout(lengths, written, joined)
        plan = _plans[key] = _make_plan(rule, statics, formula, len(numbers), layout, avals)
    results = record(plan, values, numbers)
    del values  # release the references, so that the old buffers count as unused below
    commit(zip([*[t for c in written for t in tensors[c]], counters], results))


class Layout(NamedTuple):
    """The lengths of the columns of an update, the columns that it writes, and the sizes of the joined groups."""

    lengths: tuple[int, ...]
    written: tuple[int, ...]
    joined: tuple[int, ...]

    def columns(self) -> list[slice]:
        """Return the slice of each column in the list of all tensors."""
        ends = list(itertools.accumulate(self.lengths))
        return [slice(end - length, end) for end, length in zip(ends, self.lengths)]


def _make_plan(
    rule: Callable,
    statics: tuple,
    formula: Formula,
    numbers: int,
    layout: Layout,
    avals: tuple[Aval, ...],
) -> Plan:
    columns, rows = layout.columns(), rows_of(layout.lengths[0], layout.joined)

    @jax.jit  # traced once for all rows of one shape
    def update_row(skips: Any, scalars: tuple, row: tuple) -> tuple:
        made = row_update(rule, statics, scalars, row, layout.written)
        return tuple(jnp.where(skips, row[place], new) for place, new in zip(layout.written, made))

    def update(*flat: Any) -> tuple:
        arrays, (flag, counters), given = flat[: len(avals) - 2], flat[len(avals) - 2 : len(avals)], flat[len(avals) :]
        scalars, counts = formula(given, counters)
        after = jnp.stack([jnp.asarray(count, counters.dtype) for count in counts])
        skips, scalars = flag != 0, tuple([jnp.asarray(s, "float64") for s in scalars])
        whole = [joined_rows(arrays[column], rows) for column in columns]
        new = zip(*[update_row(skips, scalars, row) for row in zip(*whole)])
        made = [a for c, parts in zip(layout.written, new) for a in apart(parts, arrays[columns[c]], rows)]
        return *made, jnp.where(skips, counters, after)

    outputs = (*[a for c in layout.written for a in avals[columns[c]]], avals[-1])
    plan = Plan(f"{rule.__name__}_unless", avals, (float,) * numbers, outputs, update)
    plan.executor = COMPILED
    return plan
