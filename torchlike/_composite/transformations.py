"""Gradient transformations, pairs of functions `init` and `update` over pytrees, as one entry of the trace.

A transformation sees dictionaries with the names of the parameters as keys. Its state is a pytree. Each leaf of the
state belongs to the parameter whose name is in its path, or to all parameters together, such as a count of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes
from torchlike._dtypes import devices
from torchlike._engine import Aval, Plan, Value, aval, concrete, record
from torchlike._engine.trace.plan import COMPILED
from torchlike._engine.xla.jax_private import eval_jaxpr
from torchlike._engine.xla.layout import SharedLayout
from torchlike._tensor.storage import commit
from torchlike._tensor.tensor import Tensor, wrap

_UNTRACEABLE = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
)


class Name(str):
    """The name of a parameter: a key in the pytrees of a transformation that differs from all other strings there."""

    __slots__ = ()


class NeedsValue(Exception):
    """A transformation needs the value of a number while it is traced, for example in an `if`."""


class Recipe(NamedTuple):
    """A transformation as a function of runtime numbers.

    Attributes:
      name: the name of the operator, for reports.
      make: `make(numbers)` returns an object with the functions `init(params)` and
        `update(grads, state, params, **extra)`. The numbers are weakly typed, as Python's are.
      numbers: how many numbers it takes.
    """

    name: str
    make: Callable[[Sequence[Any]], Any]
    numbers: int


class Leaf(NamedTuple):
    """One array of the state of a transformation.

    Attributes:
      name: its path in the state, without the name of the parameter.
      param: the index of its parameter, or None if it belongs to all parameters.
      aval: its shape, dtype and device. A key of random numbers is stored as the words of the key.
      key: the implementation of the key, or None if the array is not a key.
    """

    name: str
    param: int | None
    aval: Aval
    key: Any


class Structure(NamedTuple):
    """The names and avals of the parameters, and the state of the transformation over them."""

    names: tuple[Name, ...]
    params: tuple[Aval, ...]
    tree: Any
    leaves: tuple[Leaf, ...]

    def pack(self, state: Any) -> list:
        """Return the leaves of a state, each with its dtype. The new state must have the structure of the old one."""
        found, tree = jax.tree.flatten(state)
        if tree != self.tree:
            raise TypeError(f"the update of a transformation must keep the structure of its state: {self.tree}, {tree}")
        return [jnp.asarray(_words(x), leaf.aval.dtype.numpy) for x, leaf in zip(found, self.leaves)]

    def unpack(self, arrays: Sequence) -> Any:
        """Return the state with these leaves."""
        keys = [leaf.key for leaf in self.leaves]
        found = [x if key is None else jax.random.wrap_key_data(x, impl=key) for x, key in zip(arrays, keys)]
        return jax.tree.unflatten(self.tree, found)


def structure_of(recipe: Recipe, names: Sequence[Name], params: Sequence[Tensor]) -> Structure:
    """Return the structure of the state over these parameters. Nothing is computed."""
    keys: list = []

    def init(numbers: list, arrays: list) -> Any:
        state = recipe.make(numbers).init(dict(zip(names, arrays)))
        keys[:] = [jax.random.key_impl(x) if _is_key(x) else None for x in jax.tree.leaves(state)]
        return jax.tree.map(_words, state)

    avals = tuple([p._aval for p in params])
    found, tree = jax.tree_util.tree_flatten_with_path(_shapes(init, recipe, avals))
    places, device = {name: i for i, name in enumerate(names)}, avals[0].device
    leaves = [_leaf(path, spec, places, device, key) for (path, spec), key in zip(found, keys)]
    return Structure(tuple(names), avals, tree, tuple(leaves))


def _leaf(path: tuple, spec: Any, places: dict, device: Any, key: Any) -> Leaf:
    own = [i for i, step in enumerate(path) if isinstance(getattr(step, "key", None), Name)]
    rest = tuple([step for i, step in enumerate(path) if i not in own])
    name = jax.tree_util.keystr(rest, simple=True, separator=".") or "state"
    kind = aval(spec.shape, _dtypes.from_numpy(np.dtype(spec.dtype)), device)
    return Leaf(name, places[path[own[-1]].key] if own else None, kind, key)


def initial_state(recipe: Recipe, structure: Structure, numbers: Sequence[float], params: Sequence[Tensor]) -> list:
    """Return new tensors with the initial state. They are computed at once, outside of the trace.

    As part of the trace, the initial state would make the first step a different program.
    """

    def init(numbers: list, arrays: list) -> list:
        return structure.pack(recipe.make(numbers).init(dict(zip(structure.names, arrays))))

    values = [p._value for p in params]
    arrays = [concrete(value) if value.array is None else value.array for value in values]
    with jax.default_device(devices.to_jax(structure.params[0].device)):
        made = jax.jit(init)([*numbers], arrays)
    return [wrap(Value(leaf.aval, array)) for leaf, array in zip(structure.leaves, made)]


class Update(NamedTuple):
    """One step of a transformation, as far as it selects the program.

    Attributes:
      recipe, structure: the transformation and its state.
      stepped: for each parameter, whether it has a gradient. The others keep their values and their state, and the
        transformation sees zeros as their gradients.
      extra: the names of additional arrays that `update` takes.
      skips: whether a flag on the device decides if the step is skipped.
    """

    recipe: Recipe
    structure: Structure
    stepped: tuple[bool, ...]
    extra: tuple[str, ...] = ()
    skips: bool = False

    def written(self) -> list[int]:
        """Return the indices of the leaves of the state that the step writes."""
        leaves = self.structure.leaves
        return [i for i, leaf in enumerate(leaves) if leaf.param is None or self.stepped[leaf.param]]

    def plan(self, extra: Sequence[Aval]) -> Plan:
        """Return the plan of the step. Its inputs are parameters, gradients, state, additional arrays and the flag."""
        structure, written = self.structure, self.written()
        of_rows = [a for a, steps in zip(structure.params, self.stepped) if steps]
        inputs = (*structure.params, *of_rows, *[leaf.aval for leaf in structure.leaves], *extra)
        outputs = (*of_rows, *[structure.leaves[i].aval for i in written])
        count, specs = len(inputs), _specs(inputs)

        def function(*flat: Any) -> tuple:
            # Python numbers make weakly typed inputs. With numbers of float64, float32 parameters would give float64
            # results, and with numbers of float32, `1 - b2` would be wrong in the fifth digit.
            closed = jax.make_jaxpr(self._step)([0.5] * self.recipe.numbers, specs)
            return tuple(eval_jaxpr(closed.jaxpr, closed.consts, *flat[count:], *flat[:count]))

        plan = Plan(self.recipe.name, inputs, (float,) * self.recipe.numbers, outputs, function)
        plan.executor, plan.shared_layouts = COMPILED, self._rows(written)
        _shapes(self._step, self.recipe, inputs)  # raises errors of the transformation here
        return plan

    def _step(self, numbers: list, arrays: list) -> list:
        structure, given = self.structure, iter(arrays)
        params = [next(given) for _ in structure.names]
        grads = [next(given) if steps else jnp.zeros_like(p) for p, steps in zip(params, self.stepped)]
        state = [next(given) for _ in structure.leaves]
        extra = {name: next(given) for name in self.extra}
        named = [dict(zip(structure.names, arrays)) for arrays in (grads, params)]
        changes, after = self.recipe.make(numbers).update(named[0], structure.unpack(state), named[1], **extra)
        moved = [_moved(p, changes[name]) for name, p in zip(structure.names, params)]
        rows = [i for i, steps in enumerate(self.stepped) if steps]
        old = [params[i] for i in rows] + [state[i] for i in self.written()]
        packed = structure.pack(after)
        new = [moved[i] for i in rows] + [packed[i] for i in self.written()]
        if not self.skips:
            return new
        flag = next(given) != 0
        return [jnp.where(flag, a, b) for a, b in zip(old, new)]

    def _rows(self, written: list[int]) -> list[SharedLayout]:
        """Return, for each parameter with a gradient, the inputs and results that have its layout over a mesh."""
        structure, found = self.structure, []
        stepped = [i for i, steps in enumerate(self.stepped) if steps]
        begin = len(structure.names) + len(stepped)
        for row, i in enumerate(stepped):
            like = [n for n in written if structure.leaves[n].param == i and self._is_like(structure.leaves[n].aval, i)]
            inputs = (i, len(structure.names) + row, *[begin + n for n in like])
            found.append(SharedLayout(inputs, (row, *[len(stepped) + written.index(n) for n in like])))
        return found

    def _is_like(self, kind: Aval, param: int) -> bool:
        return kind.shape == self.structure.params[param].shape


def apply_update(
    update: Update,
    plan: Plan,
    numbers: Sequence[float],
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    state: Sequence[Tensor],
    extra: Sequence[Tensor] = (),
) -> None:
    """Do one step in place and outside of autograd, as one entry of the trace.

    Args:
      update, plan: the step and its plan.
      numbers: the runtime numbers of the recipe.
      params, state: all parameters and all leaves of the state.
      grads: the gradients of the parameters that have one.
      extra: the additional arrays, and the flag.
    """
    tensors = [*params, *grads, *state, *extra]
    values = [t._storage.value if t._chain is None else t._read() for t in tensors]
    results = record(plan, values, numbers)
    del values, tensors  # release the references, so that the old buffers count as unused below
    rows = [p for p, steps in zip(params, update.stepped) if steps]
    commit(zip([*rows, *[state[i] for i in update.written()]], results))


def _moved(param: Any, change: Any) -> Any:
    return param if change is None else (param + change).astype(param.dtype)


def _shapes(function: Callable, recipe: Recipe, avals: Sequence[Aval]) -> Any:
    """Return the shapes of the results of `function(numbers, arrays)`."""
    try:
        return jax.eval_shape(function, [0.5] * recipe.numbers, _specs(avals))
    except _UNTRACEABLE as error:
        raise NeedsValue(str(error)) from error


def _specs(avals: Sequence[Aval]) -> list:
    return [jax.ShapeDtypeStruct(a.shape, a.dtype.numpy) for a in avals]


def _is_key(x: Any) -> bool:
    return hasattr(x, "dtype") and jnp.issubdtype(x.dtype, jax.dtypes.prng_key)


def _words(x: Any) -> Any:
    return jax.random.key_data(x) if _is_key(x) else jnp.asarray(x)
