"""The base class of distributions, with shapes, validation and methods that are derived from declarations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import torchlike
from torchlike import Size, Tensor
from torchlike._internal import warn

from . import _errors, constraints
from .utils import broadcast_all, lazy_property, shape_of


def not_given(self: Any) -> Any:
    """Raise NotImplementedError. This is the getter of properties that each distribution must override."""
    raise NotImplementedError


class Distribution:
    """A batch of probability distributions over events.

    A subclass declares `arg_constraints` (a dict from parameter names to constraints) and `support`. It sets its
    parameters as attributes before it calls this `__init__`, and it implements the formulas. Expansion, validation and
    `repr` are derived from the declarations.

    Args:
      batch_shape (sequence of ints, default Size([])): the shape of the batch of independent distributions.
      event_shape (sequence of ints, default Size([])): the shape of one sample.
      validate_args (bool, optional): check the parameters by `arg_constraints`, and the arguments of `log_prob` and
        `cdf` by `support`. Default: the value of `set_default_validate_args`, which is True unless Python runs with -O.

    Raises:
      ValueError: a parameter does not satisfy its constraint, and `validate_args` holds. Methods raise it for values
        outside of the support.

    >>> import torchlike as torch
    >>> normal = torch.distributions.Normal(torch.zeros(3), 1.0)
    >>> isinstance(normal, torch.distributions.Distribution), normal.batch_shape, normal.sample((2,)).shape
    (True, torch.Size([3]), torch.Size([2, 3]))
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args: Any = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether new distributions validate their arguments by default."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Iterable = Size(), event_shape: Iterable = Size(), validate_args: bool | None = None
    ) -> None:
        self._batch_shape: Any = batch_shape
        self._event_shape: Any = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._validate_parameters()
        super().__init__()  # of the next class in the MRO, such as `nn.Module`

    # -- validation ----------------------------------------------------------------------------------------------------

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
        # All checks are queued before the first result is read, so that they run as one program.
        for name, constraint, value, holds in checked:
            if not holds:
                raise _errors.invalid_parameter(name, value, self, constraint)

    def _is_lazy(self, name: str) -> bool:
        return name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property)

    def _validate_sample(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        first = value.dim() - len(self._event_shape)
        if value.shape[max(first, 0) :] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.size()} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for ours, theirs in zip(reversed(value.shape), reversed(expected)):
            if ours != 1 and theirs != 1 and ours != theirs:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs {expected}."
                )
        try:
            support: Any = self.support
        except NotImplementedError:
            warn(_errors.undefined(type(self), "support", " to enable sample validation. Please"))
            return
        if not support.check(value).all():
            raise _errors.invalid_value(value, self, support)

    def _checked(self, value: Tensor) -> Tensor:
        """Return `value`, after validation if validation is enabled."""
        if self._validate_args:
            self._validate_sample(value)
        return value

    def _set(self, **parameters: Any) -> Size:
        """Broadcast the parameters and set them as attributes. Return the batch shape, which is () for numbers only."""
        for name, value in zip(parameters, broadcast_all(*parameters.values())):
            setattr(self, name, value)
        return shape_of(*[getattr(self, name) for name, given in parameters.items() if isinstance(given, Tensor)])

    # -- shapes --------------------------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample."""
        return self._event_shape

    def _extended_shape(self, sample_shape: Iterable[int] = ()) -> Size:
        """Return the shape of samples: sample_shape + batch_shape + event_shape."""
        return Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))

    def expand(self, batch_shape: Iterable[int], _instance: Any = None) -> Any:
        """Return the distribution with its parameters expanded (as views) to `batch_shape`."""
        new = self._get_checked_instance(self._declaring(), _instance)
        shape = Size(batch_shape)
        for name, value in self.__dict__.items():
            new.__dict__[name] = self._expanded(name, value, shape)
        new.__dict__["_batch_shape"] = shape
        return new

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        if isinstance(value, Distribution):
            return value.expand(batch_shape)
        constraint = self._constraint_of(name) if isinstance(value, Tensor) else None
        if constraint is None:
            return value
        event = value.shape[value.dim() - constraint.event_dim :]
        return value.expand(batch_shape + event)

    def _constraint_of(self, name: str) -> Any:
        """Return the constraint that the class, or the nearest of its bases, declares for a parameter, or None."""
        declared = [self.arg_constraints, *(vars(kind).get("arg_constraints") for kind in type(self).__mro__)]
        return next((names[name] for names in declared if isinstance(names, Mapping) and name in names), None)

    def _declaring(self) -> type:
        """Return the first class in the MRO, except `Distribution`, that this package defines with an `__init__`."""
        package = Distribution.__module__.rpartition(".")[0]
        for kind in type(self).__mro__:
            if kind is not Distribution and kind.__module__.startswith(package) and "__init__" in vars(kind):
                return kind
        raise NotImplementedError

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    # -- members that subclasses override ------------------------------------------------------------------------------

    arg_constraints: Any = property(not_given, doc="The constraint of each parameter, by name.")
    support: Any = property(not_given, doc="The constraint that samples satisfy.")

    @property
    def mean(self) -> Tensor:
        """The mean, of shape batch_shape + event_shape."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The mode, that is, the point of highest density."""
        raise _errors.no_mode(self.__class__)

    @property
    def variance(self) -> Tensor:
        """The elementwise variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Iterable[int] = Size()) -> Tensor:
        """Return a sample of shape sample_shape + batch_shape + event_shape, detached from the graph."""
        with torchlike.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Iterable[int] = Size()) -> Tensor:
        """Return a reparametrized sample: gradients flow to the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """Return `sample((n,))`. Deprecated."""
        warn(_errors.use_sample(), FutureWarning)
        return self.sample(Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density or probability of `value`. The shape is sample_shape + batch_shape."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """Return the cumulative distribution function at `value`."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values of a discrete distribution along a new first dim.

        With `expand`, the values are repeated over the batch.
        """
        raise NotImplementedError

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        """Reshape a vector of scalar events so that they lie along a new first dim, before the batch dims.

        With `expand`, repeat the events over the batch.
        """
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + tuple(self._batch_shape)) if expand else values

    def entropy(self) -> Tensor:
        """Return the entropy in nats. The shape is batch_shape."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """Return exp(entropy)."""
        return torchlike.exp(self.entropy())

    def __repr__(self) -> str:
        shown = [(name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__]
        parts = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in shown]
        return f"{self.__class__.__name__}({', '.join(parts)})"
