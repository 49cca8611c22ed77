"""Random parameters and tensors, for measurements with many inputs. The same seed gives PyTorch's."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import torchlike

__all__ = ["FuzzedParameter", "FuzzedTensor", "Fuzzer", "ParameterAlias"]

_TRIES = 1000


class FuzzedParameter:
    """A random parameter.

    Args:
      name: the name.
      minval: the least value. None for a dict.
      maxval: the greatest value. If both limits are ints, "uniform" samples ints.
      distribution: "uniform", "loguniform", or a dict of values and their probabilities.
      strict: whether the value is kept when the others are sampled again because they do not fit.

    Raises:
      AssertionError: The distribution is unknown, or a dict with limits or whose sum is not 1.

    >>> FuzzedParameter("rows", 1, 8, distribution="uniform").name
    'rows'
    """

    def __init__(
        self,
        name: str,
        minval: float | None = None,
        maxval: float | None = None,
        distribution: str | dict[Any, float] | None = None,
        strict: bool = False,
    ) -> None:
        self._name, self._minval, self._maxval = name, minval, maxval
        self._distribution = self._check_distribution(distribution)
        self.strict = strict

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    def sample(self, state: Any) -> Any:
        """Return a random value.

        Args:
          state: the generator, a `numpy.random.RandomState`.
        """
        if self._distribution == "loguniform":
            return self._loguniform(state)
        if self._distribution == "uniform":
            return self._uniform(state)
        return self._custom_distribution(state)

    def _check_distribution(self, distribution: Any) -> Any:
        if not isinstance(distribution, dict):
            if distribution not in ("loguniform", "uniform"):
                raise AssertionError(f"Unknown distribution: {distribution}")
            return distribution
        if any(each < 0 for each in distribution.values()):
            raise AssertionError("Probabilities cannot be negative")
        if abs(sum(distribution.values()) - 1) > 1e-5:
            raise AssertionError("Distribution is not normalized")
        for name, limit in (("minval", self._minval), ("maxval", self._maxval)):
            if limit is not None:
                raise AssertionError(f"When passing a custom distribution, '{name}' must be None")
        return distribution

    def _loguniform(self, state: Any) -> Any:
        least, most = self._minval, self._maxval
        low, high = (None if each is None else np.log2(each) for each in (least, most))
        value = int(2 ** state.uniform(low=low, high=high))
        value = value if least is None else max(value, least)
        return value if most is None else min(value, most)

    def _uniform(self, state: Any) -> Any:
        if isinstance(self._minval, int) and isinstance(self._maxval, int):
            return int(state.randint(low=self._minval, high=self._maxval + 1))
        return state.uniform(low=self._minval, high=self._maxval)

    def _custom_distribution(self, state: Any) -> Any:
        values: dict = self._distribution
        return list(values)[state.choice(np.arange(len(values)), p=tuple(values.values()))]


class ParameterAlias:
    """A value of a parameter's distribution that stands for the value of another parameter.

    Args:
      alias_to: the name of the other parameter.

    >>> ParameterAlias("rows")
    ParameterAlias[alias_to: rows]
    """

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


def dtype_size(dtype: Any) -> int:
    """Return the number of bytes of an element.

    Args:
      dtype: the dtype. Complex dtypes count as their real parts, as in PyTorch.

    >>> dtype_size(torchlike.float32)
    4
    """
    if dtype == torchlike.bool:
        return 1
    limits = torchlike.finfo if dtype.is_floating_point or dtype.is_complex else torchlike.iinfo
    return limits(dtype).bits // 8


class FuzzedTensor:
    """A random tensor.

    Args:
      name: the name.
      size: the sizes: ints, or names of parameters.
      steps: the steps: a larger tensor is made, and every n-th element is taken.
      probability_contiguous: the probability that the tensor, before the steps, is contiguous. Otherwise its dims are
        permuted in memory.
      min_elements: the least number of elements.
      max_elements: the greatest number of elements.
      max_allocation_bytes: the greatest number of bytes of the tensor before the steps.
      dim_parameter: the name of the parameter that is the number of dims. Further sizes are not used.
      roll_parameter: not used, as in PyTorch.
      dtype: the dtype.
      cuda: whether the tensor is on the GPU.
      tensor_constructor: a function of `size`, `dtype` and the parameters by name. Default: uniform random numbers, or
        random ints from 1 to 126.

    >>> FuzzedTensor("x", size=("rows", 3)).name
    'x'
    """

    def __init__(
        self,
        name: str,
        size: tuple[str | int, ...],
        steps: tuple[str | int, ...] | None = None,
        probability_contiguous: float = 0.5,
        min_elements: int | None = None,
        max_elements: int | None = None,
        max_allocation_bytes: int | None = None,
        dim_parameter: str | None = None,
        roll_parameter: str | None = None,
        dtype: Any = torchlike.float32,
        cuda: bool = False,
        tensor_constructor: Callable | None = None,
    ) -> None:
        self._name = name
        self._size = size
        self._steps = steps
        self._probability_contiguous = probability_contiguous
        self._min_elements = min_elements
        self._max_elements = max_elements
        self._max_allocation_bytes = max_allocation_bytes
        self._dim_parameter = dim_parameter
        self._dtype = dtype
        self._cuda = cuda
        self._tensor_constructor = tensor_constructor

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @staticmethod
    def default_tensor_constructor(size: Any, dtype: Any, **kwargs: Any) -> Any:
        """Return a random tensor.

        Args:
          size: the shape.
          dtype: the dtype.
          **kwargs: the parameters, which are not used.
        """
        if dtype.is_floating_point or dtype.is_complex:
            return torchlike.rand(size=size, dtype=dtype, device="cpu")
        return torchlike.randint(1, 127, size=size, dtype=dtype, device="cpu")

    def _make_tensor(self, params: dict, state: Any) -> tuple[Any, dict]:
        size, steps, whole = self._get_size_and_steps(params)
        tensor = (self._tensor_constructor or self.default_tensor_constructor)(size=whole, dtype=self._dtype, **params)
        tensor = tensor.cuda() if self._cuda else tensor
        order = np.arange(len(size))
        if state.rand() > self._probability_contiguous:
            while len(size) > 1 and np.all(order == np.arange(len(size))):
                order = state.permutation(tensor.dim())
            tensor = tensor.permute(tuple(order.tolist())).contiguous().permute(tuple(np.argsort(order).tolist()))
        tensor = tensor[tuple(slice(0, n * step, step) for n, step in zip(size, steps))]
        return tensor, {
            "numel": int(tensor.numel()),
            "order": order,
            "steps": steps,
            "is_contiguous": tensor.is_contiguous(),
            "dtype": str(self._dtype),
        }

    def _get_size_and_steps(self, params: dict) -> tuple[tuple, tuple, tuple]:
        """Return the sizes, the steps, and the sizes before the steps."""
        dim = len(self._size) if self._dim_parameter is None else params[self._dim_parameter]

        def resolved(values: tuple) -> tuple:
            found = tuple(params.get(each, each) for each in values)[:dim]
            return found + (1,) * (dim - len(found))

        size, steps = resolved(self._size), resolved(self._steps or ())
        return size, steps, tuple(n * step for n, step in zip(size, steps))

    def satisfies_constraints(self, params: dict) -> bool:
        """Return whether the tensor of some parameters has a permitted size.

        Args:
          params: the values of the parameters.
        """
        size, _, whole = self._get_size_and_steps(params)
        elements, allocated = math.prod(map(int, size)), math.prod(map(int, whole)) * dtype_size(self._dtype)
        if elements < 0:
            raise AssertionError("Computed number of elements is negative")
        limits = (
            (elements, self._max_elements),
            (self._min_elements, elements),
            (allocated, self._max_allocation_bytes),
        )
        return all(less is None or more is None or less <= more for less, more in limits)


class Fuzzer:
    """A generator of random tensors.

    Args:
      parameters: the parameters, or lists of them.
      tensors: the tensors, or lists of them.
      constraints: functions of a dict of the values of all parameters. If one returns False, these are sampled again.
      seed: the seed of the parameters. `take` also seeds the global generator with it.

    Raises:
      ValueError: A parameter and a tensor have the same name.

    >>> rows = FuzzedParameter("rows", 1, 8, distribution="uniform")
    >>> fuzzer = Fuzzer([rows], [FuzzedTensor("x", size=("rows", 3))], seed=0)
    >>> for tensors, properties, parameters in fuzzer.take(1):
    ...     assert tensors["x"].shape == (parameters["rows"], 3)
    """

    def __init__(
        self, parameters: list, tensors: list, constraints: list[Callable] | None = None, seed: int | None = None
    ) -> None:
        if seed is None:
            seed = int(np.random.RandomState().randint(0, 2**32 - 1, dtype=np.int64))
        self._seed = seed
        self._parameters = Fuzzer._unpack(parameters, FuzzedParameter)
        self._tensors = Fuzzer._unpack(tensors, FuzzedTensor)
        self._constraints = constraints or ()
        twice = {each.name for each in self._parameters} & {each.name for each in self._tensors}
        if twice:
            raise ValueError(f"Duplicate names in parameters and tensors: {twice}")
        self._rejections = 0
        self._total_generated = 0

    @staticmethod
    def _unpack(values: Any, cls: type) -> tuple:
        return tuple(itertools.chain.from_iterable([each] if isinstance(each, cls) else each for each in values))

    def take(self, n: int) -> Iterator[tuple[dict, dict, dict]]:
        """Iterate over dicts of tensors, of their properties, and of the values of the parameters.

        Args:
          n: the number of iterations.
        """
        state = np.random.RandomState(self._seed)
        torchlike.manual_seed(int(state.randint(low=0, high=2**63, dtype=np.int64)))
        for _ in range(n):
            params = self._generate(state)
            made = {each.name: each._make_tensor(params, state) for each in self._tensors}
            tensors = {name: tensor for name, (tensor, _) in made.items()}
            yield tensors, {name: properties for name, (_, properties) in made.items()}, params

    @property
    def rejection_rate(self) -> float:
        """The share of the samples that did not fit."""
        return self._rejections / self._total_generated if self._total_generated else 0.0

    def _generate(self, state: Any) -> dict:
        strict: dict[str, Any] = {}
        for _ in range(_TRIES):
            params: dict[str, Any] = {}
            for each in self._parameters:
                params[each.name] = strict[each.name] if each.name in strict else each.sample(state)
                if each.strict:
                    strict[each.name] = params[each.name]
            params = self._resolve_aliases(params)
            self._total_generated += 1
            fits = all(f(params) for f in self._constraints)
            if fits and all(each.satisfies_constraints(params) for each in self._tensors):
                return params
            self._rejections += 1
        raise ValueError("Failed to generate a set of valid parameters.")

    @staticmethod
    def _resolve_aliases(params: dict) -> dict:
        params = dict(params)
        while aliases := [name for name, value in params.items() if isinstance(value, ParameterAlias)]:
            for name in aliases:
                params[name] = params[params[name].alias_to]
            if len(aliases) == sum(isinstance(value, ParameterAlias) for value in params.values()):
                raise ValueError(f"ParameterAlias cycle detected\n{params}")
        return params
