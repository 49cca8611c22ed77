"""Derivatives of attention that is computed by blocks or by a platform's own kernel.

`attend` has a forward pass that returns residuals and a backward pass that uses them. JAX transposes the primitive
`attention_tangent`, and its transpose is the backward pass. All other derivatives (forward mode and higher orders) are
those of `whole`, the formula over the matrix of all scores.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from torchlike._engine.xla.jax_private import (
    Primitive,
    ShapedArray,
    Zero,
    is_undefined_primal,
    lower_fun,
    primitive_batchers,
    primitive_jvps,
    primitive_transposes,
    register_lowering,
)
from torchlike._ops.nn.attention_blockwise import Blocks
from torchlike._ops.nn.attention_dense import weights_of


class Form(NamedTuple):
    """How attention is computed.

    `forward(o, q, k, v, mask, noise)` returns the result and residuals. `backward(o, primals, results, change,
    wants_mask)` returns the gradients of q, k, v and the mask.
    """

    blocks: Blocks
    forward: Callable[..., tuple]
    backward: Callable[..., tuple]


def whole(o: Blocks, q: Any, k: Any, v: Any, mask: Any, noise: Any) -> Any:
    """Return softmax(q kT scale + mask) v from the matrix of all scores."""
    wide = np.promote_types(q.dtype, np.float32) if q.dtype.itemsize > 2 else np.float32
    length, keys = q.shape[2], k.shape[1]
    scores = jnp.einsum("ngle,nse->ngls", q, k, preferred_element_type=wide) * np.asarray(o.scale, wide)
    scores = scores.reshape(*o.lead, length, keys)
    if mask is not None:
        mask = mask.reshape(*o.mask_lead, *mask.shape[1:])
        scores = scores + (jnp.where(mask, 0, -np.inf) if mask.dtype == bool else mask).astype(wide)
    if o.causal:
        scores = jnp.where(jnp.arange(length)[:, None] < jnp.arange(keys), -np.inf, scores)
    weights = weights_of(scores)
    if noise is not None:
        weights = weights * _factors(o, noise, weights.size).reshape(weights.shape).astype(wide)
    weights = weights.reshape(*q.shape[:2], length, keys).astype(v.dtype)
    return jnp.einsum("ngls,nsf->nglf", weights, v, preferred_element_type=wide).astype(v.dtype)


def _factors(o: Blocks, noise: Any, count: int) -> Any:
    if o.draw is None:
        return noise
    kind = np.uint32 if count < 2**32 else np.uint64
    return o.draw(noise, jnp.arange(count, dtype=kind).reshape(*o.lead, -1))


# -- the first derivative ----------------------------------------------------------------------------------------------


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def attend(form: Form, q: Any, k: Any, v: Any, mask: Any, noise: Any) -> tuple:
    """Return the result (N, G, L, F) and residuals of `form`.

    Args:
      form: the two passes and their static arguments.
      q: (N, G, L, E). k: (N, S, E). v: (N, S, F).
      mask: (M, 1 or L, 1 or S), bool or floating, or None. `Blocks.mask_lead` describes M.
      noise: the factors of dropout (N * G, L, S), the state of `Blocks.draw`, or None.
    """
    return form.forward(form.blocks, q, k, v, mask, noise)


def _attend_jvp(form: Form, primals: tuple, changes: tuple) -> tuple:
    results = attend(form, *primals)
    leaves, tree = jax.tree.flatten((primals, results))
    places, linear = _moving(changes[:4])
    if not places:
        return results, tuple(map(_no_change, results))
    change = tangent_p.bind(*leaves, *linear, form=form, tree=tree, places=places, axes=())
    return results, (change, *map(_no_change, results[1:]))


attend.defjvp(_attend_jvp, symbolic_zeros=True)


def _moving(changes: tuple) -> tuple[tuple[int, ...], list]:
    """Return the places of the tangents that are not known to be zero, and these tangents.

    Zeros are left out because XLA's CPU backend gives wrong numbers for some products with a constant zero.
    """
    is_zero = lambda c: c is None or type(c) in (SymbolicZero, Zero) or c.dtype == jax.dtypes.float0
    places = tuple([i for i, c in enumerate(changes) if not is_zero(c)])
    return places, [changes[i] for i in places]


def _replaced(arrays: Any, places: tuple[int, ...], some: Any) -> list:
    """Return the arrays with others at these places."""
    full = list(arrays)
    for i, x in zip(places, some):
        full[i] = x
    return full


def _no_change(x: Any) -> Any:
    floating = jnp.issubdtype(x.dtype, jnp.floating)
    return jnp.zeros_like(x) if floating else np.zeros(x.shape, jax.dtypes.float0)


def _parted(flat: Any, tree: Any) -> tuple:
    """Return the primals, the results and the tangents among the operands of `attention_tangent`."""
    return *jax.tree.unflatten(tree, flat[: tree.num_leaves]), flat[tree.num_leaves :]


def _by_whole(form: Form, tree: Any, places: tuple[int, ...], *flat: Any) -> Any:
    """Return the tangent of the result."""
    primals, _, changes = _parted(flat, tree)

    function = lambda *some: whole(form.blocks, *_replaced(primals, places, some))
    return jax.jvp(function, [primals[i] for i in places], list(changes))[1]


def _by_pass(form: Form, tree: Any, wanted: tuple[int, ...], *flat: Any) -> tuple:
    """Return the gradients of the arrays at the places `wanted`, given the operands and the result's gradient."""
    primals, results, (change,) = _parted(flat, tree)
    found = _pulled(form, 3 in wanted, primals, results, change)
    return tuple([found[i] for i in wanted])


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _pulled(form: Form, wants_mask: bool, primals: tuple, results: tuple, change: Any) -> tuple:
    return form.backward(form.blocks, primals, results, change, wants_mask)


