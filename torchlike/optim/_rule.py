"""One update rule run over many parameters: what all optimizers but `LBFGS` are made of.

An optimizer declares its rule (a pure function of arrays), the names of the state it keeps for each parameter, and
the numbers the rule takes. This file gathers parameters, gradients and state into columns and hands all rows that
share their numbers to the engine as one recorded operation. There is no second implementation to choose from:
PyTorch's `foreach` and `fused` select among implementations with equal results, so they are kept in the group and
change nothing.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable
from operator import is_
from typing import Any

import torchlike
from torchlike import Tensor, _core
from torchlike._fused import multi_tensor_update
from torchlike._modes import local
from torchlike._ops._namespace import namespace
from torchlike.optim import _errors
from torchlike.optim.optimizer import Optimizer, scalar_tensor

Group = dict[str, Any]


def update_rule(formula: Callable[..., tuple]) -> Callable[..., tuple]:
    """Make `formula(variant, scalars, param, grad, *state) -> (param, *state)` a rule for every dtype.

    The formula computes in the dtype of its scalars (float32 for bfloat16 parameters), and the engine rounds what it
    returns once, to the dtype of each column. Complex rows are shown to it as real ones with a last dimension of two.
    The sign of an ascent and weight decay are the same for all optimizers and are applied before it is called.
    """

    @functools.wraps(formula)
    def rule(flags: tuple, scalars: tuple, *row: Any) -> tuple:
        weight_decay, shrink, *own = scalars
        maximize, decay, *variant = flags
        param, grad, *state = [_as_real(a).astype(shrink.dtype) for a in row]
        grad = -grad if maximize else grad
        if decay == "decoupled":
            param = param * shrink
        elif decay == "penalty":
            grad = grad + weight_decay * param
        made = formula(variant, own, param, grad, *state)
        return tuple(_like(new, old) for new, old in zip(made, (row[0], *row[2:])))

    return rule


def _as_real(array: Any) -> Any:
    return namespace(array).stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def _like(new: Any, old: Any) -> Any:
    return new[..., 0] + 1j * new[..., 1] if old.dtype.kind == "c" else new


class Bucket:
    """Rows of one group that share counters, dtype and device, with their columns of state.

    `fresh` says that the state was made for the very next step.
    """

    __slots__ = ("columns", "counters", "dtype", "fresh", "rows")

    def __init__(self, counters: tuple[float, ...], fresh: bool, dtype: torchlike.dtype, columns: int) -> None:
        self.counters = counters
        self.fresh = fresh
        self.dtype = dtype
        self.rows: list[int] = []
        self.columns: list[list[Tensor]] = [[] for _ in range(1 + columns)]


class _Plan:
    """How one group is cut into buckets; it holds while the group, its flags and the rows with gradients stay."""

    __slots__ = ("buckets", "group", "names", "params", "rows")

    def __init__(self, group: Group, names: tuple[str, ...], rows: list[int]) -> None:
        self.group, self.names, self.rows = group, names, rows
        self.params = list(group["params"])
        self.buckets: dict[tuple, Bucket] = {}

    def holds(self, group: Group, names: tuple[str, ...], rows: list[int]) -> bool:
        params = group["params"]
        return (
            self.group is group
            and self.names == names
            and self.rows == rows
            and len(params) == len(self.params)
            and all(map(is_, params, self.params))
        )


class RuleOptimizer(Optimizer):
    """An optimizer that is one update rule. Subclasses give `rule` and the methods below it."""

    rule: Callable[..., tuple]
    # Numbers kept on the host for each parameter and shown as zero-dim tensors in `state`, where they come first.
    counters: tuple[str, ...] = ("step",)

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        """The state tensors the rule takes after parameter and gradient; without `param`, as far as options decide."""
        raise NotImplementedError

    def _start(self, group: Group, name: str, param: Tensor) -> Tensor:
        """The first value of a state tensor."""
        return torchlike.zeros_like(param)

    def _start_counters(self, group: Group) -> tuple[float, ...]:
        """The counters before the first step."""
        return (0.0,) * len(self.counters)

    def _advance(self, group: Group, counters: tuple[float, ...]) -> tuple[float, ...]:
        """The counters after one more step."""
        return tuple(count + 1 for count in counters)

    def _decay(self, group: Group) -> str | None:
        """How weight decay acts, if there is any."""
        if not group.get("weight_decay"):
            return None
        return "decoupled" if group.get("decoupled_weight_decay") else "penalty"

    def _variant(self, group: Group) -> tuple:
        """Options that select another formula; each combination is a program of its own."""
        return ()

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        """The numbers of this step, from the counters before and after advancing; computed here in double precision."""
        raise NotImplementedError

    # --- state: plain dictionaries, in which the counters are written when somebody looks -----------------------------

    @property
    def state(self) -> defaultdict[Any, Any]:
        """What is kept for each parameter. Reading it makes the next step gather its columns anew."""
        if self._plans:
            self._settle()
            for kept in self._state.values():
                _show_counters(kept, self.counters)
        return self._state

    @state.setter
    def state(self, state: defaultdict[Any, Any]) -> None:
        self._plans: dict[int, _Plan] = {}
        self._state = state

    def _settle(self) -> None:
        """Write the counters of every bucket back, as plain numbers, and forget the plans."""
        for plan in self._plans.values() if self.counters else ():
            for bucket in plan.buckets.values():
                for i in bucket.rows:
                    self._state[plan.params[i]].update(zip(self.counters, bucket.counters))
        self._plans.clear()

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        # Checkpoints written before an option existed behave as if it were off.
        options = {k: v for k, v in self.defaults.items() if v is None or isinstance(v, bool)}
        for group in self.param_groups:
            for name, default in options.items():
                group.setdefault(name, None if default is None else False)
        for kept in self._state.values():
            _show_counters(kept, self.counters)

    # --- the step -----------------------------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once.

        Args:
          closure: recomputes the loss with gradients and returns it.

        Returns:
          What `closure` returned, or None.
        """
        loss = None
        if closure is not None:
            with torchlike.enable_grad():
                loss = closure()
        with _core.uninterrupted():  # parameters, state and counters are those before or after the step, never between
            for index, group in enumerate(self.param_groups):
                self._step_group(index, group)
        return loss

    def _step_group(self, index: int, group: Group) -> None:
        grads = [param.grad for param in group["params"]]
        rows = [i for i, grad in enumerate(grads) if grad is not None]
        names = self._names(group)
        plan = self._plans.get(index)
        if plan is not None and not plan.holds(group, names, rows):
            self._settle()  # of every group: a parameter may have moved from one to another
            plan = None
        if not rows:
            return
        if plan is None:
            plan = self._plans[index] = self._gather(group, names, rows)
        flags = self._flags(group)
        capture = local.capture
        if capture is not None:
            capture.holds.append(lambda: self._still(index, plan, group, names, rows, flags))
        for bucket in plan.buckets.values():
            ask = functools.partial(self._next_scalars, group, bucket)
            scalars = ask() if capture is None else capture.ask(ask)
            given = grads if len(bucket.rows) == len(grads) else [grads[i] for i in bucket.rows]
            columns = [bucket.columns[0], given, *bucket.columns[1:]]
            written = (0, *range(2, len(columns)))
            multi_tensor_update(self.rule, flags, scalars, columns, written)  # type: ignore[arg-type]

    def _flags(self, group: Group) -> tuple:
        return group.get("maximize", False), self._decay(group), *self._variant(group)

    def _still(self, index: int, plan: _Plan, group: Group, names: tuple, rows: list, flags: tuple) -> bool:
        """Whether a step that was recorded would be recorded in the same way now."""
        return (
            index < len(self.param_groups)
            and self.param_groups[index] is group
            and self._plans.get(index) is plan
            and self._names(group) == names
            and plan.holds(group, names, rows)
            and self._flags(group) == flags
        )

    def _next_scalars(self, group: Group, bucket: Bucket) -> tuple[float, ...]:
        """Count one more step of a bucket; returns the numbers of that step."""
        before, now = bucket.counters, self._advance(group, bucket.counters)
        weight_decay = float(group.get("weight_decay", 0))
        shrink = 1 - float(group["lr"]) * weight_decay
        scalars = self._scalars(group, before, now, bucket)
        bucket.counters, bucket.fresh = now, False
        return weight_decay, shrink, *scalars

    def _gather(self, group: Group, names: tuple[str, ...], rows: list[int]) -> _Plan:
        """Sort the rows into buckets, making the state of those that have none."""
        plan = _Plan(group, names, rows)
        if len(set(plan.params)) != len(plan.params):
            raise _errors.duplicate_parameters()
        for i in rows:
            param = plan.params[i]
            kept_names = self._names(group, param)
            fresh = self._prepare(group, kept_names, param)
            kept = self._state[param] if (kept_names or self.counters) else {}
            counters = tuple(float(kept[name]) for name in self.counters)
            key = (counters, fresh, kept_names, param.dtype, param.device)
            bucket = plan.buckets.get(key)
            if bucket is None:
                bucket = plan.buckets[key] = Bucket(counters, fresh, param.dtype, len(kept_names))
            bucket.rows.append(i)
            for column, tensor in zip(bucket.columns, (param, *(kept[name] for name in kept_names))):
                column.append(tensor)
        return plan

    def _prepare(self, group: Group, names: tuple[str, ...], param: Tensor) -> bool:
        """Make what state is missing, outside the trace, so that a first step is the same program as a later one."""
        if not (names or self.counters):
            return False
        kept = self._state[param]
        fresh = not kept
        if fresh:
            kept.update(zip(self.counters, self._start_counters(group)))
        for name in names:
            if kept.get(name) is None:
                fresh = True
                kept[name] = self._start(group, name, param)
        return fresh


def _show_counters(kept: Any, counters: tuple[str, ...]) -> None:
    for name in counters:
        if isinstance(kept, dict) and isinstance(kept.get(name), (int, float)):
            kept[name] = scalar_tensor(kept[name])
