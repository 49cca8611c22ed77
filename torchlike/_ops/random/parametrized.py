"""Random numbers of accelerator tensors whose parameters are the elements of tensors.

Distributions that need rejection sampling use `jax.random` with a key from the generator.
"""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes
from torchlike._ops.random import fills
from torchlike._ops.random.philox import MANY, bits, bits_of_vectors, numbers, offset_advance
from torchlike._ops.schema.declare import Array, Scalar, operator
from torchlike._ops.schema.typing_rules import Call, broadcast


def _key(state, position):
    """Return a JAX key from the first words after a position."""
    words, _ = bits(state, position, numbers(()), 1, 1)
    return jax.random.wrap_key_data(jnp.stack(words[:2]), impl="threefry2x32")


def _uniforms(state, position, shape, dtype, streams):
    """Return uniform numbers in (0, 1] of float64, or of float32 for other dtypes."""
    double = dtype == np.float64
    words, lane = bits(state, position, numbers(shape), math.prod(shape), 2 if double else 1, streams)
    return fills.unit(words, lane, double)


def _poisson(key, rate, _):
    return jax.random.poisson(key, rate.astype(np.float32), dtype=np.int64)


def _binomial(key, count, p):
    wide = np.promote_types(count.dtype, np.float32)
    return jax.random.binomial(key, count.astype(wide), p.astype(wide))


def _gamma(key, shape, _):
    return jnp.maximum(jax.random.gamma(key, _wide(shape)), jnp.finfo(shape.dtype).tiny)


def _dirichlet(key, concentration, _):
    return jax.random.dirichlet(key, _wide(concentration))


def _wide(x):
    return x.astype(np.promote_types(x.dtype, np.float32))


_BY_KEY = {"poisson": _poisson, "binomial": _binomial, "gamma": _gamma, "dirichlet": _dirichlet}
USED = offset_advance(1, 1)  # how far the offset advances for a key
OF_BERNOULLI = 12  # how far it advances for a tensor of probabilities


def _shape(call: Call) -> list:
    others = [] if call.second is None else [tuple(call.second.shape)]
    return [(broadcast([tuple(call.first.shape), *others]), call.first.dtype)]


@operator(where=(), shape=_shape, promote=None, out=False, opmath=False, differentiable=False, numpy=False, saves=())
def _random_by(state: Array, position: Scalar, first: Array, second: Array | None = None, name: str = ""):
    """Return random numbers with the parameters `first` and `second`, which broadcast.

    Args:
      state: the seed and the offset of a Philox generator, as four 32-bit words.
      position: the position of the first number after that state.
      first, second: the parameters of the distribution.
      name: "bernoulli", "poisson", "binomial", "gamma" or "dirichlet".
    """
    if name == "bernoulli":  # each thread of PyTorch's kernel takes four elements
        words, lane = bits_of_vectors(state, position, numbers(first.shape), first.size, 4, MANY)
        return (fills.unit(words, lane, False) <= first).astype(first.dtype)
    return _BY_KEY[name](_key(state, position), first, second).astype(first.dtype)


def _drawn_shape(call: Call) -> list:
    return [((*call.weights.shape[:-1], call.count), _dtypes.int64)]


@operator(
    where=(), shape=_drawn_shape, promote=None, out=False, opmath=False, differentiable=False, numpy=False, saves=()
)
def _random_categories(state: Array, position: Scalar, weights: Array, count: int, replacement: bool, streams: int):
    """Sample category indices with the weights in each row; (..., C) -> (..., count).

    Without replacement, each weight is divided by an exponential number, and the largest quotients are chosen. With
    replacement, uniform numbers are looked up in the cumulative weights.
    """
    if not replacement or count == 1:
        exponentials = -jnp.log(_uniforms(state, position, weights.shape, weights.dtype, streams))
        scores = _wide(weights) / jnp.maximum(exponentials, jnp.finfo(exponentials.dtype).tiny)
        return jax.lax.top_k(scores, count)[1].astype(np.int64)
    shape = (*weights.shape[:-1], count)
    running = jnp.cumsum(_wide(weights), axis=-1)
    wanted = _uniforms(state, position, shape, weights.dtype, streams).astype(running.dtype) * running[..., -1:]
    find = functools.partial(jnp.searchsorted, side="left")
    found = (jax.vmap(find) if weights.ndim == 2 else find)(running, wanted)
    return jnp.minimum(found, weights.shape[-1] - 1).astype(np.int64)
