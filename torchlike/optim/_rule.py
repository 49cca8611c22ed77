"""`RuleOptimizer`, which applies one update rule to many parameters. It is the base of all optimizers but `LBFGS`.

An optimizer defines its rule (a pure function of arrays), the names of the state tensors of each parameter, and the
scalars of the rule. This module gathers parameters, gradients and state into columns. A row is one parameter with its
gradient and state. All rows with the same scalars are recorded as one operation of the trace.

There is only one implementation. PyTorch's option `foreach` selects among implementations with equal results, so it is
stored in the group and has no effect. In half precision `fused` chooses a step that rounds its results only.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from sys import getrefcount
from typing import Any, ClassVar

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._internal import (
    ATTRIBUTE,
    DICT_ITEM,
    WRITE,
    SparseTensor,
    Value,
    _engine,
    check_flag,
    current,
    lines_of,
    multi_tensor_update,
    namespace,
    over_rows,
    share_memory,
    stepwise,
    unchanged,
)
from torchlike._internal import _errors as _internal_errors
from torchlike.optim import _errors
from torchlike.optim._checks import Capturable, check_fused
from torchlike.optim._differentiable import numbers_of, with_penalty, write_row
from torchlike.optim._state.buckets import Bucket as Bucket
from torchlike.optim._state.buckets import Division
from torchlike.optim._state.buckets import Group as Group
from torchlike.optim._state.packs import give, is_seen, packs
from torchlike.optim._state.skipping import step_unless
from torchlike.optim.optimizer import Optimizer, scalar_dtype, scalar_tensor


def _padded_rows(grads: list[Any]) -> list[list[Tensor]]:
    """Return the values of sparse gradients and the rows that they belong to, padded to powers of two.

    The number of values differs in most steps, and the program of the update is compiled for each length. The padding
    is therefore computed in the program before it.
    """
    rows = [*map(_padded, grads)]
    if any(values.shape[0] != grad._values_.shape[0] for (values, _), grad in zip(rows, grads)):
        _engine.boundary()
    return [[*column] for column in zip(*rows)]


def _padded(grad: Any) -> tuple[Tensor, Tensor]:
    """Return the padded values and rows of a gradient. The added rows are out of bounds, where updates are dropped."""
    values, lines = grad._values_, lines_of(grad)
    count = values.shape[0]
    more = (1 << max(count - 1, 0).bit_length()) - count
    if not values.numel() or not more:
        return values, lines
    pad = torchlike.nn.functional.pad
    end = grad.numel() // math.prod(values.shape[1:])
    return pad(values, (0, 0) * (values.dim() - 1) + (0, more)), pad(lines, (0, more), value=end)


DECOUPLED_SHARED = "decoupled, and the gradient shares the memory of the parameter"


def update_rule(formula: Callable[..., tuple]) -> Callable[..., tuple]:
    """Turn `formula(variant, scalars, step, param, grad, *state) -> (param, *state)` into a rule for every dtype.

    The formula computes in the dtype of its scalars (float32 for bfloat16 parameters). `step(x)` rounds x as PyTorch
    does when it stores x between two operators: half precision is rounded, other dtypes are unchanged. PyTorch also
    rounds the scalars of its additions, and formulas apply `step` to those. In a fused step, `step` changes nothing.
    The engine rounds the results of the formula. Complex arrays are passed to the formula as real arrays with a last
    dimension of two. The sign of `maximize` and weight decay are the same for all optimizers. They are applied before
    the formula is called.
    """

    @functools.wraps(formula)
    def rule(flags: tuple, scalars: tuple, *row: Any) -> tuple:
        weight_decay, shrink, *own = scalars
        maximize, decay, fused, *variant = flags
        param, grad, *state = [_as_real(a).astype(shrink.dtype) for a in row]
        step = unchanged if fused else stepwise(row[0])[0]
        grad = -grad if maximize else grad
        if decay in ("decoupled", DECOUPLED_SHARED):
            param = step(param * shrink)
            grad = grad if maximize or decay == "decoupled" else param
        elif decay == "penalty":
            grad = step(grad + step(weight_decay) * param)
        made = formula(variant, own, step, param, grad, *state)
        return tuple(_like(new, old) for new, old in zip(made, (row[0], *row[2:])))

    return rule


def _as_real(array: Any) -> Any:
    return namespace(array).stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def _like(new: Any, old: Any) -> Any:
    return new[..., 0] + 1j * new[..., 1] if old.dtype.kind == "c" else new


def _as_shared(flags: tuple, group: Group, grads: list[Any], rows: Sequence[int]) -> tuple:
    """Return the flags of a step, which differ if decoupled weight decay also shrinks the gradient of a single row."""
    pairs = [(group["params"][i], grads[i]) for i in rows]
    is_shared = all(p._storage is g._storage and p._chain == g._chain for p, g in pairs)
    return (flags[0], DECOUPLED_SHARED, *flags[2:]) if flags[1] == "decoupled" and is_shared else flags


class _Repeated(NotImplementedError):
    """A group contains the same parameter twice."""


class RuleOptimizer(Optimizer):
    """An optimizer that applies one update rule. Subclasses define `rule`, `_names` and `_scalars`."""

    rule: Callable[..., tuple]
    by_element = True  # whether the rule is elementwise, so that rows may be concatenated
    # The rule for the rows of a sparse gradient, if the optimizer supports them.
    sparse_rule: Callable[..., tuple] | None = None
    writes = 1  # how many times PyTorch writes a parameter in a step, weight decay aside; `Tensor._version` counts them
    # Numbers kept on the host for each parameter. `state` shows them as 0-d tensors, before the other entries.
    counters: tuple[str, ...] = ("step",)
    # Whether a loaded state must contain the counters. If one is missing, KeyError names it, as in PyTorch.
    requires_counters = True
    # Counters that a differentiable step keeps as tensors, because PyTorch computes with tensors there.
    tensor_counters: tuple[str, ...] = ()
    old_options: ClassVar[dict[str, Any]] = {}  # other values of options that are missing in an old checkpoint
    made_late: tuple[str, ...] = ()  # state that may be missing although other state exists
    records_lists = False  # whether PyTorch supports `differentiable=True` together with `foreach=True`
    writes_complex = False  # whether PyTorch updates complex parameters themselves, and not views of real numbers
    _given: list[Tensor] | None = None  # the gradients of a functional step, which replace those of the parameters
    # Whether JAX can trace `_advance` and `_scalars`, so that the device can count the steps that it does not skip.
    counts_on_device = False
    capturable = Capturable()
    shown_counter: Callable[[float, torchlike.dtype], Any] = staticmethod(scalar_tensor)

    def _names(self, group: Group, param: Tensor | None = None) -> tuple[str, ...]:
        """Return the names of the state tensors that the rule takes after parameter and gradient.

        Without `param`, return the names as far as they depend on options alone.
        """
        raise NotImplementedError

    def _start(self, group: Group, name: str, param: Tensor) -> Tensor:
        """Return the initial value of a state tensor."""
        value, shape = self._initial(group, name, tuple(param.shape))
        if shape != tuple(param.shape):
            return torchlike.full(shape, value, dtype=param.dtype, device=param.device)
        if value == 0:
            return torchlike.zeros_like(param)
        return torchlike.full_like(param, complex(value, value) if param.is_complex() else value)

    def _initial(self, group: Group, name: str, shape: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        """Return the initial value of the elements of a state tensor, and its shape for a parameter of this shape."""
        return 0.0, shape

    def _start_counters(self, group: Group) -> tuple[float, ...]:
        """Return the counters before the first step."""
        return (0.0,) * len(self.counters)

    def _advance(self, group: Group, counters: tuple[float, ...]) -> tuple[float, ...]:
        """Return the counters after one more step."""
        return tuple(count + 1 for count in counters)

    def _decay(self, group: Group) -> str | None:
        """Return the kind of weight decay: "decoupled", "penalty", or None without weight decay."""
        if "weight_decay" not in self.defaults or not group["weight_decay"]:
            return None
        return "decoupled" if group.get("decoupled_weight_decay") else "penalty"

    def _variant(self, group: Group, is_first: bool) -> tuple:
        """Return the options that select the formula. Each combination is compiled as its own program.

        `is_first` is true at the first step of a parameter if the step is differentiable.
        """
        return ()

    def _scalars(self, group: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple[float, ...]:
        """Return the scalars of this step, computed in double precision.

        `before` and `now` are the counters before and after this step. In a differentiable step options and counters
        may be tensors.
        """
        raise NotImplementedError

    # --- state: plain dictionaries, whose counters are written when `state` is read -----------------------------------

    @property
    def state(self) -> defaultdict[Any, Any]:
        """The state of each parameter. Reading it makes the next step gather its columns again."""
        self._is_known = True
        if self._plans:
            self._settle()
        if self._hides_counters:
            self._hides_counters = False
            for param, kept in self._state.items():
                self._show_counters(param, kept)
        return self._state

    @state.setter
    def state(self, state: defaultdict[Any, Any]) -> None:  # type: ignore[override]
        self._plans: dict[int, Division] = {}
        self._hides_counters = False  # whether the counters in the state are plain numbers
        self._is_known = bool(state)  # whether other references to tensors of the state may exist
        self._state = state

    def _settle(self) -> None:
        """Write the counters of every bucket back as plain numbers, split the packs, and discard the plans."""
        for plan in self._plans.values():
            changed = plan.changed(self._state)
            for (_, _, names, *_), bucket in plan.buckets.items():
                is_new, is_as_left = bucket.settle(), bucket.is_as_left()
                for i in bucket.rows if self.counters else ():
                    if plan.params[i] not in changed:
                        _keep_counters(self._state[plan.params[i]], self.counters, bucket.counters, is_as_left)
                for pack in bucket.packs:
                    pack.take_apart()
                if is_new:  # a skipped step makes no state
                    for i in bucket.rows:
                        self._drop(plan.params[i], names)
        self._hides_counters = True
        self._plans.clear()

    def _drop(self, param: Tensor, names: tuple[str, ...]) -> None:
        """Remove the state of a parameter that a step made."""
        kept = self._state.get(param, {})
        for name in (*names, *self.counters):
            kept.pop(name, None)
        if not kept:
            self._state.pop(param, None)

    def _show_counters(self, param: Any, kept: Any, dtype: torchlike.dtype = torchlike.float32) -> None:
        """Replace counters that are plain numbers by tensors.

        Plain numbers of a step stand for float32 tensors. The counters of fused steps are always float32.
        """
        for name in self.counters:
            if isinstance(kept, dict) and isinstance(kept.get(name), (int, float)):
                is_narrow = dtype is torchlike.float32 or self._is_fused(param)
                kept[name] = self.shown_counter(kept[name], torchlike.float32 if is_narrow else dtype)

    def _is_fused(self, param: Any) -> bool:
        return any(group.get("fused") and any(p is param for p in group["params"]) for group in self.param_groups)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        # Options whose default is False or None may be missing in an old checkpoint.
        options = {k: v for k, v in self.defaults.items() if v is None or v is False} | self.old_options
        for group in self.param_groups:
            for name, default in options.items():
                group.setdefault(name, default)
            held = [self._state[param] for param in group["params"] if self._state.get(param)]
            missing = [name for kept in held for name in self.counters if name not in kept]
            if missing and self.requires_counters:
                raise KeyError(missing[0])
        for param, kept in self._state.items():
            self._show_counters(param, kept, scalar_dtype())

    def _followed(self) -> list:
        buckets = [bucket for plan in self._plans.values() for bucket in plan.buckets.values()]
        ticks = [bucket.ticks for bucket in buckets if bucket.ticks is not None]
        return [*super()._followed(), *[t for bucket in buckets for pack in bucket.packs for t in pack.tensors], *ticks]

    def _check_group(self, group: Group) -> None:
        super()._check_group(group)
        if group.get("capturable") and any(param.device.type not in ("cpu", "meta") for param in group["params"]):
            raise _errors.unsupported_option(type(self).__name__, "capturable")

    # --- the step -----------------------------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters once.

        Args:
          closure: a function that recomputes the loss and its gradients, and returns the loss.

        Returns:
          The result of `closure`, or None.
        """
        loss = None
        if closure is not None:
            with torchlike.enable_grad():
                loss = closure()
        if differentiable := self.defaults.get("differentiable"):
            check_flag("set_grad_enabled", "enabled", 1, differentiable)
            self._step_recorded()
            return loss
        self._hold_groups()
        # Signals are deferred, so an interrupt cannot leave parameters, state and counters inconsistent.
        with _engine.uninterrupted():
            for index, group in enumerate(self.param_groups):
                self._step_group(index, group)
        return loss

    def _step_recorded(self) -> None:
        """Update the parameters by operators that autograd records (`differentiable=True`)."""
        if current().capture is not None:
            current().capture.stop("autograd records the step of an optimizer")
        with torchlike.enable_grad():
            for group in self.param_groups:
                for param, grad in zip(group["params"], self._grads(group["params"])):
                    if grad is not None:
                        self._step_row(group, param, grad)

    def _grads(self, params: list[Tensor]) -> list[Any]:
        """Return the gradients of the parameters of a group."""
        return [param.grad for param in params] if self._given is None else self._given

    def _step_row(self, group: Group, param: Tensor, grad: Tensor) -> None:
        self._check_rows(group, [param])
        if param.is_complex() and param.is_leaf and param.requires_grad and not self.writes_complex:
            raise _internal_errors.autograd.leaf_view_in_place()
        if group["foreach"] and not self.records_lists:
            raise AssertionError("_foreach ops don't support autograd")
        if grad.__class__ is SparseTensor:
            raise _errors.unsupported_option(type(self).__name__, "differentiable (with sparse gradients)")
        names = self._names(group, param)
        is_first = self._prepare(group, names, param)
        kept = self._state[param] if names or self.counters else {}
        self._show_counters(param, kept)
        if "step" in self.tensor_counters and kept["step"].requires_grad:
            raise RuntimeError("`requires_grad` is not supported for `step` in differentiable mode")
        before = tuple([kept[n] if n in self.tensor_counters else _count_of(kept[n]) for n in self.counters])
        numbers = numbers_of(group, with_tensors=True)
        grad = with_penalty(grad, param, numbers, self._decay(numbers))
        now = self._advance(numbers, before)
        scalars = self._all_scalars(numbers, before, now, Bucket(before, is_first, param.dtype, 0))
        flags = self._flags(numbers, is_first)
        write_row(self.rule, flags, scalars, grad, [param, *[kept[name] for name in names]])
        for name, count in zip(self.counters, now):
            kept[name].copy_(count)

    def _check_rows(self, group: Group, params: list[Tensor]) -> None:
        """Raise if an implementation that the group asks for does not take these parameters."""
        check_fused(group, params)
        self.capturable.check(group, params)

    def _step_group(self, index: int, group: Group) -> None:
        try:
            self._step_rows(index, group)
        except _Repeated:
            # PyTorch's lists of tensors advance the counters of all rows before they update the first one.
            if group.get("foreach") or group.get("fused") or any(p.device.type != "cpu" for p in group["params"]):
                raise
            if current().capture is not None:
                current().capture.stop("a parameter group contains the same parameter twice")
            self._step_repeated(index, group)

    def _step_repeated(self, index: int, group: Group) -> None:
        """Update the rows of a group one after the other."""
        # Without counters, PyTorch reads the state of all rows before it creates any (`SGD`).
        fresh = [] if self.counters else [param for param in group["params"] if param not in self._state]
        for param in group["params"]:
            self._settle()
            if any(param is each for each in fresh):
                self._state[param].clear()
            self._step_rows(index, {**group, "params": [param]})
        self._settle()

    def _step_rows(self, index: int, group: Group) -> None:
        known = self._plans.get(index)
        if known is not None and known.is_on_device():
            self._settle()
        plan, grads = self._planned(index, group)
        if plan is None:
            return
        flags = self._flags(group)
        capture = current().capture
        if capture is not None:
            capture.guards.append(lambda: self._still(index, plan, flags))
        for bucket in plan.buckets.values():
            if capture is None:
                scalars = self._next_scalars(group, bucket)
            else:
                ask, steady = (functools.partial(f, group, bucket) for f in (self._next_scalars, self._steady))
                scalars = capture.ask(ask, bucket, steady)
            own = _as_shared(flags, group, grads, bucket.rows) if plan.in_turn else flags
            self._update(bucket, own, scalars, [grads[i] for i in bucket.rows])

    def _step_unless(self, found: Mapping[Any, Tensor]) -> bool:
        """Do a step that the device skips if a flag in `found` is not zero, and return True.

        Return False, and do nothing, if this optimizer cannot do such a step. `found` has a zero-dim tensor for each
        device.
        """
        return step_unless(self, found)

    def _planned(self, index: int, group: Group) -> tuple[Division | None, list]:
        """Return the plan of a group, or None if it has no gradients, and the gradients of its parameters."""
        grads = self._grads(group["params"])
        rows = [i for i, grad in enumerate(grads) if grad is not None]
        sparse = [i for i in rows if grads[i].__class__ is SparseTensor]
        dense = [] if sparse else grads
        if sparse:
            rows, sparse = self._take_sparse(group, grads, rows, sparse)
        names = self._names(group)
        plan = self._plans.get(index)
        in_turn = share_memory([group["params"][i] for i in rows], dense)
        if plan is not None and not (plan.holds(group, names, rows, sparse, in_turn) and plan.is_as_left(self._state)):
            self._settle()  # for all groups, because a parameter may have moved to another group
            plan = None
        if not rows:
            return None, grads
        if plan is None:
            plan = self._plans[index] = self._gather(group, names, rows, sparse, in_turn)
        return plan, grads

    def _take_sparse(self, group: Group, grads: list, rows: list[int], sparse: list[int]) -> tuple[list, list]:
        """Check the sparse gradients. Return the rows, and the rows with sparse gradients, that the rules update.

        `rows` are all rows with gradients and `sparse` those with sparse gradients. A subclass may update rows itself
        and leave them out of the result.
        """
        if self.sparse_rule is None:
            raise _errors.no_sparse_gradients(next(c.__name__ for c in type(self).__mro__ if "rule" in vars(c)))
        if any(grads[i].is_complex() for i in sparse):
            raise NotImplementedError(
                f"torchlike.optim.{type(self).__name__} does not support sparse gradients of complex numbers. "
                "Use dense gradients."
            )
        return rows, sparse

    def _update(self, bucket: Bucket, flags: tuple, scalars: tuple, grads: list[Any]) -> None:
        """Record the step of one bucket."""
        given = _padded_rows(grads) if bucket.sparse else [grads]
        rule = over_rows(self.sparse_rule) if bucket.sparse else self.rule
        columns = [bucket.columns[0], *given, *bucket.columns[1:]]
        written = (0, *range(1 + len(given), len(columns)))
        joined = tuple([len(pack.rows) for pack in bucket.packs])
        by_element = self.by_element and not bucket.sparse
        shown = () if bucket.shown and bucket.shows_elsewhere() else bucket.shown
        multi_tensor_update(rule, flags, scalars, columns, written, joined, shown, by_element)
        if more := self.writes - 1 + (flags[1] in ("decoupled", DECOUPLED_SHARED)):
            for param in columns[0]:  # the writes that PyTorch counts beyond the one that was recorded
                param._storage.version += WRITE * more

    def _flags(self, group: Group, is_first: bool = False) -> tuple:
        fused = bool(group.get("fused"))
        return bool(group.get("maximize")), self._decay(group), fused, *self._variant(group, is_first)

    def _still(self, index: int, plan: Division, flags: tuple, on_device: bool = False) -> bool:
        """Return whether a captured step is still valid. The guard of `_hold_groups` checks groups and parameters.

        `on_device`: whether the step has its counters on the device.
        """
        return (
            self._plans.get(index) is plan
            and plan.is_on_device() is on_device
            and self._names(plan.group) == plan.names
            and plan.is_as_left(self._state)
            and self._flags(plan.group) == flags
        )

    def _next_scalars(self, group: Group, bucket: Bucket) -> tuple[float, ...]:
        """Advance the counters of a bucket by one step and return the scalars of that step.

        If the bucket has counters that are tensors (`shown`), the new counters follow the scalars. Counters on another
        device are written here.
        """
        numbers = numbers_of(group)
        before, now = bucket.counters, self._advance(numbers, bucket.counters)
        scalars = self._all_scalars(numbers, before, now, bucket)
        bucket.counters, bucket.fresh = now, False
        if bucket.versions is not None:
            bucket.versions += WRITE * sum(map(len, bucket.shown))
        if bucket.shown and bucket.shows_elsewhere():  # the program of the step cannot write to another device
            bucket.show()
            return tuple(map(float, scalars))
        return *map(float, scalars), *(now if bucket.shown else ())

    def _steady(self, group: Group, bucket: Bucket) -> set[int]:
        """Return the positions of the scalars that do not depend on the number of steps."""
        numbers, counters, found = numbers_of(group), bucket.counters, []
        for _ in range(2):
            before, counters = counters, self._advance(numbers, counters)
            found.append(self._all_scalars(numbers, before, counters, bucket))
        return {i for i, (first, second) in enumerate(zip(*found)) if first == second}

    def _all_scalars(self, numbers: Group, before: tuple, now: tuple, bucket: Bucket) -> tuple:
        """Return the scalars of a rule: those of weight decay, then the optimizer's own."""
        weight_decay = numbers.get("weight_decay", 0)
        return weight_decay, 1 - numbers["lr"] * weight_decay, *self._scalars(numbers, before, now, bucket)

    def _gather(
        self, group: Group, names: tuple[str, ...], rows: list[int], sparse: list[int], in_turn: bool
    ) -> Division:
        """Sort the rows into buckets and create missing state."""
        plan = Division(group, names, rows, sparse, in_turn)
        self._check_rows(group, [plan.params[i] for i in rows])
        if len(set(plan.params)) != len(plan.params):
            raise _Repeated(
                "step() does not support a parameter group that contains the same parameter twice. "
                "List every parameter once."
            )
        for i in rows if not self.by_element else ():
            if plan.params[i].shape != plan.params[i]._aval.shape:  # a `DTensor`: this process has a part of it
                raise _errors.unsupported_option(type(self).__name__, "a divided parameter")
        names_of = {i: self._names(group, plan.params[i]) for i in rows}
        is_fresh = {i: self._prepare(group, names_of[i], plan.params[i]) for i in rows}
        in_turn = in_turn or share_memory(self._written(plan.params, names_of), [])
        for i in rows:
            param, kept_names, fresh = plan.params[i], names_of[i], is_fresh[i]
            counters = tuple(_count_of(self._state[param][name]) for name in self.counters)
            key = (counters, fresh, kept_names, param.dtype, param.device, i in sparse, i if in_turn else -1)
            bucket = plan.buckets.get(key)
            if bucket is None:
                bucket = plan.buckets[key] = Bucket(counters, fresh, param.dtype, len(kept_names), i in sparse)
            bucket.rows.append(i)
        for (_, _, kept_names, *_), bucket in plan.buckets.items():
            is_open = self._fill(bucket, plan.params, kept_names)
            for param in [plan.params[i] for i in bucket.rows] if kept_names or self.counters else ():
                if is_open or getrefcount(self._state[param]) > DICT_ITEM:
                    kept = self._state[param]
                    plan.open.append((param, kept, (*kept.values(),)))
        plan.followed = [bucket for bucket in plan.buckets.values() if bucket.versions is not None]
        return plan

    def _written(self, params: list[Tensor], names_of: dict[int, tuple[str, ...]]) -> list[Tensor]:
        """Return the parameters of these rows and their state.

        A caller must not keep the list, because these references would prevent packing.
        """
        state = [self._state[params[i]][name] for i, names in names_of.items() for name in names]
        return [*[params[i] for i in names_of], *state]

    def _fill(self, bucket: Bucket, params: list[Tensor], names: tuple[str, ...]) -> bool:
        """Order the rows of a bucket and gather its columns. Return whether other references to the state exist."""
        is_open = getrefcount(self._state) > ATTRIBUTE  # other references exist, which bypass the property `state`
        bucket.shown = self._shown(bucket, params, is_open) if self.counters and names else []
        bucket.versions = bucket.versions_now() if bucket.shown and self._is_known else None
        is_plain = self.by_element and not bucket.sparse
        if is_plain and not is_open and current().capture is None:  # packs do not speed up a compiled step
            bucket.packs = packs(self._state, params, bucket.rows, names)
        joined = [i for pack in bucket.packs for i in pack.rows]
        alone = sorted(set(bucket.rows).difference(joined))
        bucket.rows = alone + joined
        bucket.columns[0] = [params[i] for i in bucket.rows]
        for place, name in enumerate(names):
            flat = [pack.tensors[place] for pack in bucket.packs]
            bucket.columns[1 + place] = [self._state[params[i]][name] for i in alone] + flat
        return is_open

    def _shown(self, bucket: Bucket, params: list[Tensor], is_open: bool) -> list[list[Tensor]]:
        """Return the counters that are tensors and may have other references, in one list for each name."""
        for i in bucket.rows:
            if is_open or getrefcount(self._state[params[i]]) > DICT_ITEM:
                self._show_counters(params[i], self._state[params[i]])
        is_held = is_open or current().capture is not None  # a capture has references of its own
        if not (is_held or any(is_seen(self._state, params[i], self.counters) for i in bucket.rows)):
            return []
        kept = [self._state[params[i]] for i in bucket.rows]
        shown = [[k[name] for k in kept if isinstance(k[name], Tensor)] for name in self.counters]
        return shown if any(shown) else []

    def _prepare(self, group: Group, names: tuple[str, ...], param: Tensor) -> bool:
        """Create missing state and return whether any was missing.

        The state is created outside the trace, so that the first step is the same program as later steps.
        """
        if not (names or self.counters):
            return False
        kept = self._state[param]
        missing = [name for name in names if kept.get(name) is None]
        fresh = not kept
        if fresh:
            kept.update(zip(self.counters, self._start_counters(group)))
            if scalar_dtype() is not torchlike.float32:
                self._show_counters(param, kept, scalar_dtype())
        else:
            self._check_kept(kept, missing)
        for name in missing:
            kept[name] = self._start(group, name, param)
        return fresh or bool(missing)

    def _check_kept(self, kept: Group, missing: list[str]) -> None:
        """Raise KeyError if the state of a parameter is incomplete."""
        for name in [*missing, *reversed(self.counters)]:
            if name not in kept and name not in self.made_late:
                raise KeyError(name)


def _count_of(counter: Any) -> float:
    """Return a counter as a number.

    The array is read directly, so that a captured call does not depend on the value. Each replay advances the counter.
    """
    array = counter._storage.value.array if isinstance(counter, Tensor) and counter._chain is None else None
    return float(counter if array is None else np.asarray(array).item())


def _keep_counters(kept: dict[str, Any], names: tuple[str, ...], counts: tuple[float, ...], is_as_left: bool) -> None:
    """Write counters to a state dictionary as plain numbers, or into the tensors that `state` has shown.

    The tensors are written only if `is_as_left`, that is, if no other code has written to them.
    """
    shown = [(kept[name], count) for name, count in zip(names, counts) if isinstance(kept[name], Tensor)]
    if is_as_left:
        give((t, Value(t._value.aval, np.full(t.shape, count, t.dtype.numpy))) for t, count in shown)
    kept.update((name, count) for name, count in zip(names, counts) if not isinstance(kept[name], Tensor))
