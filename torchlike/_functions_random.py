"""Random tensors: every draw is made on the host from PyTorch's own stream, so one seed gives both the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, _factories, _modes, _random
from torchlike._dtypes import dtype as Dtype
from torchlike._factories import of_array, shape_of
from torchlike._random import Generator, default_generator
from torchlike._tensor import Tensor


def manual_seed(seed: int) -> Generator:
    """Seed the default generator; the same seed gives the same numbers as in PyTorch on the CPU."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the default generator from the system's entropy; returns the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the default generator was given last."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's state, byte for byte PyTorch's, as a uint8 tensor."""
    return of_array(default_generator.state_bytes())


def set_rng_state(new_state: Tensor) -> None:
    """Restore a state that `get_rng_state` (of either library) gave."""
    default_generator.load_state_bytes(new_state._host())


def _made(array: np.ndarray, name: str, out: Tensor | None, options: dict) -> Tensor:
    device, requires_grad = options.pop("device", None), options.pop("requires_grad", False)
    for unsupported in ("pin_memory", "names"):
        if options.pop(unsupported, None):
            raise _errors.unsupported(name, unsupported)
    layout = options.pop("layout", None)
    if layout is not None and layout.name != "strided":
        raise _errors.unsupported(name, "layout")
    if options:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(options))}'")
    made = of_array(array, device, requires_grad)
    return made if out is None else out.copy_(made)


def _size(size: tuple, options: dict) -> tuple[int, ...]:
    return shape_of((options.pop("size"),) if "size" in options else size)


def _floating(dtype: Dtype | None) -> np.dtype:
    return (dtype or _modes.default_dtype).numpy


def rand(*size: Any, generator: Generator | None = None, out: Tensor | None = None, dtype: Dtype | None = None,
         **options: Any) -> Tensor:  # fmt: skip
    """Uniform numbers in [0, 1)."""
    return _made(_random.uniform(generator, _size(size, options), _floating(dtype)), "rand", out, options)


def randn(*size: Any, generator: Generator | None = None, out: Tensor | None = None, dtype: Dtype | None = None,
          **options: Any) -> Tensor:  # fmt: skip
    """Standard normal numbers."""
    return _made(_random.normal(generator, _size(size, options), _floating(dtype)), "randn", out, options)


def randint(*args: Any, generator: Generator | None = None, out: Tensor | None = None, dtype: Dtype | None = None,
            **options: Any) -> Tensor:  # fmt: skip
    """Integers in [low, high): `randint(high, size)` or `randint(low, high, size)`."""
    bounds = [options.pop(k) for k in ("low", "high", "size") if k in options]
    args = (*args, *bounds)
    low, high, size = args if len(args) == 3 else (0, *args)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    dtype = dtype or _dtypes.int64
    return _made(_random.randint(generator, shape_of((size,)), dtype.numpy, low, high), "randint", out, options)


def randperm(n: int, *, generator: Generator | None = None, out: Tensor | None = None, dtype: Dtype | None = None,
             **options: Any) -> Tensor:  # fmt: skip
    """A random order of 0 .. n-1."""
    return _made(_random.randperm(generator, n, (dtype or _dtypes.int64).numpy), "randperm", out, options)


def _like(draw: Any, name: str) -> Any:
    def like(input: Tensor, *args: Any, dtype: Dtype | None = None, device: Any = None, memory_format: Any = None,
             **options: Any) -> Tensor:  # fmt: skip
        return draw(*args, tuple(input.shape), dtype=dtype or input.dtype, device=device or input.device, **options)

    like.__name__ = like.__qualname__ = name
    like.__doc__ = f"As `{draw.__name__}`, with the shape, dtype and device of `input`."
    return like


rand_like = _like(rand, "rand_like")
randn_like = _like(randn, "randn_like")
randint_like = _like(randint, "randint_like")


def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None,
           out: Tensor | None = None, dtype: Dtype | None = None, **options: Any) -> Tensor:  # fmt: skip
    """Normal numbers of given means and standard deviations (numbers or tensors)."""
    if size is not None:
        array = _random.normal(generator, shape_of((size,)), _floating(dtype), mean, std)
        return _made(array, "normal", out, options)
    like = mean if isinstance(mean, Tensor) else std
    shape = np.broadcast_shapes(*[tuple(x.shape) for x in (mean, std) if isinstance(x, Tensor)])
    drawn = of_array(_random.normal(generator, shape, like.dtype.numpy), like.device)
    made = drawn * std + mean
    return made if out is None else out.copy_(made)


def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None,
              out: Tensor | None = None) -> Tensor:  # fmt: skip
    """Ones with the probabilities in `input` (or `p`), else zeros."""
    chance = np.array(input._host()) if p is None else p
    return _made(_random.bernoulli(generator, tuple(input.shape), input.dtype.numpy, chance), "bernoulli", out,
                 {"device": input.device})  # fmt: skip


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None,
                out: Tensor | None = None) -> Tensor:  # fmt: skip
    """Indices drawn with the weights in each row of `input`."""
    found = _random.multinomial(generator, np.array(input._host()), num_samples, replacement)
    return _made(found, "multinomial", out, {"device": input.device})


def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Poisson numbers of the rates in `input`."""
    return of_array(_random.poisson(generator, np.array(input._host())), input.device)


