"""The base of all distributions: shapes, checks of parameters and values, and what follows from the declarations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike._internal import warn

from . import _errors, constraints
from .utils import broadcast_all, lazy_property, shape_of


def not_given(self: Any) -> Any:
    """The getter of what each distribution gives for itself."""
    raise NotImplementedError


class Distribution:
    """A batch of probability distributions over events.

    A subclass declares `arg_constraints` (parameter name -> constraint) and `support`, sets its parameters before it
    calls this `__init__`, and gives the formulae. Expansion, validation and `repr` are derived from the declarations.

    Args:
        batch_shape: shape of the independent, differently parametrised distributions.
        event_shape: shape of one draw.
        validate_args: whether parameters and values are checked (`ValueError`); None is the default, which
            `set_default_validate_args` sets.
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args: Any = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether distributions made from now on check their arguments."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Iterable = (), event_shape: Iterable = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape: Any = batch_shape if batch_shape != () else Size()
        self._event_shape: Any = event_shape if event_shape != () else Size()
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()

    # -- checks --------------------------------------------------------------------------------------------------------

    def _validate_parameters(self) -> None:
        try:
            declared = self.arg_constraints
        except NotImplementedError:
            remedy = ". Please set `arg_constraints = {}` or"
            warn(_errors.undefined(type(self), "arg_constraints", remedy))
            return
        checked = []
        for name, constraint in declared.items():
            if constraints.is_dependent(constraint) or self._is_lazy(name):
                continue
            value = getattr(self, name)
            checked.append((name, constraint, value, constraint.check(value).all()))
        # All are recorded before the first is looked at, so that they run as one program.
        for name, constraint, value, holds in checked:
            if not holds:
                raise _errors.invalid_parameter(name, value, self, constraint)

    def _is_lazy(self, name: str) -> bool:
        return name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property)

    def _validate_sample(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise _errors.value_is_no_tensor()
        first = value.dim() - len(self._event_shape)
        if value.shape[max(first, 0) :] != self._event_shape:
            raise _errors.value_of_other_event(value, self._event_shape)
        expected = self._batch_shape + self._event_shape
        for ours, theirs in zip(reversed(value.shape), reversed(expected)):
            if ours != 1 and theirs != 1 and ours != theirs:
                raise _errors.value_of_other_batch(value, expected)
        try:
            support: Any = self.support
        except NotImplementedError:
            warn(_errors.undefined(type(self), "support", " to enable sample validation. Please"))
            return
        if not support.check(value).all():
            raise _errors.invalid_value(value, self, support)

    def _checked(self, value: Tensor) -> Tensor:
        """`value`, after validation where that is on."""
        if self._validate_args:
            self._validate_sample(value)
        return value

    def _set(self, **parameters: Any) -> Size:
        """Make attributes of the parameters, broadcast together; returns their batch shape, none for numbers alone."""
        for name, value in zip(parameters, broadcast_all(*parameters.values())):
            setattr(self, name, value)
        return shape_of(*[getattr(self, name) for name, given in parameters.items() if isinstance(given, Tensor)])

    # -- shapes --------------------------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> Size:
        """The shape over which parameters are batched."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one draw."""
        return self._event_shape

    def _extended_shape(self, sample_shape: Iterable[int] = ()) -> Size:
        """The shape of draws: sample_shape + batch_shape + event_shape."""
        return Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))

    def expand(self, batch_shape: Iterable[int], _instance: Any = None) -> Any:
        """The same distributions, their parameters expanded (as views) to `batch_shape`."""
        new = self._get_checked_instance(self._declaring(), _instance)
        shape = Size(batch_shape)
        for name, value in self.__dict__.items():
            new.__dict__[name] = self._expanded(name, value, shape)
        new.__dict__["_batch_shape"] = shape
        return new

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        if isinstance(value, Distribution):
            return value.expand(batch_shape)
        constraint = self.arg_constraints.get(name) if isinstance(value, Tensor) else None
        if constraint is None:
            return value
        event = value.shape[value.dim() - constraint.event_dim :]
        return value.expand(batch_shape + event)

    def _declaring(self) -> type:
        """The class of this package, other than a base, that the distribution is or derives from."""
        package = Distribution.__module__.rpartition(".")[0]
        for kind in type(self).__mro__:
            if kind is not Distribution and kind.__module__.startswith(package) and "__init__" in vars(kind):
                return kind
        raise NotImplementedError

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ != cls.__init__:
            raise _errors.no_expand(type(self), cls)
        return self.__new__(type(self)) if _instance is None else _instance

    # -- what subclasses give ------------------------------------------------------------------------------------------

    arg_constraints: Any = property(not_given, doc="The constraint of each parameter, by name.")
    support: Any = property(not_given, doc="The constraint that draws satisfy.")

    @property
    def mean(self) -> Tensor:
        """The mean, of shape batch_shape + event_shape."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The point of highest density."""
        raise _errors.no_mode(self.__class__)

    @property
    def variance(self) -> Tensor:
        """The variance, element by element."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Iterable[int] = Size()) -> Tensor:
        """A draw of shape sample_shape + batch_shape + event_shape, without history."""
        with torchlike.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Iterable[int] = Size()) -> Tensor:
        """A draw through which gradients reach the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """`sample((n,))`."""
        warn(_errors.use_sample(), FutureWarning)
        return self.sample(Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density or probability of `value`, of shape sample_shape + batch_shape."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of draws up to `value`."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution, along a new first dim; `expand`: for every batch element."""
        raise NotImplementedError

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        """Scalar events (values,) along a first dim before the batch."""
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + tuple(self._batch_shape)) if expand else values

    def entropy(self) -> Tensor:
        """The entropy in nats, of shape batch_shape."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """exp(entropy)."""
        return torchlike.exp(self.entropy())

    def __repr__(self) -> str:
        shown = [(name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__]
        parts = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in shown]
        return f"{self.__class__.__name__}({', '.join(parts)})"
