"""Scatter with a reduction: sum, product, mean, maximum or minimum of the elements with the same index."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp

from torchlike import _errors
from torchlike._ops.index.index import _along, _check_along, _check_index_functions, _within
from torchlike._ops.schema.declare import Array, operator
from torchlike._ops.schema.typing_rules import Call


def _check_reduction(call: Call) -> None:
    if call.reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {call.reduce}")
    _check_along(call)


@operator(
    promote=None,
    shape=lambda call: [(tuple(call.input.shape), call.input.dtype)],
    check=_check_reduction,
    opmath=False,
    where=(),
    name="_scatter_reduce",
    node="ScatterReduceBackward0",
    numpy=False,
    remembers=("input", "index", "src", "result"),
    chooses=lambda plan: plan.static("reduce") in ("amax", "amin"),
)
def _scatter_reduce(input: Array, dim: int, index: Array, src: Array, reduce: str, include_self: bool = True):
    """Return `input` with the elements of `src` reduced into the positions given by `index` along `dim`."""
    shape = input.shape
    if 0 in index.shape:
        return input
    if not input.ndim:
        input, index, src = input.reshape(1), index.reshape(1), src.reshape(1)
    src = src[tuple(slice(n) for n in index.shape)]
    place = _along(_within(index, dim, input.shape, _errors.indexing.index_along), dim % input.ndim)
    hit = jnp.zeros(input.shape, jnp.int64).at[place].add(1)
    own = jnp.ones(input.shape, bool) if include_self else hit == 0
    if reduce in ("sum", "mean"):
        made = jnp.where(own, input, 0).at[place].add(src)
        return (_mean(made, hit + own) if reduce == "mean" else made).reshape(shape)
    combine = _product if reduce == "prod" else _largest if reduce == "amax" else _smallest
    return combine(jnp.asarray(input), src, place, own).reshape(shape)


@operator(
    promote=None,
    shape=lambda call: [(tuple(call.input.shape), call.input.dtype)],
    check=_check_index_functions,
    opmath=False,
    where=(),
    name="_index_reduce",
    node="IndexReduceBackward0",
    numpy=False,
    remembers=("input", "index", "source", "result"),
    chooses=lambda plan: plan.static("reduce") in ("amax", "amin"),
)
def _index_reduce(input: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool = True):
    """Return `input` with the slices of `source` reduced into the slices at `index` along `dim`."""
    if source.ndim:
        index = index.reshape([-1 if d == dim % source.ndim else 1 for d in range(source.ndim)])
        index = jnp.broadcast_to(index, source.shape)
    return _scatter_reduce.kernel(input, dim, index, source, reduce, include_self)


def _mean(total: Any, count: Any) -> Any:
    count = jnp.maximum(count, 1).astype(total.dtype)
    return jnp.floor_divide(total, count) if total.dtype.kind in "iu" else total / count


def _tangents(found: Any, input: Any, src: Any, place: Any, of_input: Any, of_src: Any, tangents: Any) -> Any:
    return found, (of_input * tangents[0]).at[place].add(of_src * tangents[1])


@jax.custom_jvp
def _product(input: Any, src: Any, place: Any, own: Any) -> Any:
    return jnp.where(own, input, 1).at[place].multiply(src)


@_product.defjvp
def _product_jvp(primals: Any, tangents: Any) -> Any:
    input, src, place, _ = primals
    return _tangents(_product(*primals), input, src, place, *_others(*primals), tangents)


@jax.custom_jvp
def _others(input: Any, src: Any, place: Any, own: Any) -> tuple[Any, Any]:
    """Return, for each factor in `input` and `src`, the product of all other factors at its position."""
    zeros = (own & (input == 0)).astype(jnp.int64).at[place].add((src == 0).astype(jnp.int64))
    ones = jnp.ones(input.shape, bool)
    # The product of the nonzero factors.
    rest = _product(jnp.where(own & (input != 0), input, 1), jnp.where(src == 0, 1, src), place, ones)

    def share(x: Any, zeros: Any, rest: Any) -> Any:
        left = rest / jnp.where(x == 0, 1, x)
        return jnp.where(zeros == (x == 0), left, left * 0).astype(input.dtype)

    return jnp.where(own, share(input, zeros, rest), 0), share(src, zeros[place], rest[place])


@_others.defjvp
def _others_jvp(primals: Any, tangents: Any) -> Any:
    """Return the value and the tangent of `_others`.

    Counting zeros and dividing gives the right value but no usable derivatives, so the tangent is computed from a
    formula with products only.
    """
    input, src, place, own = primals
    products = functools.partial(_others_multiplied, place=place, own=own)
    return _others(*primals), jax.jvp(products, (input, src), tangents[:2])[1]


def _others_multiplied(input: Any, src: Any, place: Any, own: Any) -> tuple[Any, Any]:
    """Compute `_others` as the product of the factors before each factor times the product of those after it."""
    lead, rest = input.shape[: len(place)], math.prod(input.shape[len(place) :])
    count = math.prod(lead)  # the number of positions, each with rows of factors
    missed = functools.reduce(jnp.logical_or, [(p < 0) | (p >= n) for p, n in zip(place, lead)])
    theirs = jnp.where(missed, count, jnp.ravel_multi_index(place, lead, mode="clip")).reshape(-1)
    keys = jnp.concatenate([jnp.arange(count), theirs])
    rows = [jnp.where(own, input, 1).reshape(count, rest), src.reshape(theirs.size, rest)]
    order = jnp.argsort(keys)
    keys, factors = keys[order], jnp.concatenate(rows)[order]
    changes = (keys[1:] != keys[:-1])[:, None]
    before, after = _run(factors, changes), _run(factors[::-1], changes[::-1])[::-1]
    found = jnp.zeros_like(factors).at[order].set(before * after)
    return jnp.where(own, found[:count].reshape(input.shape), 0), found[count:].reshape(src.shape)


def _run(factors: Any, changes: Any) -> Any:
    """Return, for each row, the product of the rows before it with the same position.

    `changes` marks the rows where the position changes; the product restarts there.
    """

    def join(a: Any, b: Any) -> Any:
        return a[0] | b[0], b[1] * jnp.where(b[0], 1, a[1])

    starts = jnp.pad(changes, ((1, 0), (0, 0)), constant_values=True)
    shifted = jnp.pad(factors[:-1], ((1, 0), (0, 0)))
    return jax.lax.associative_scan(join, (starts, jnp.where(starts, 1, shifted)))[1]


def _extreme(name: str, worst: Any, nan: bool = False) -> Any:
    """Return a function that computes the maximum or minimum at each position.

    If the maximum or minimum at a position is NaN, the NaN elements of `src` get its gradient if `nan` is True. Else
    the gradients of all elements of the position are NaN.
    """

    @jax.custom_jvp
    def extreme(input: Any, src: Any, place: Any, own: Any) -> Any:
        return getattr(jnp.where(own, input, worst(input.dtype)).at[place], name)(src)

    @extreme.defjvp
    def jvp(primals: Any, tangents: Any) -> Any:  # equal elements share the gradient evenly
        input, src, place, own = primals
        found = extreme(*primals)
        mine, theirs = (own & (input == found)), src == found[place]
        lost = jnp.isnan(found)
        if nan:
            theirs = theirs | (jnp.isnan(src) & lost[place])
        count = mine.astype(input.dtype).at[place].add(theirs.astype(input.dtype))
        share = 1 / jnp.maximum(count, 1)
        if not nan:  # PyTorch divides by a count of 0
            share = jnp.where(lost, jnp.nan, share)
            mine, theirs = mine | (own & lost), theirs | lost[place]
        of_src = jnp.where(theirs, share[place], 0)
        return _tangents(found, input, src, place, jnp.where(mine, share, 0), of_src, tangents)

    return extreme


def _lowest(dtype: Any) -> Any:
    return (
        False
        if dtype.kind == "b"
        else -jnp.inf
        if dtype.kind == "f" or dtype.name == "bfloat16"
        else jnp.iinfo(dtype).min
    )


def _highest(dtype: Any) -> Any:
    return (
        True
        if dtype.kind == "b"
        else jnp.inf
        if dtype.kind == "f" or dtype.name == "bfloat16"
        else jnp.iinfo(dtype).max
    )


_largest, _smallest = _extreme("max", _lowest), _extreme("min", _highest)
