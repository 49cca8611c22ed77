"""Coin tosses and choices among categories."""

from __future__ import annotations

import math

import numpy as np

from ._checks import is_floating, require, scalar_name
from ._generator import Generator, default_generator
from ._real import uniform32, uniform64
from ._waiting import exponential

Size = tuple[int, ...]


def bernoulli(generator: Generator | None, size: Size, dtype: np.dtype, p: float | np.ndarray = 0.5) -> np.ndarray:
    """Ones with probability `p`, else zeros, as `Tensor.bernoulli_` draws them.

    A number or a float64 array `p` is compared with 53-bit uniforms, an array of a smaller dtype with 24-bit ones.

    >>> from torchlike._random import Generator
    >>> bernoulli(Generator().manual_seed(0), (4,), np.dtype("float32"), 0.5).tolist()
    [1.0, 0.0, 0.0, 1.0]
    """
    generator, dtype = generator or default_generator, np.dtype(dtype)
    if isinstance(p, np.ndarray):
        return _bernoulli_of_array(generator, size, p).astype(dtype)
    require(0 <= p <= 1, f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if dtype.kind == "c":
        raise NotImplementedError(f"\"bernoulli_scalar_cpu_\" not implemented for '{scalar_name(dtype)}'")
    with generator.lock:
        bits = generator.raw64(math.prod(size)) & np.uint64(2**53 - 1)
    # u < p for u = bits / 2^53 is bits < p 2^53, and comparing integers needs no conversion.
    return (bits < np.uint64(math.ceil(p * 2.0**53))).astype(dtype).reshape(size)


def _bernoulli_of_array(generator: Generator, size: Size, p: np.ndarray) -> np.ndarray:
    if not is_floating(p.dtype):
        raise NotImplementedError(f"\"bernoulli_tensor_cpu_p_\" not implemented for '{scalar_name(p.dtype)}'")
    require(
        bool(((p >= 0) & (p <= 1)).all()),
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  "
        "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)",
    )
    uniforms = uniform64 if p.dtype == np.float64 else uniform32
    with generator.lock:
        drawn = uniforms(generator, math.prod(size)).reshape(size)
    return drawn < np.broadcast_to(p, size).astype(drawn.dtype)


def dropout_noise(generator: Generator | None, size: Size, dtype: np.dtype, p: float) -> np.ndarray:
    """What `F.dropout` multiplies by when 0 < p < 1: zero with probability p, else 1 / (1 - p)."""
    kept = bernoulli(generator, size, dtype, 1 - p)
    kept /= np.dtype(dtype).type(1 - p) if np.dtype(dtype).itemsize >= 4 else np.float32(1 - p)
    return kept


def multinomial(
    generator: Generator | None, probabilities: np.ndarray, count: int, replacement: bool = False
) -> np.ndarray:
    """`count` category numbers for each row of weights, int64, as `torch.multinomial` draws them.

    (C,) -> (count,), (N, C) -> (N, count). Without replacement each weight is divided by an exponential draw and the
    largest quotients win; with it, uniforms are looked up in the running sum of the weights.
    Where two quotients of a half-precision dtype are equal, PyTorch's order among them is not reproduced.
    """
    generator = generator or default_generator
    _check_multinomial(probabilities, count, replacement)
    if replacement and count > 1:
        return _with_replacement(generator, probabilities, count)
    _check_weights(probabilities)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = probabilities / exponential(generator, probabilities.shape, probabilities.dtype)
    if count == 1:
        return np.argmax(scores, axis=-1, keepdims=True)
    return np.argsort(-scores, axis=-1, kind="stable")[..., :count]


def _check_multinomial(probabilities: np.ndarray, count: int, replacement: bool) -> None:
    require(probabilities.ndim in (1, 2), "prob_dist must be 1 or 2 dim")
    require(
        is_floating(probabilities.dtype),
        f"multinomial only supports floating-point dtypes for input, got: {scalar_name(probabilities.dtype)}",
    )
    require(count > 0, "cannot sample n_sample <= 0 samples")
    categories = probabilities.shape[-1]
    require(
        replacement or count <= categories,
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
    )
    require(categories <= 1 << 24, "number of categories cannot exceed 2^24")


def _check_weights(probabilities: np.ndarray) -> None:
    require(
        bool((probabilities.min() >= 0) & (probabilities.max() < np.inf)),
        "probability tensor contains either `inf`, `nan` or element < 0",
    )
    require(
        not (probabilities.sum(axis=-1) == 0).any(),
        "invalid multinomial distribution (sum of probabilities <= 0)",
    )


def _with_replacement(generator: Generator, probabilities: np.ndarray, count: int) -> np.ndarray:
    working = probabilities if probabilities.dtype.itemsize >= 4 else probabilities.astype(np.float32)
    rows = working.reshape(-1, working.shape[-1])
    with generator.lock:
        drawn = [_look_up(generator, row, count) for row in rows]
    return np.stack(drawn).reshape(*probabilities.shape[:-1], count)


def _look_up(generator: Generator, weights: np.ndarray, count: int) -> np.ndarray:
    require(bool((weights >= 0).all()), "invalid multinomial distribution (encountering probability entry < 0)")
    require(
        bool(np.isfinite(weights).all()),
        "invalid multinomial distribution (encountering probability entry = infinity or NaN)",
    )
    running = np.cumsum(weights)
    require(bool(running[-1] > 0), "invalid multinomial distribution (sum of probabilities <= 0)")
    running /= running[-1]
    running[-1] = 1
    return np.searchsorted(running.astype(np.float64), uniform64(generator, count), side="left")