# -- in place ----------------------------------------------------------------------------------------------------------


def _fill(self: Tensor, array: np.ndarray) -> Tensor:
    """Write drawn numbers; they have no history."""
    self._write(of_array(array.astype(self.dtype.numpy, copy=False), self.device)._value)
    return self


def uniform_(self: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None,
             **other: Any) -> Tensor:  # fmt: skip
    """Fill with uniform numbers in [from, to)."""
    from_ = other.pop("from", from_)
    if other:
        raise TypeError(f"uniform_() got an unexpected keyword argument '{next(iter(other))}'")
    return _fill(self, _random.uniform(generator, tuple(self.shape), self.dtype.numpy, from_, to))


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with normal numbers."""
    return _fill(self, _random.normal(generator, tuple(self.shape), self.dtype.numpy, float(mean), float(std),
                                      contiguous=self.is_contiguous()))  # fmt: skip


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with ones (probability `p`) and zeros."""
    chance = np.array(p._host()) if isinstance(p, Tensor) else p
    return _fill(self, _random.bernoulli(generator, tuple(self.shape), self.dtype.numpy, chance))


def random_(self: Tensor, from_: int | None = None, to: int | None = None, *, generator: Generator | None = None,
            **other: Any) -> Tensor:  # fmt: skip
    """Fill with integers: of the dtype's whole non-negative range, below `to`, or in [from, to)."""
    from_ = other.pop("from", from_)
    if other:
        raise TypeError(f"random_() got an unexpected keyword argument '{next(iter(other))}'")
    if from_ is None and to is None:
        return _fill(self, _random.random_(generator, tuple(self.shape), self.dtype.numpy))
    if to is None:
        low, high = 0, from_
    else:
        low, high = from_ or 0, to
    return _fill(self, _random.randint(generator, tuple(self.shape), self.dtype.numpy, low, high))  # type: ignore[arg-type]


def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with exponential numbers of rate `lambd`."""
    return _fill(self, _random.exponential(generator, tuple(self.shape), self.dtype.numpy, lambd))


def cauchy_(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with Cauchy numbers."""
    return _fill(self, _random.cauchy(generator, tuple(self.shape), self.dtype.numpy, median, sigma))


def log_normal_(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers whose logarithm is normal."""
    return _fill(self, _random.log_normal(generator, tuple(self.shape), self.dtype.numpy, mean, std))


def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with geometric numbers of success probability `p`."""
    return _fill(self, _random.geometric(generator, tuple(self.shape), self.dtype.numpy, p))


FUNCTIONS = {f.__name__: f for f in (
    manual_seed, seed, initial_seed, get_rng_state, set_rng_state, rand, randn, randint, randperm, rand_like,
    randn_like, randint_like, normal, bernoulli, multinomial, poisson,
)}  # fmt: skip
METHODS = {f.__name__: f for f in (uniform_, normal_, bernoulli_, random_, exponential_, cauchy_, log_normal_,
                                   geometric_, bernoulli, multinomial)}  # fmt: skip
del _factories
