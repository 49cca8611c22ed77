"""Random tensors with PyTorch's random number streams: the same seed gives the same numbers in both libraries.

The numbers of CPU tensors are generated on the host. Those of accelerator tensors are operators of the recorded
program. Like PyTorch, the functions fill a tensor in the order of its memory.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors, _random
from torchlike._composite.random import sampling
from torchlike._composite.random.samplers import Permutations, Sampler, by_tensors, categories
from torchlike._composite.random.sampling import elements, is_on_host
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes import modes
from torchlike._ops.schema.declare import OMITTED, SCALAR
from torchlike._ops.schema.out_rules import Into
from torchlike._ops.schema.typing_rules import broadcast
from torchlike._random import Generator, default_generator
from torchlike._tensor import binding, factories, public_calls, views
from torchlike._tensor.argument_forms import check_options, number
from torchlike._tensor.factories import check_into, into, of_array, shape_of
from torchlike._tensor.from_data import dtype_of
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.underived import derived_from, underivable

Ints = tuple[int, ...]


def manual_seed(seed: int) -> Generator:
    """Seed the default generators of all devices, and return that of the CPU.

    The same seed gives the same numbers as in PyTorch on the CPU.

    Args:
      seed: an int of 64 bits. Negative seeds count from 2**64.

    >>> _ = torchlike.manual_seed(0)
    """
    seed = int(seed)
    default_generator.manual_seed(seed)
    _random.seed_all(seed)
    return default_generator


def seed() -> int:
    """Seed the default generators of all devices from the system's entropy, and return the seed."""
    chosen = default_generator.seed()
    _random.seed_all(chosen)
    return chosen


def initial_seed() -> int:
    """Return the last seed of the CPU's default generator.

    >>> _ = torchlike.manual_seed(3)
    >>> torchlike.initial_seed()
    3
    """
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the CPU's default generator as a uint8 tensor. Its bytes are in PyTorch's format.

    >>> torchlike.get_rng_state().shape
    torch.Size([5056])
    """
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restore a state of the CPU's default generator that `get_rng_state` of torchlike or of PyTorch returned.

    Args:
      new_state: the state, a uint8 tensor on the CPU.

    >>> torchlike.set_rng_state(torchlike.get_rng_state())
    """
    default_generator.set_state(new_state)


# -- new tensors -------------------------------------------------------------------------------------------------------


def _made(draw: Sampler, shape: Ints, name: str, out: Tensor | None, options: dict, dtype: Any = None) -> Tensor:
    device, requires_grad = options.pop("device", None), options.pop("requires_grad", False)
    check_options(
        name,
        layout=options.pop("layout", None),
        device=device,
        pin_memory=options.pop("pin_memory", False),
        requires_grad=requires_grad,
    )
    for option in options:
        raise _errors.arguments.no_such_keyword(name, option)
    if out is None:
        return sampling.of_shape(draw, shape, device, requires_grad)
    check_into(name, out, dtype or out.dtype)
    if tuple(out.shape) != shape:
        out.resize_(shape)
    _fill(out, draw)  # in memory order
    return out._require_grad() if requires_grad else out


def _size(name: str, size: tuple, options: dict) -> Ints:
    if "size" in options:
        size = (*size, options.pop("size"))
    if not size:
        raise _errors.arguments.invalid_combination(name, (), {})
    return shape_of(size, name)


def _kind(name: str, dtype: Any, out: Tensor | None) -> np.dtype:
    found = dtype_of(name, dtype) or (modes.default_dtype if out is None else out.dtype)
    return found.numpy


def rand(
    *size: Any,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    **options: Any,
) -> Tensor:
    """Return uniform random numbers in [0, 1).

    Args:
      size: the shape of the result, as ints or as one sequence of ints.
      options: `layout`, `device`, `requires_grad` and `pin_memory`, as for `zeros`.

    >>> torchlike.rand(2, 3).shape
    torch.Size([2, 3])
    """
    shape, kind = _size("rand", size, options), _kind("rand", dtype, out)
    return _made(Sampler("uniform", generator, kind), shape, "rand", out, options, dtype)


