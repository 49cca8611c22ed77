"""Random numbers from a JAX key instead of a generator, in a module that is called as a pure function.

During recording, sampled arrays are placeholders of the right shape. Each run replaces them by its own samples, with a
separate key for each. A placeholder that is modified before it reaches an operator would become a constant, so this is
an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _errors, _random
from torchlike._engine.trace.subtrace import SubTrace
from torchlike._transforms.recording import Scene

Make = Callable[[jax.Array], jax.Array]  # a function that returns samples for a key


def _uniform(like: np.ndarray, low: float = 0.0, high: float = 1.0) -> Make:
    return lambda key: jax.random.uniform(key, like.shape, like.dtype, low, high)


def _normal(like: np.ndarray, mean: float = 0.0, std: float = 1.0, contiguous: bool = True) -> Make:
    return lambda key: (jax.random.normal(key, like.shape, like.dtype) * std + mean).astype(like.dtype)


def _bernoulli(like: np.ndarray, p: Any = 0.5) -> Make:
    return lambda key: jax.random.bernoulli(key, p, like.shape).astype(like.dtype)


def _dropout_noise(like: np.ndarray, p: float) -> Make:
    return lambda key: (jax.random.bernoulli(key, 1 - p, like.shape) / (1 - p)).astype(like.dtype)


def _exponential(like: np.ndarray, rate: float = 1.0) -> Make:
    return lambda key: (jax.random.exponential(key, like.shape, like.dtype) / rate).astype(like.dtype)


def _randint(like: np.ndarray, low: int, high: int) -> Make:
    return lambda key: jax.random.randint(key, like.shape, low, high, jnp.int64).astype(like.dtype)


def _randperm(like: np.ndarray, *_: Any) -> Make:
    return lambda key: jax.random.permutation(key, like.size).astype(like.dtype)


def _state_words(like: np.ndarray) -> Make:
    """Return a maker of the state of an accelerator's generator: a seed from the key, and the offset 0."""
    return lambda key: jnp.append(jax.random.bits(key, (2,), like.dtype), jnp.zeros(2, like.dtype))


_MAKERS = {
    "uniform": _uniform,
    "normal": _normal,
    "bernoulli": _bernoulli,
    "dropout_noise": _dropout_noise,
    "exponential": _exponential,
    "randint": _randint,
    "randperm": _randperm,
    "state_words": _state_words,
}


class Draws:
    """The random samples of one recorded function."""

    def __init__(self, sub: SubTrace) -> None:
        self.sub = sub
        self.made: list[tuple[np.ndarray, Callable[[np.ndarray], Make]]] = []

    def stand_in(self, draw: Callable, generator: Any, *args: Any, **kwargs: Any) -> np.ndarray:
        """Return a placeholder for the result of the sampling function `draw`. Called during recording."""
        if generator is not None:
            self.sub.stop("random numbers are sampled from a generator", draws=True)
        self.sub.is_quiet = True
        try:
            array = np.array(draw(_random.Generator(), *args, **kwargs))  # this call also checks the arguments
        finally:
            self.sub.is_quiet = False
        maker, skipped = _MAKERS[draw.__name__], 1 if draw.__name__ == "randperm" else 2
        self.made.append((array, lambda like: maker(like, *args[skipped:], **kwargs)))
        self.sub.sampled.add(id(array))
        return array

    def arrays(self, scene: Scene, key: jax.Array) -> list[jax.Array]:
        """Return the samples of this run, which become inputs of the recorded function."""
        recording, found = scene.recording, []
        for number, (array, maker) in enumerate(self.made):
            uses = [i for i, value in enumerate(self.sub.given) if self.sub.stand_in(value.array) is array]
            if len(uses) != 1:
                raise _errors.recording.changed_draws(self.sub.what)
            value = self.sub.given[uses[0]]
            recording.places.append(uses[0])
            recording.inputs.append((value, None))
            found.append(maker(value.array)(jax.random.fold_in(key, number)))
        return found


@contextmanager
def drawing(scene: Scene, allowed: bool) -> Iterator[Draws]:
    """Replace random numbers by placeholders within the block, if `allowed`."""
    sub = scene.recording.sub
    draws = Draws(sub)
    if allowed:
        sub.sampled, sub.draws_with = set(), draws.stand_in
    try:
        yield draws
    finally:
        sub.draws_with = None
