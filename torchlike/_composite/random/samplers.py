"""Distributions with their parameters. They generate numbers on the host for CPU tensors, else on the device."""

from __future__ import annotations

import dataclasses
import functools
import math
from contextlib import nullcontext
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, _random
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.devices import streams_of
from torchlike._dtypes.recorder import current
from torchlike._ops.random.fills import width_of
from torchlike._ops.random.parametrized import OF_BERNOULLI, USED
from torchlike._ops.random.philox import offset_advance
from torchlike._random import Generator
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor, wrap

Ints = tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Sampler:
    """A distribution.

    Attributes:
      name: the name of a sampling function of `torchlike._random`.
      generator: the generator, or None for the default generator of the device.
      dtype: the dtype of the numbers.
      parameters: the parameters of the distribution.
      contiguous: False if PyTorch fills the CPU tensor number by number, because it is not contiguous.
      order: the shape and the strides of the tensor that is filled, if its order in memory is not that of its dims.
    """

    name: str
    generator: Generator | None
    dtype: np.dtype
    parameters: tuple = ()
    contiguous: bool = True
    order: tuple[Ints, Ints] | None = None

    def __call__(self, shape: Ints) -> np.ndarray:
        """Return random numbers from a CPU generator."""
        _check_device(self.generator, "cpu")
        return self._sample(shape) if self.order is None else self._in_memory_order(shape)

    def _sample(self, shape: Ints) -> np.ndarray:
        options = {} if self.contiguous else {"contiguous": False}
        return getattr(_random, self.name)(self.generator, shape, self.dtype, *self.parameters, **options)

    def in_order(self, shape: Ints, strides: Ints) -> Sampler:
        """Return a sampler that generates the numbers of each example in the order of the memory of a tensor.

        The last dims of the sampled shape are those of the tensor. The others number the examples.
        """
        return dataclasses.replace(self, order=(shape, strides))

    def strides(self, sizes: Ints) -> Ints | None:
        """Return dense strides of all examples together, or None if the order is that of the dims."""
        if self.order is None:
            return None
        shape, strides = self.order
        lead, found, step = len(sizes) - len(shape), [0] * len(sizes), 1
        inner = sorted(range(len(shape)), key=lambda dim: -strides[dim])
        for dim in reversed([*range(lead), *[lead + dim for dim in inner]]):
            found[dim], step = step, step * sizes[dim]
        return tuple(found)

    def _in_memory_order(self, sizes: Ints) -> np.ndarray:
        strides = self.strides(sizes)
        assert strides is not None
        return _random.in_memory_order(self._sample, sizes, strides)


class Permutations(Sampler):
    """Random permutations of 0 ... n-1, one in each row. `parameters` is (n,)."""

    def _sample(self, shape: Ints) -> np.ndarray:
        (n,) = self.parameters
        found = [_random.randperm(self.generator, n, self.dtype) for _ in range(math.prod(shape[:-1]))]
        return np.stack(found).reshape(shape) if found else np.empty(shape, self.dtype)


def _check_device(generator: Generator | None, wanted: str) -> None:
    if generator is not None and generator.device.type != wanted:
        raise _errors.random.generator_device(wanted, generator.device.type)


@functools.lru_cache(1024)
def _check(sampler: Sampler) -> None:
    """Raise PyTorch's errors for unsupported parameters and dtypes: sample a number from a scratch generator."""
    if isinstance(sampler, Permutations):
        (n,) = sampler.parameters
        return _random.check_permutation(n, sampler.dtype)
    capture = current().capture
    with nullcontext() if capture is None else capture.quietly():
        dataclasses.replace(sampler, generator=Generator())._sample((1,))


def _form(sampler: Sampler) -> tuple[str, Any, Any]:
    """Return the name of the distribution on an accelerator, and its two parameters."""
    name, given = sampler.name, sampler.parameters
    if name in ("random_", "randint"):
        first, last = _random.limits(sampler.dtype, *given)
        widest = 1 << (28 if given else 32)  # as in PyTorch: the remainder of a word by a large number is not uniform
        return ("randint32" if last - first + 1 < widest else "randint64"), first, last
    if name == "dropout_noise":
        return "bernoulli", 1 - given[0], 0.0
    if name == "normal" and sampler.dtype.kind == "c":
        given = (given[0], given[1] / math.sqrt(2)) if given else (0.0, math.sqrt(0.5))
    default = {"uniform": (0.0, 1.0), "normal": (0.0, 1.0)}.get(name, (0.0, 0.0))
    first, second = (*map(float, given), *default[len(given) :])
    return name, first, second


def taken(generator: Generator | None, device: Device, count: int) -> tuple[Tensor, int]:
    """Return the state of an accelerator's generator and the position of the next numbers, and advance the offset."""
    _check_device(generator, device.type)
    found: Any = generator or _random.default_of(device)
    value, position = found.take(count)
    return wrap(value), position


def on_device(sampler: Sampler, shape: Ints, device: Device) -> Tensor:
    """Return random numbers from the generator of an accelerator, as a recorded operator."""
    _check(dataclasses.replace(sampler, generator=None, order=None))
    name, first, second = _form(sampler)
    parts = 2 if sampler.dtype.kind == "c" else 1
    width = width_of(name, np.dtype(f"f{sampler.dtype.itemsize // 2}") if parts == 2 else sampler.dtype)
    streams, total = streams_of(device), parts * math.prod(shape)
    # PyTorch reserves numbers to reorder permutations whose keys are equal.
    count = offset_advance(total, width, streams) + (offset_advance(total, 1, 1) if name == "randperm" else 0)
    state, position = taken(sampler.generator, device, count)
    dtype = _dtypes.from_numpy(sampler.dtype)
    made = rows["_random_fill"](state, position, first, second, name, shape, sampler.strides(shape), dtype, streams)
    return rows["mul"](made, 1 / first) if sampler.name == "dropout_noise" else made


_ON_HOST = {
    "poisson": _random.poisson,
    "binomial": _random.binomial,
    "gamma": _random.standard_gamma,
    "dirichlet": _random.dirichlet,
}


@functools.lru_cache(64)
def _check_dtypes(name: str, dtypes: tuple[np.dtype, ...]) -> None:
    """Raise PyTorch's errors for parameters of an unsupported dtype."""
    capture = current().capture
    with nullcontext() if capture is None else capture.quietly():
        _ON_HOST[name](Generator(), *[np.ones((0, 1), dtype) for dtype in dtypes])


def by_tensors(name: str, generator: Generator | None, first: Tensor, second: Tensor | None = None) -> Tensor:
    """Return random numbers of an accelerator whose parameters are the elements of tensors."""
    if name in _ON_HOST:
        _check_dtypes(name, tuple(x.dtype.numpy for x in (first, second) if x is not None))
    count = OF_BERNOULLI if name == "bernoulli" else USED
    return rows["_random_by"](*taken(generator, first.device, count), first, second, name)


def categories(generator: Generator | None, weights: Tensor, count: int, replacement: bool) -> Tensor:
    """Return category indices of an accelerator; see `_random.multinomial`."""
    numpy = weights.dtype.numpy
    _random.check_multinomial(np.broadcast_to(np.zeros((), numpy), tuple(weights.shape)), count, replacement)
    size = max(weights.numel(), math.prod(weights.shape[:-1]) * count)
    streams = streams_of(weights.device)
    state, position = taken(generator, weights.device, offset_advance(size, width_of("uniform", numpy), streams))
    return rows["_random_categories"](state, position, weights, count, replacement, streams)
