"""Registries of transforms by constraint: `biject_to` for bijections, and `transform_to` for all transforms."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

from . import constraints, transforms


class ConstraintRegistry:
    """A registry from constraints to transforms. Each transform maps unconstrained reals to the constraint's set.

    There are two registries: `biject_to` for bijections, and `transform_to` for transforms that need not be injective.
    They are called with a constraint.

    Args:
      constraint (Constraint): the argument of a call: the constraint that the results of the transform satisfy.

    Raises:
      NotImplementedError: no transform is registered for the class of the constraint. A call raises this.

    >>> biject_to(constraints.unit_interval)
    SigmoidTransform()
    >>> transform_to(constraints.simplex), biject_to(constraints.simplex)
    (SoftmaxTransform(), StickBreakingTransform())
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], transforms.Transform]] = {}
        super().__init__()

    def register(self, constraint: Any, factory: Callable[[Any], Any] | None = None) -> Any:
        """Register a factory (a function of a constraint) for a class of constraints.

        Without `factory`, return a decorator.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        """Return a transform from the reals to the set of `constraint`."""
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _in_both(*kinds: Any) -> Callable[[Callable], Callable]:
    """Return a decorator that registers a factory in both registries, for several classes of constraints."""

    def register(factory: Callable[[Any], Any]) -> Callable[[Any], Any]:
        for registry in (biject_to, transform_to):
            for kind in kinds:
                registry.register(kind, factory)
        return factory

    return register


def _in_each(kind: Any) -> Callable[[Callable], Callable]:
    """Return a decorator that registers `factory(registry, constraint)` in both registries.

    `kind` is a class of constraints that contain other constraints. The factory uses `registry` to transform these.
    """

    def register(factory: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        for registry in (biject_to, transform_to):
            registry.register(kind, lambda constraint, registry=registry: factory(registry, constraint))
        return factory

    return register


@_in_both(constraints.real)
def _real(constraint: Any) -> Any:
    return transforms.identity_transform


@_in_both(constraints.greater_than, constraints.greater_than_eq)
def _above(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


@_in_both(constraints.less_than)
def _below(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


@_in_both(constraints.interval, constraints.half_open_interval)
def _between(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if all(isinstance(bound, Number) for bound in (low, high)) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


@biject_to.register(constraints.simplex)
def _bijection_to_simplex(constraint: Any) -> Any:
    return transforms.StickBreakingTransform()


@transform_to.register(constraints.simplex)
def _transform_to_simplex(constraint: Any) -> Any:
    return transforms.SoftmaxTransform()


@transform_to.register(constraints.lower_cholesky)
def _lower_cholesky(constraint: Any) -> Any:
    return transforms.LowerCholeskyTransform()


@transform_to.register(constraints.positive_semidefinite)
@transform_to.register(constraints.positive_definite)
def _positive_definite(constraint: Any) -> Any:
    return transforms.PositiveDefiniteTransform()


@_in_both(constraints.corr_cholesky)
def _corr_cholesky(constraint: Any) -> Any:
    return transforms.CorrCholeskyTransform()


@_in_each(constraints.independent)
def _independent(registry: ConstraintRegistry, constraint: Any) -> Any:
    base = registry(constraint.base_constraint)
    return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)


@_in_each(constraints.cat)
def _cat(registry: ConstraintRegistry, constraint: Any) -> Any:
    return transforms.CatTransform([registry(c) for c in constraint.cseq], constraint.dim, constraint.lengths)


@_in_each(constraints.stack)
def _stack(registry: ConstraintRegistry, constraint: Any) -> Any:
    return transforms.StackTransform([registry(c) for c in constraint.cseq], constraint.dim)
