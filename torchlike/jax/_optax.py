"""Optimizers with an update rule as optax transformations."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import torchlike
from torchlike import _dtypes
from torchlike._composite.multi_tensor import row_update
from torchlike.optim._rule import Bucket, RuleOptimizer

if TYPE_CHECKING:
    import optax


class RuleState(NamedTuple):
    """The state of an optimizer over a pytree of parameters.

    Attributes:
      updates: the number of updates so far.
      counters: the optimizer's counters, in float64 as on the host.
      slots: for each name of the state of a parameter, a pytree like the parameters. A parameter without this state
        has `optax.MaskedNode()`.
    """

    updates: jax.Array
    counters: dict[str, jax.Array]
    slots: dict[str, Any]


def to_optax(kind: type[torchlike.optim.Optimizer], /, **options: Any) -> optax.GradientTransformation:
    """Return the optax transformation of an optimizer: `to_optax(torchlike.optim.AdamW, lr=1e-3)`.

    `init(params)` and `update(grads, state, params)` are pure functions of pytrees of JAX arrays, for `jax.jit`,
    `jax.vmap` and `optax.chain`. They apply the optimizer's own rule and formulas, so the results are those of the
    optimizer up to rounding. All parameters share the counters, because each update changes all parameters.

    Args:
      kind: the class of the optimizer. LBFGS and SparseAdam have no dense update rule.
      options: the options of its constructor. `lr` may be an optax schedule. Options may be arrays and tracers, as
        `optax.inject_hyperparams` passes them.

    Returns:
      The transformation. For complex parameters it takes PyTorch's gradients, which are conjugates of JAX's.

    Raises:
      TypeError: `kind` is not an optimizer with a dense update rule, or has no such option.
      ValueError: an option is out of range.

    >>> import jax, jax.numpy as jnp, optax, torchlike
    >>> tx = torchlike.jax.to_optax(torchlike.optim.SGD, lr=0.5, momentum=0.9)
    >>> params = {"w": jnp.array([1.0, 2.0], "float32")}
    >>> updates, state = jax.jit(tx.update)({"w": jnp.ones(2, "float32")}, tx.init(params), params)
    >>> optax.apply_updates(params, updates)
    {'w': Array([0.5, 1.5], dtype=float32)}
    """
    if not (isinstance(kind, type) and issubclass(kind, RuleOptimizer)) or kind.rule is kind.sparse_rule:
        raise TypeError(f"to_optax takes a class of optimizers with a dense update rule, but got {_shown(kind)}")
    import optax

    rule = _Rule(kind, options)
    return optax.GradientTransformation(rule.init, rule.update)


def _shown(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else repr(kind)


class _Rule:
    """The rule of an optimizer with its options.

    Attributes:
      given: options that are known when a program runs: schedules and arrays.
      group: the other options, and numbers in place of the first. It selects the program.
    """

    def __init__(self, kind: type[RuleOptimizer], options: dict[str, Any]) -> None:
        self.kind = kind
        self.given = {name: x for name, x in options.items() if callable(x) or isinstance(x, jax.Array)}
        parameters = inspect.signature(kind).parameters
        instead = {name: (name in parameters and parameters[name].default) or 1.0 for name in self.given}
        self.options = {**options, **instead}
        self.optimizer = self._over([_like((1, 1), "float32")])
        self.group = {name: x for name, x in self.optimizer.param_groups[0].items() if name != "params"}

    def _over(self, params: list) -> RuleOptimizer:
        """Return the optimizer over parameters. Its constructor checks parameters and options."""
        make: Callable[..., Any] = self.kind
        return make(params, **self.options)

    def init(self, params: Any) -> RuleState:
        leaves, tree = jax.tree.flatten(params)
        if leaves:
            self._over([_like(jnp.shape(x), jnp.result_type(x)) for x in leaves])
        group = self._group_at(jnp.zeros((), jnp.int32))
        counters = [jnp.asarray(x, jnp.float64) for x in self.optimizer._start_counters(group)]
        names = [self._names(x) for x in leaves]
        slots = {
            slot: tree.unflatten([self._start(group, slot, x, own) for x, own in zip(leaves, names)])
            for slot in dict.fromkeys([name for own in names for name in own])
        }
        return RuleState(jnp.zeros((), jnp.int32), dict(zip(self.kind.counters, counters)), slots)

    def update(self, updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        if params is None:
            raise ValueError(f"update needs the parameters: {self.kind.__name__} computes the update from them")
        leaves, tree = jax.tree.flatten(params)
        columns = [tree.flatten_up_to(each) for each in (updates, *state.slots.values())]
        group = self._group_at(state.updates)
        before: Any = tuple([state.counters[name] for name in self.kind.counters])
        now = self.optimizer._advance(group, before)
        fresh: Any = (state.updates == 0).astype(jnp.float64)
        changes, made = [], []
        for param, grad, *slots in zip(leaves, *columns):
            dtype = _dtypes.from_numpy(np.dtype(param.dtype))
            scalars = self.optimizer._all_scalars(group, before, now, Bucket(before, fresh, dtype, 0))
            new, *kept = self._row(param, grad, [x for x in slots if not _is_absent(x)], scalars)
            rest = iter(kept)
            changes.append(new - param)
            made.append([x if _is_absent(x) else next(rest) for x in slots])
        columns = [tree.unflatten(column) for column in zip(*made)] if made else state.slots.values()
        counters = dict(zip(self.kind.counters, [jnp.asarray(x, jnp.float64) for x in now]))
        after = RuleState(state.updates + 1, counters, dict(zip(state.slots, columns)))
        return tree.unflatten(changes), after

    def _row(self, param: Any, grad: Any, slots: list, scalars: tuple) -> tuple:
        row = (jnp.asarray(param), jnp.asarray(grad), *slots)
        numbers = [jnp.asarray(x, jnp.float64) for x in scalars]
        return row_update(self.kind.rule, self.optimizer._flags(self.group), numbers, row, (0, *range(2, len(row))))

    def _group_at(self, count: jax.Array) -> dict[str, Any]:
        """Return the options at an update. Schedules are called with the number of updates before it."""
        return {**self.group, **{name: x(count) if callable(x) else x for name, x in self.given.items()}}

    def _names(self, param: Any) -> tuple[str, ...]:
        return self.optimizer._names(self.group, _like(jnp.shape(param), jnp.result_type(param)))

    def _start(self, group: dict[str, Any], name: str, param: Any, own: tuple[str, ...]) -> Any:
        import optax

        if name not in own:
            return optax.MaskedNode()
        value, shape = self.optimizer._initial(group, name, jnp.shape(param))
        dtype = jnp.result_type(param)
        return jnp.full(shape, value + 1j * value if dtype.kind == "c" else value, dtype)


def _is_absent(slot: Any) -> bool:
    import optax

    return isinstance(slot, optax.MaskedNode)


def _like(shape: tuple[int, ...], dtype: Any) -> torchlike.Tensor:
    return torchlike.empty(shape, dtype=_dtypes.from_numpy(np.dtype(dtype)), device="meta")