def randn(
    *size: Any,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    **options: Any,
) -> Tensor:
    """Return standard normal random numbers.

    Args:
      size: the shape of the result, as ints or as one sequence of ints.
      options: `layout`, `device`, `requires_grad` and `pin_memory`, as for `zeros`.

    >>> torchlike.randn(2, 3).shape
    torch.Size([2, 3])
    """
    shape, kind = _size("randn", size, options), _kind("randn", dtype, out)
    whole = out is None or tuple(out.shape) != shape or out.is_contiguous()
    return _made(Sampler("normal", generator, kind, contiguous=whole), shape, "randn", out, options, dtype)


def randint(
    *args: Any,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    **options: Any,
) -> Tensor:
    """Return random integers in [low, high): `randint(high, size)` or `randint(low, high, size)`.

    Args:
      args: `low` (int, default 0), `high` (int) and `size` (sequence of ints).
      dtype: the dtype of the result. Default: int64.
      options: `low`, `high` and `size` by name, and `layout`, `device`, `requires_grad` and `pin_memory`, as for
        `zeros`.

    >>> torchlike.randint(5, 6, (3,))
    tensor([5, 5, 5])
    """
    named = {k: options.pop(k) for k in ("low", "high", "size") if k in options}
    given = [*args, *named.values()]
    if len(given) not in (2, 3):
        raise _errors.arguments.invalid_combination("randint", args, named)
    low, high = _bounds("randint", given[:-1])
    if not isinstance(given[-1], list | tuple):
        if len(given) == 2:
            raise _errors.arguments.not_a_size("randint", given[-1], "size", 2)
        raise _errors.arguments.invalid_combination("randint", args, named)
    kind = (dtype_of("randint", dtype) or (_dtypes.int64 if out is None else out.dtype)).numpy
    shape = shape_of((given[-1],), "randint")
    return _made(Sampler("randint", generator, kind, (low, high)), shape, "randint", out, options, dtype)


def _bounds(name: str, given: list) -> tuple[int, int]:
    low, high = (0, *given) if len(given) == 1 else given
    for label, bound in (("low", low), ("high", high)):
        if not _is_bound(bound):
            raise _errors.arguments.wrong_type(name, label, 1 if len(given) == 1 or label == "low" else 2, "int", bound)
    low, high = int(low), int(high)
    if low >= high:
        raise _errors.random.random_order(low, high)
    return low, high


