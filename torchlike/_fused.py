"""One recorded entry for a whole optimizer step: an update rule mapped over the rows of columns of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from torchlike import _dtypes
from torchlike._core import Plan, Value, record
from torchlike._core.plan import COMPILED
from torchlike._tensor import Tensor, commit

_plans: dict[tuple, Plan] = {}


def multi_tensor_update(rule: Callable[..., tuple], statics: tuple, scalars: tuple[float, ...],
                        tensors: Sequence[Sequence[Tensor]], written: tuple[int, ...]) -> None:  # fmt: skip
    """Update many tensors by one rule, in place and outside autograd, as one entry of the trace.

    Args:
      rule: `rule(statics, scalars, *row) -> new arrays for the written columns`, pure, over JAX arrays.
      statics: hashable settings, part of the program's key.
      scalars: runtime numbers (learning rate, bias corrections, ...): changing them never recompiles. The rule gets
        them as 0-d arrays in the dtype of the row's arithmetic.
      tensors: columns, e.g. `[params, grads, exp_avgs]`; row i is made of the i-th tensor of each.
      written: the columns that the rule writes.
    """
    values = [t._storage.value if t._chain is None else t._read() for column in tensors for t in column]
    key = (rule, statics, len(scalars), len(tensors), written, *[v.aval for v in values])
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = _make_plan(rule, statics, len(scalars), len(tensors), written, values)
    results = record(plan, values, scalars)
    del values  # what is overwritten below must not look needed
    commit(zip([t for c in written for t in tensors[c]], results))


def _make_plan(rule: Callable, statics: tuple, numbers: int, columns: int, written: tuple[int, ...],
               values: list[Value]) -> Plan:  # fmt: skip
    avals = tuple(v.aval for v in values)
    count, rows = len(avals), len(avals) // columns  # the plan must not hold the values themselves

    @jax.jit  # traced once for all rows of one shape
    def update_row(scalars: tuple, row: tuple) -> tuple:
        work = _dtypes.opmath(_dtypes.FROM_NUMPY[row[0].dtype]).to_real().numpy
        new = rule(statics, tuple(s.astype(work) for s in scalars), *row)
        return tuple(array.astype(row[place].dtype) for array, place in zip(new, written))

    def update(*flat: Any) -> tuple:
        arrays, scalars = flat[:count], flat[count:]
        new = [update_row(scalars, arrays[i::rows]) for i in range(rows)]
        return tuple(row[c] for c in range(len(written)) for row in new)

    outputs = tuple(avals[c * rows + i] for c in written for i in range(rows))
    plan = Plan(rule.__name__, avals, (float,) * numbers, outputs, update)
    plan.executor = COMPILED
    return plan