def _pulled_jvp(form: Form, wants_mask: bool, given: tuple, changes: tuple) -> tuple:
    *arrays, noise = given[0]
    count = 4 if wants_mask else 3
    places, moves = _moving((*changes[0][:4], changes[2]))

    def function(*some: Any) -> tuple:
        replaced: list[Any] = _replaced((*arrays, given[2]), places, some)
        *held, change = replaced
        fixed = *held[count:], noise
        grads = jax.vjp(lambda *held: whole(form.blocks, *(*held, *fixed)), *held[:count])[1](change)
        return *grads, *[None] * (4 - count)

    grads = _pulled(form, wants_mask, *given)
    if not places:
        return grads, jax.tree.map(_no_change, grads)
    return grads, jax.jvp(function, [(*arrays, given[2])[i] for i in places], moves)[1]


_pulled.defjvp(_pulled_jvp, symbolic_zeros=True)


# -- the primitive whose transpose is the backward pass ----------------------------------------------------------------

tangent_p = Primitive("torchlike_attention_tangent")


def _mapped(function: Callable, axes: tuple) -> Callable:
    for each in axes:
        function = jax.vmap(function, in_axes=each)
    return function


def _tangent(*flat: Any, form: Form, tree: Any, places: tuple, axes: tuple) -> Any:
    return _mapped(functools.partial(_by_whole, form, tree, places), axes)(*flat)


def _tangent_shape(*flat: Any, form: Form, tree: Any, places: tuple, axes: tuple) -> ShapedArray:
    found = jax.eval_shape(functools.partial(_tangent, form=form, tree=tree, places=places, axes=axes), *flat)
    return ShapedArray(found.shape, found.dtype)


def _tangent_jvp(flat: Any, changes: Any, *, form: Form, tree: Any, places: tuple, axes: tuple) -> tuple:
    count, options = tree.num_leaves, {"form": form, "tree": tree}
    out = tangent_p.bind(*flat, **options, places=places, axes=axes)
    totals = []
    which, linear = _moving(changes[count:])
    if which:
        now = tuple([(*each[:count], *[each[count + i] for i in which]) for each in axes])
        some = tuple([places[i] for i in which])
        totals.append(tangent_p.bind(*flat[:count], *linear, **options, places=some, axes=now))
    moved, moves = _moving(changes[:count])
    if moved:
        function = lambda *some: _tangent(*_replaced(flat, moved, some), **options, places=places, axes=axes)
        totals.append(jax.jvp(function, [flat[i] for i in moved], moves)[1])
    return out, sum(totals[1:], totals[0]) if totals else jnp.zeros_like(out)


def _tangent_transpose(change: Any, *flat: Any, form: Form, tree: Any, places: tuple, axes: tuple) -> list:
    count = tree.num_leaves
    if type(change) is Zero:
        return [None] * len(flat)
    missing = [*map(is_undefined_primal, flat[count:])]
    wanted = tuple([i for i, is_missing in zip(places, missing) if is_missing])
    pull = _mapped(functools.partial(_by_pass, form, tree, wanted), tuple((*each[:count], 0) for each in axes))
    found = iter(pull(*flat[:count], change))
    return [*[None] * count, *[next(found) if is_missing else None for is_missing in missing]]


def _tangent_batched(flat: Any, dims: Any, *, form: Form, tree: Any, places: tuple, axes: tuple) -> tuple:
    """Map the primitive over one more dim. The tangents are all mapped, so the transpose need not add gradients."""
    count = tree.num_leaves
    size = next(x.shape[d] for x, d in zip(flat, dims) if d is not None)
    moved = [x if d is None else jnp.moveaxis(x, d, 0) for x, d in zip(flat, dims)]
    linear = [jnp.broadcast_to(x, (size, *x.shape)) if d is None else x for x, d in zip(moved[count:], dims[count:])]
    now = (*[None if d is None else 0 for d in dims[:count]], *[0] * len(linear))
    return tangent_p.bind(*moved[:count], *linear, form=form, tree=tree, places=places, axes=(*axes, now)), 0


tangent_p.def_impl(_tangent)
tangent_p.def_abstract_eval(_tangent_shape)
primitive_jvps[tangent_p] = _tangent_jvp
primitive_transposes[tangent_p] = _tangent_transpose
primitive_batchers[tangent_p] = _tangent_batched
register_lowering(tangent_p, lower_fun(_tangent, multiple_results=False))