def randperm(
    n: int, *, generator: Generator | None = None, out: Tensor | None = None, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Return a random permutation of 0 .. n-1.

    Args:
      n: the number of integers.
      dtype: the dtype of the result. Default: int64.
      options: `layout`, `device`, `requires_grad` and `pin_memory`, as for `zeros`.

    >>> torchlike.randperm(4).sort().values
    tensor([0, 1, 2, 3])
    """
    n = public_calls.whole("randperm", "n", 1, n)
    if n < 0:
        raise _errors.making.negative_dim(n, (n,))
    kind = dtype_of("randperm", dtype) or (_dtypes.int64 if out is None else out.dtype)
    if kind.category == _dtypes.INTEGER and n - 1 > np.iinfo(kind.numpy).max:
        raise _errors.dtypes.overflow(_errors.dtypes.fixed_width_name(kind))
    return _made(Permutations("randperm", generator, kind.numpy, (n,)), (n,), "randperm", out, options, dtype)


def _is_bound(given: Any) -> bool:
    """Return whether a bound of random integers has a type that PyTorch accepts."""
    if isinstance(given, Tensor):
        return not given.ndim
    return hasattr(given, "__index__") and not isinstance(given, bool)


def _like(name: str, draw: Callable[..., Tensor], counts: tuple[int, ...] = (0,)) -> Callable[..., Tensor]:
    """Return the function `name`, which samples numbers with the shape and dtype of a given tensor.

    The other arguments of the function are bounds. `counts` has the permitted numbers of bounds.
    """

    def like(
        input: Tensor,
        *args: Any,
        dtype: Dtype | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
        memory_format: Any = None,
        generator: Generator | None = None,
        **more: Any,
    ) -> Tensor:
        _check_like(name, counts, input, args, more, generator)
        check_options(
            name,
            dtype=dtype,
            layout=layout,
            device=device,
            pin_memory=pin_memory,
            requires_grad=requires_grad,
            memory_format=memory_format,
        )
        made = factories.empty_like(
            input, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory, memory_format=memory_format
        )
        draw(made, *args, generator=generator, **more)
        return made._require_grad() if requires_grad else made

    like.__name__ = like.__qualname__ = name
    bounds = "`high`, or `low` and `high` (ints)" if name == "randint_like" else "nothing"
    like.__doc__ = f"""Return `{name[:-5]}` numbers with the shape, dtype, device and memory format of `input`.

    Args:
      args, more: {bounds}.

    >>> torchlike.{name}(torchlike.ones(2, 3){", 5" if name == "randint_like" else ""}).shape
    torch.Size([2, 3])
    """
    return like


def _check_like(name: str, counts: tuple[int, ...], input: Any, args: tuple, more: dict, generator: Any) -> None:
    """Check the tensor, the bounds and the generator of a function that `_like` returned."""
    if not isinstance(input, Tensor):
        raise _errors.arguments.wrong_type(name, "input", 1, "Tensor", input)
    given = (*args, *more.values())
    if not isinstance(generator, Generator | None):
        raise _errors.arguments.wrong_type(name, "generator", None, "torch.Generator", generator)
    for key in more:
        if key not in ("low", "high")[2 - max(counts) :]:
            raise _errors.arguments.no_such_keyword(name, key)
    if len(given) not in counts or not all(map(_is_bound, given)):
        raise _errors.arguments.invalid_combination(name, (input, *args), more)


def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    **options: Any,
) -> Tensor:
    """Return normal random numbers with the given means and standard deviations (numbers or tensors).

    The gradients of `mean` and `std` are zero. Negative elements of `std` are refused on the CPU only.

    Args:
      mean: the mean, a number or a tensor.
      std: the standard deviation, a number or a tensor. Tensors are broadcast.
      size: the shape of the result, if both are numbers.
      options: `layout`, `device`, `requires_grad` and `pin_memory`, as for `zeros`, if both are numbers.

    >>> torchlike.normal(0.0, 1.0, (2, 3)).shape
    torch.Size([2, 3])
    """
    if not all(isinstance(x, int | float | complex | np.generic | Tensor) for x in (mean, std)):
        raise _errors.arguments.invalid_combination("normal", (mean, std), {})
    if size is not None:
        mean, std = number(mean, SCALAR), number(std, SCALAR)
        if isinstance(mean, Tensor) or isinstance(std, Tensor):
            raise _errors.arguments.invalid_combination("normal", (mean, std, size), {})
        shape, kind = shape_of((size,), "normal"), _kind("normal", dtype, out)
        whole = out is None or tuple(out.shape) != shape or out.is_contiguous()
        sampler = Sampler("normal", generator, kind, (mean, std), contiguous=whole)
        return _made(sampler, shape, "normal", out, options, dtype)
    if not any(isinstance(x, Tensor) for x in (mean, std)) or options or dtype is not None:
        raise _errors.arguments.invalid_combination("normal", (mean, std), options)
    tensors = [isinstance(x, Tensor) for x in (mean, std)]
    if out is not None:
        if modes.local.grad and any(isinstance(x, Tensor) and x.requires_grad for x in (mean, std)):
            raise _errors.autograd.out_with_grad("normal")
        return into("normal", out, _normal_by(mean, std, generator))
    node = f"NormalBackward{tensors[0] + 2 * tensors[1]}"
    return derived_from((mean, std), _normal_by(mean, std, generator), node)


@sampling.by_elements
def _normal_by(mean: Any, std: Any, generator: Generator | None) -> Tensor:
    """Return normal random numbers whose means or standard deviations are the elements of tensors."""
    given = [x for x in (mean, std) if isinstance(x, Tensor)]
    if isinstance(std, Tensor) and std.dtype.is_complex:
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if not is_on_host(given[0]):
        return _normal_on_device(mean, std, generator)
    means, stds = (elements(x) if isinstance(x, Tensor) else x for x in (mean, std))
    if isinstance(std, Tensor) and std.numel() and not (np.asarray(stds) >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    shape = tuple(broadcast([tuple(x.shape) for x in given]))
    kind = given[0].dtype.numpy
    noise = _random.normal(generator, shape, kind, 0.0, std if not isinstance(std, Tensor) else 1.0)
    scaled = noise * stds if isinstance(std, Tensor) else noise
    return of_array((scaled + np.asarray(means, kind)).astype(kind), given[0].device)


def _normal_on_device(mean: Any, std: Any, generator: Generator | None) -> Tensor:
    first = mean if isinstance(mean, Tensor) else std
    shape = tuple(broadcast([tuple(x.shape) for x in (mean, std) if isinstance(x, Tensor)]))
    parameters = () if isinstance(std, Tensor) else (0.0, std)
    made = sampling.of_shape(Sampler("normal", generator, first.dtype.numpy, parameters), shape, first.device)
    if isinstance(std, Tensor):
        made.mul_(std.detach())
    return made.add_(mean.detach() if isinstance(mean, Tensor) else mean)


def bernoulli(input: Tensor, p: float = OMITTED, *, generator: Generator | None = None) -> Tensor:
    """Return random ones with the probabilities in `input` (or `p`), else zeros.

    Args:
      p: one probability for all elements, in place of those in `input`.

    >>> torchlike.bernoulli(torchlike.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    _only_tensor("bernoulli", input)
    if p is None:
        return derived_from((input,), _bernoulli(input, None, generator), "BernoulliBackward0")
    return underivable("aten::bernoulli", lambda x: _bernoulli(x, p, generator), input)


@sampling.by_elements
def _bernoulli(input: Tensor, p: float | None, generator: Generator | None) -> Tensor:
    if input.is_meta:
        return factories.empty_like(input)
    if not is_on_host(input):
        if p is not None:
            return sampling.like(input, Sampler("bernoulli", generator, input.dtype.numpy, (p,)))
        return by_tensors("bernoulli", generator, input)
    chance = np.array(elements(input)) if p is None else p
    return of_array(_random.bernoulli(generator, tuple(input.shape), input.dtype.numpy, chance), input.device)


@functools.partial(sampling.by_elements, matrices=2)
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None
) -> Tensor:
    """Sample indices with the weights in each row of `input`; (rows, classes) -> (rows, num_samples).

    Args:
      num_samples: the number of indices for each row. Without replacement, at most the number of positive weights.
      replacement: draw an index several times.

    >>> torchlike.multinomial(torchlike.tensor([0.0, 1.0]), 3, replacement=True)
    tensor([1, 1, 1])
    """
    _only_tensor("multinomial", input)
    if not is_on_host(input):
        return categories(generator, input, num_samples, replacement)
    return of_array(_random.multinomial(generator, np.array(elements(input)), num_samples, replacement), input.device)


def _only_tensor(name: str, input: Any) -> None:
    if not isinstance(input, Tensor):
        raise _errors.arguments.wrong_type(name, "input", 1, "Tensor", input)


def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return Poisson random numbers with the rates in `input`."""
    return derived_from((input,), _poisson(input, generator), "PoissonBackward0")


@sampling.by_elements
def _poisson(input: Tensor, generator: Generator | None) -> Tensor:
    if not is_on_host(input):
        return by_tensors("poisson", generator, input)
    return of_array(_random.poisson(generator, np.array(elements(input))), input.device)


def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Return the number of successes in `count` trials, each with success probability `prob`.

    Args:
      count: the numbers of trials, a floating-point tensor.
      prob: the probabilities of success, broadcast with `count` and of the same dtype.
    """
    return underivable("aten::binomial", lambda count, prob: _binomial(count, prob, generator), count, prob)


@sampling.by_elements
def _binomial(count: Tensor, prob: Tensor, generator: Generator | None) -> Tensor:
    if not is_on_host(count):
        return by_tensors("binomial", generator, count, prob)
    if count.dtype is not prob.dtype:
        raise _errors.dtypes.unequal_target(prob.dtype, count.dtype)
    counts, chances = np.broadcast_arrays(elements(count), elements(prob))
    return of_array(_random.binomial(generator, np.array(counts), np.array(chances)), count.device)


def _standard_gamma(self: Tensor, generator: Generator | None = None) -> Tensor:
    """Return gamma random numbers with the shapes in `self` and scale one.

    The gradient keeps the quantile of each sample fixed (implicit reparameterization).
    """
    return binding.CALLERS["_gamma_drawn"](self, _gammas(self, generator))


@sampling.by_elements
def _gammas(shapes: Tensor, generator: Generator | None) -> Tensor:
    if not is_on_host(shapes):
        return by_tensors("gamma", generator, shapes)
    return of_array(_random.standard_gamma(generator, np.array(elements(shapes))), shapes.device)


def _sample_dirichlet(self: Tensor, generator: Generator | None = None) -> Tensor:
    """Return Dirichlet samples with the concentrations in the last dim.

    The gradient keeps the quantile of each sample fixed (implicit reparameterization).
    """
    return binding.CALLERS["_dirichlet_drawn"](self, _parts(self, generator))


@sampling.by_elements
def _parts(concentrations: Tensor, generator: Generator | None) -> Tensor:
    if not is_on_host(concentrations):
        return by_tensors("dirichlet", generator, concentrations)
    return of_array(_random.dirichlet(generator, np.array(elements(concentrations))), concentrations.device)


# -- in place ----------------------------------------------------------------------------------------------------------


def _fill(self: Tensor, draw: Sampler) -> Tensor:
    """Overwrite a tensor with random numbers, in the order of its memory. The numbers have no autograd history."""
    if self._edge is not None and modes.local.grad:
        views.check_write(self)
    sampling.into(self, draw)
    return self


def _filled(self: Tensor, name: str, generator: Generator | None, *parameters: Any) -> Tensor:
    return _fill(self, Sampler(name, generator, self.dtype.numpy, parameters))


def _only(name: str, other: dict, given: tuple = ()) -> None:
    if other:
        raise _errors.arguments.invalid_combination(name, given, other)


def uniform_(
    self: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None, **other: Any
) -> Tensor:
    """Fill with uniform random numbers in [from, to).

    Args:
      from_: the least number; PyTorch's name for it is `from`.
      to: the upper bound, at least `from_`.
      other: `from=` by name.

    >>> torchlike.empty(2, 3).uniform_(-1, 1).shape
    torch.Size([2, 3])
    """
    from_ = other.pop("from", from_)
    _only("uniform_", other)
    for place, (name, bound) in enumerate((("from", from_), ("to", to)), 1):
        if not hasattr(bound, "__float__"):
            raise _errors.arguments.wrong_type("uniform_", name, place, "float", bound)
    return _filled(self, "uniform", generator, from_, to)


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with normal random numbers.

    Args:
      mean: the mean.
      std: the standard deviation, at least 0.

    >>> torchlike.empty(2, 3).normal_().shape
    torch.Size([2, 3])
    """
    parameters = float(mean), float(std)
    return _fill(self, Sampler("normal", generator, self.dtype.numpy, parameters, contiguous=self.is_contiguous()))


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with random ones, with probability `p` (a number or a tensor), and zeros.

    Args:
      p: the probability of a one, or a tensor of probabilities that is broadcast.

    >>> torchlike.empty(2).bernoulli_(1.0)
    tensor([1., 1.])
    """
    if not isinstance(p, Tensor):
        return _filled(self, "bernoulli", generator, p)
    shape, strides = tuple(self.shape), self.stride()
    if not is_on_host(self):
        return self.copy_(sampling.like(self, Sampler("uniform", generator, np.dtype(np.float32))) < p.expand(shape))
    chances = np.broadcast_to(elements(p.expand(shape)), shape)
    order = sorted(range(len(shape)), key=lambda d: -strides[d])
    inside = np.ascontiguousarray(chances.transpose(order)) if self._strides is not None else chances
    return _filled(self, "bernoulli", generator, np.array(inside))


def random_(
    self: Tensor,
    from_: int | None = None,
    to: int | None = factories.MISSING,
    *,
    generator: Generator | None = None,
    **other: Any,
) -> Tensor:
    """Fill with random integers in [0, to) or [from, to).

    By default, the largest integer is the maximum of an integer dtype, or 2**digits for a floating-point dtype whose
    significand has that many digits.

    Args:
      from_: the least integer; PyTorch's name for it is `from`. Called with one number, `random_(to)`, it is 0.
      to: the integer after the largest.
      other: `from=` by name.

    >>> torchlike.zeros(2).random_(5, 6)
    tensor([5., 5.])
    """
    from_ = other.pop("from", from_)
    _only("random_", other)
    if isinstance(from_, float | bool) or isinstance(to, float | bool):
        raise _errors.arguments.invalid_combination(
            "random_", tuple(x for x in (from_, to) if x is not factories.MISSING), {}
        )
    if from_ is None and to in (None, factories.MISSING):
        return _filled(self, "random_", generator)
    low, high = (
        (0, from_) if to is factories.MISSING else (from_ or 0, to)
    )  # `to=None` means up to the dtype's largest number
    return _filled(self, "randint", generator, low, high)


def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with exponential random numbers of rate `lambd`.

    Args:
      lambd: the rate, above 0. The mean is 1 / lambd.

    >>> torchlike.empty(3).exponential_().shape
    torch.Size([3])
    """
    return _filled(self, "exponential", generator, float(lambd))


def cauchy_(self: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with Cauchy random numbers.

    Args:
      median: the median of the distribution.
      sigma: half of the distance between the quartiles, above 0.
    """
    return _filled(self, "cauchy", generator, float(median), float(sigma))


def log_normal_(self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None) -> Tensor:
    """Fill with log-normal random numbers, whose logarithms have the mean `mean` and the standard deviation `std`.

    Args:
      mean: the mean of the logarithm.
      std: the standard deviation of the logarithm, above 0.
    """
    return _filled(self, "log_normal", generator, float(mean), float(std))


def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with geometric random numbers of success probability `p`.

    Args:
      p: the probability of success of a trial, between 0 and 1, exclusive. The number is that of the first success.
    """
    if not hasattr(p, "__float__"):
        raise _errors.arguments.wrong_type("geometric_", "p", 1, "float", p)
    return _filled(self, "geometric", generator, p)


def _random_between(made: Tensor, *bounds: Any, generator: Generator | None = None, **named: Any) -> Tensor:
    low, high = _bounds("randint_like", [*bounds, *[named[k] for k in ("low", "high") if k in named]])
    return random_(made, low, high, generator=generator)


rand_like, randn_like = _like("rand_like", uniform_), _like("randn_like", normal_)
randint_like = _like("randint_like", _random_between, (1, 2))


def _drawing(function: Callable, overloaded: bool) -> Callable:
    """Wrap a sampling function: raise PyTorch's error if `generator` is not a Generator or `out` is not a tensor.

    The error of a function with several overloads differs from that of a function with one.
    """

    @functools.wraps(function)
    def draw(*args: Any, **kwargs: Any) -> Any:
        given, out = kwargs.get("generator"), kwargs.get("out")
        if out is not None and not isinstance(out, Tensor):
            raise _errors.arguments.invalid_combination(function.__name__, args, kwargs)
        if given is not None and not isinstance(given, Generator):
            if overloaded:
                raise _errors.arguments.invalid_combination(function.__name__, args, kwargs)
            raise TypeError(
                f"{function.__name__}(): argument 'generator' must be torch.Generator, not {type(given).__name__}"
            )
        return function(*args, **kwargs)

    return public_calls.worded(draw)


FUNCTIONS = {
    f.__name__: f
    for f in (
        manual_seed,
        seed,
        initial_seed,
        get_rng_state,
        set_rng_state,
        _standard_gamma,
        _sample_dirichlet,
    )
}
FUNCTIONS |= {f.__name__: _drawing(f, True) for f in (rand, randn, randint, randperm, normal)}
FUNCTIONS |= {f.__name__: public_calls.worded(f) for f in (rand_like, randn_like, randint_like)}
_BERNOULLI = Into(
    cast=lambda result, out: None,
    first=_errors.outs.no_complex_loop("bernoulli_tensor_cpu_self_"),
    quiet=True,
    overloads=True,
)
FUNCTIONS |= public_calls.functions(
    poisson,
    binomial,
    out={
        bernoulli: _BERNOULLI,
        multinomial: Into(first=_errors.random.long_out, quiet=True, called="aten::"),
    },
)
METHODS = {f.__name__: _drawing(f, f in (bernoulli_, random_)) for f in (uniform_, bernoulli_, random_)}
METHODS |= {
    name: _drawing(f, False)
    for name, f in public_calls.methods(normal_, exponential_, cauchy_, log_normal_, geometric_).items()
}
METHODS |= public_calls.methods(bernoulli, multinomial)
