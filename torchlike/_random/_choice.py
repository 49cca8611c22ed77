"""Sampling of Bernoulli variables and of categories."""

from __future__ import annotations

import math

import numpy as np

from torchlike import _errors

from ._checks import is_floating, is_not_sampled, require_floating
from ._generator import Generator, default_generator
from ._real import uniform32, uniform64
from ._waiting import exponential

Size = tuple[int, ...]
_NO_WEIGHT = "sum of probabilities <= 0"


def bernoulli(generator: Generator | None, size: Size, dtype: np.dtype, p: float | np.ndarray = 0.5) -> np.ndarray:
    """Return ones with probability `p`, else zeros, as `Tensor.bernoulli_` samples them.

    A number or a float64 array `p` is compared with 53-bit uniforms. An array of a smaller dtype is compared with
    24-bit uniforms.

    >>> from torchlike._random import Generator
    >>> bernoulli(Generator().manual_seed(0), (4,), np.dtype("float32"), 0.5).tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if isinstance(p, np.ndarray):
        return _bernoulli_of_array(generator, size, p).astype(dtype)
    if not 0 <= p <= 1:
        raise _errors.random.probability_of("bernoulli_", "[0, 1]", p)
    if 0 in size:  # PyTorch does not check the dtype of an empty tensor
        return np.empty(size, dtype)
    if is_not_sampled(dtype):
        raise _errors.dtypes.not_implemented("bernoulli_scalar_cpu_", dtype)
    with generator.lock:
        bits = generator.raw64(math.prod(size)) & np.uint64(2**53 - 1)
    # With u = bits / 2^53, u < p is the same as bits < p 2^53. Comparing integers avoids a conversion.
    return (bits < np.uint64(math.ceil(p * 2.0**53))).astype(dtype).reshape(size)


def _bernoulli_of_array(generator: Generator, size: Size, p: np.ndarray) -> np.ndarray:
    if 0 in size:
        return np.empty(size, bool)
    require_floating(p.dtype, "bernoulli_tensor_cpu_p_")
    if not ((p >= 0) & (p <= 1)).all():
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)"
        )
    uniforms = uniform64 if p.dtype == np.float64 else uniform32
    with generator.lock:
        drawn = uniforms(generator, math.prod(size)).reshape(size)
    return drawn < np.broadcast_to(p, size).astype(drawn.dtype)


def dropout_noise(generator: Generator | None, size: Size, dtype: np.dtype, p: float) -> np.ndarray:
    """Return the factors of `F.dropout` for 0 < p < 1: zero with probability p, else 1 / (1 - p)."""
    kept = bernoulli(generator, size, dtype, 1 - p)
    kept /= np.dtype(dtype).type(1 - p) if np.dtype(dtype).itemsize >= 4 else np.float32(1 - p)
    return kept


def multinomial(
    generator: Generator | None, probabilities: np.ndarray, count: int, replacement: bool = False
) -> np.ndarray:
    """Return `count` category indices (int64) for each row of weights, as `torch.multinomial` samples them.

    Shapes: (C,) -> (count,), (N, C) -> (N, count). Without replacement, or if `count` is 1, each weight is divided by
    an exponential sample and the categories with the largest quotients are chosen. Otherwise, uniforms are looked up in
    the cumulative sum of the weights. If two quotients of a half-precision dtype are equal, their order may differ from
    PyTorch's.
    """
    generator = generator or default_generator
    check_multinomial(probabilities, count, replacement)
    if replacement and count > 1:
        return _with_replacement(generator, probabilities, count)
    _check_weights(probabilities)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = probabilities / exponential(generator, probabilities.shape, probabilities.dtype)
    if count == 1:
        return np.argmax(scores, axis=-1, keepdims=True)
    order = [_least(row, count) for row in -scores.reshape(-1, scores.shape[-1])]
    return np.array(order, np.int64).reshape(*scores.shape[:-1], count)


def _least(scores: np.ndarray, count: int) -> np.ndarray:
    """Return the indices of the `count` smallest scores in ascending order. Equal scores keep their order."""
    if 8 * count > len(scores):
        return np.argsort(scores, kind="stable")[:count]
    among = np.flatnonzero(scores <= np.partition(scores, count - 1)[count - 1])
    return among[np.argsort(scores[among], kind="stable")[:count]]


def check_multinomial(probabilities: np.ndarray, count: int, replacement: bool) -> None:
    if probabilities.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not is_floating(probabilities.dtype):
        raise _errors.random.multinomial_dtype(probabilities.dtype)
    categories = probabilities.shape[-1]
    if count <= 0 or (not replacement and count > categories):
        raise RuntimeError(
            "cannot sample n_sample <= 0 samples"
            if count <= 0
            else "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    if categories > 1 << 24:
        raise RuntimeError("number of categories cannot exceed 2^24")


def _check_weights(probabilities: np.ndarray) -> None:
    if not probabilities.size:
        return
    if not (probabilities.min() >= 0 and probabilities.max() < np.inf):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (probabilities.sum(axis=-1) == 0).any():
        raise _errors.random.multinomial_row(_NO_WEIGHT)


def _with_replacement(generator: Generator, probabilities: np.ndarray, count: int) -> np.ndarray:
    working = probabilities if probabilities.dtype.itemsize >= 4 else probabilities.astype(np.float32)
    rows = working.reshape(math.prod(working.shape[:-1]), working.shape[-1])
    with generator.lock:
        drawn = [_look_up(generator, row, count) for row in rows]
    return np.array(drawn, np.int64).reshape(*probabilities.shape[:-1], count)


def _look_up(generator: Generator, weights: np.ndarray, count: int) -> np.ndarray:
    if not (weights >= 0).all():
        raise _errors.random.multinomial_row("encountering probability entry < 0")
    if not np.isfinite(weights).all():
        raise _errors.random.multinomial_row("encountering probability entry = infinity or NaN")
    running = np.cumsum(weights)
    if not (len(running) and running[-1] > 0):
        raise _errors.random.multinomial_row(_NO_WEIGHT)
    running /= running[-1]
    running[-1] = 1
    return np.searchsorted(running.astype(np.float64), uniform64(generator, count), side="left")
