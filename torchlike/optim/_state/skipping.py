"""Steps that the device skips, for `GradScaler`.

A step with loss scaling is skipped if a gradient overflowed. Only the device knows this, and reading the flag would
wait for it. On an accelerator the step is recorded in any case. Its program keeps the old parameters and the old state
if the flag is set. The host then does not know how many steps were done, so the counters are numbers on the device
(`Bucket.ticks`), and the program computes the scalars of the step from them and from the options of the group. The
counters are read when the host needs them: when `state` is read, or at the next step that no scaler skips.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import SparseTensor, _engine, current, of_array, update_unless
from torchlike.optim._state.buckets import Bucket, Division
from torchlike.optim.optimizer import step_of

if TYPE_CHECKING:
    from torchlike.optim._rule import RuleOptimizer

_NUMBERS = frozenset((float, int))


class Formula(NamedTuple):
    """The scalars of a step as a function of an optimizer's options and counters, traced by JAX.

    Attributes:
      kind: the class of the optimizer.
      options: the names of the options, each with the length of a tuple option, or None for a number.
      dtype: the dtype of the parameters.
    """

    kind: type[RuleOptimizer]
    options: tuple[tuple[str, int | None], ...]
    dtype: torchlike.dtype

    def __call__(self, numbers: tuple, ticks: Any) -> tuple[tuple, tuple]:
        """Return the scalars of the step and the numbers in the new `ticks`."""
        given, group = iter(numbers), {}
        for name, length in self.options:
            group[name] = next(given) if length is None else tuple([next(given) for _ in range(length)])
        fresh, *before = [ticks[i] for i in range(len(ticks))]
        bare: Any = object.__new__(self.kind)  # the formulas read their arguments only
        now = bare._advance(group, tuple(before))
        bucket = Bucket(tuple(before), fresh, self.dtype, 0)
        return bare._all_scalars(group, tuple(before), now, bucket), (0.0, *now)


def step_unless(optimizer: RuleOptimizer, found: Mapping[Any, Tensor]) -> bool:
    """Do a step that the device skips if a flag is set; see `RuleOptimizer._step_unless`."""
    if not _can_skip(optimizer):
        return False
    groups = [(i, group, *optimizer._planned(i, group)) for i, group in enumerate(optimizer.param_groups)]
    if not all([_fits(optimizer, group, plan) for _, group, plan, _ in groups if plan is not None]):
        return False
    if "_noted_step" in vars(optimizer):
        optimizer._opt_called = True  # type: ignore[attr-defined]
    optimizer._hold_groups()
    flag_on = functools.cache(lambda device: functools.reduce(add, [flag.to(device) for flag in found.values()]))
    with torchlike.no_grad(), _engine.uninterrupted():
        for index, group, plan, grads in groups:
            for bucket in plan.buckets.values() if plan is not None else ():
                flag = flag_on(bucket.columns[0][0].device)
                _update(optimizer, group, bucket, [grads[i] for i in bucket.rows], flag)
            _hold(optimizer, index, plan, group)
    _engine.boundary()
    return True


def _can_skip(optimizer: RuleOptimizer) -> bool:
    from torchlike.optim._rule import RuleOptimizer

    return (
        optimizer.counts_on_device
        and not optimizer.defaults.get("differentiable")
        and step_of(optimizer) is RuleOptimizer.step
        and all([_is_dense(optimizer, group) for group in optimizer.param_groups])
    )


def _is_dense(optimizer: RuleOptimizer, group: dict) -> bool:
    """Return whether a group has numbers as options, and dense gradients on accelerators.

    This is checked before the step is planned, because planning makes state and updates rows with sparse gradients.
    """
    stepped = [param for param in group["params"] if param.grad is not None]
    return all([_is_runtime(group[name]) for name in optimizer.defaults]) and all(
        [p.device.type not in ("cpu", "meta") and p.grad.__class__ is not SparseTensor for p in stepped]
    )


def _fits(optimizer: RuleOptimizer, group: dict, plan: Division) -> bool:
    """Return whether the device can skip the step of a group."""
    return all([bucket.ticks is not None or _can_begin(optimizer, group, bucket) for bucket in plan.buckets.values()])


def _is_runtime(option: Any) -> bool:
    return not isinstance(option, Tensor) and not (isinstance(option, tuple | list) and any(map(_is_tensor, option)))


def _is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


def _can_begin(optimizer: RuleOptimizer, group: dict, bucket: Bucket) -> bool:
    """Return whether the counters of a bucket can move to the device."""
    alone = len(bucket.rows) - sum(len(pack.rows) for pack in bucket.packs)
    return (
        not any(bucket.shown)
        and not (bucket.fresh and bucket.counters != optimizer._start_counters(group))
        and all([len({t.shape for t in row}) == 1 for row in zip(*[column[:alone] for column in bucket.columns])])
    )


def _update(optimizer: RuleOptimizer, group: dict, bucket: Bucket, grads: list[Tensor], flag: Tensor) -> None:
    """Record the step of one bucket."""
    if bucket.ticks is None:
        start = np.array([bucket.fresh, *bucket.counters], np.float64)
        bucket.ticks = of_array(start, bucket.columns[0][0].device)
    capture, names = current().capture, [*optimizer.defaults]
    ask = lambda: _numbers(group, names)[0]
    numbers = ask() if capture is None else capture.ask(ask, bucket)
    formula = Formula(type(optimizer), _numbers(group, names)[1], bucket.dtype)
    columns = [bucket.columns[0], grads, *bucket.columns[1:]]
    joined = tuple([len(pack.rows) for pack in bucket.packs])
    written, flags = (0, *range(2, len(columns))), optimizer._flags(group)
    update_unless(optimizer.rule, flags, formula, numbers, columns, written, joined, flag, bucket.ticks)


def _numbers(group: dict, names: list[str]) -> tuple[tuple[float, ...], tuple[tuple[str, int | None], ...]]:
    """Return the numbers among the options of a group, and the options that contain them."""
    numbers: list[float] = []
    options: list[tuple[str, int | None]] = []
    for name in names:
        option = group[name]
        if option.__class__ in _NUMBERS:
            numbers.append(float(option))
            options.append((name, None))
        elif isinstance(option, tuple | list) and all(x.__class__ in _NUMBERS for x in option):
            numbers.extend(map(float, option))
            options.append((name, len(option)))
    return tuple(numbers), tuple(options)


def _hold(optimizer: RuleOptimizer, index: int, plan: Division | None, group: dict) -> None:
    """Add a guard to the current capture, if any: the plan and the options that select the program must not change."""
    capture = current().capture
    if capture is None or plan is None:
        return
    flags, options = optimizer._flags(group), _numbers(group, [*optimizer.defaults])[1]
    names = [*optimizer.defaults]
    capture.guards.append(lambda: _numbers(group, names)[1] == options and optimizer._still(index, plan, flags, True))
