"""The hyperparameters of an optax transformation: names, values, and the function that makes the transformation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from torchlike import Tensor
from torchlike._internal import Recipe
from torchlike.optim.optimizer import required

PLAIN = (bool, int, float, str, type(None), Tensor)  # the types of hyperparameters that groups contain


class Maker(NamedTuple):
    """A function that makes the transformation from runtime numbers.

    Attributes:
      make: the function of hyperparameters, or the transformation.
      fixed: hyperparameters that are part of the program.
      names: the names that groups have for the hyperparameters that are numbers of the step.
      runtime: the names that `make` has for them.
    """

    make: Any
    fixed: tuple[tuple[str, Any], ...]
    names: tuple[str, ...]
    runtime: tuple[str, ...]

    def __call__(self, numbers: Any) -> Any:
        import optax

        made: Any = (
            self.make(**dict(self.fixed), **dict(zip(self.runtime, numbers))) if callable(self.make) else self.make
        )
        return optax.with_extra_args_support(made)

    def recipe(self) -> Recipe:
        """Return the maker as the engine takes it."""
        return Recipe(f"{_name_of(self.make)}_update", self, len(self.runtime))


def _name_of(make: Any) -> str:
    make = getattr(make, "func", make)  # of a `functools.partial`
    return getattr(make, "__name__", "optax")


def numbers_of(group: dict[str, Any], names: tuple[str, ...]) -> list[float]:
    """Return the numbers of a step."""
    return [float(group[name]) for name in names]


def by_name(make: Callable, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the hyperparameters by the names that groups have for them, and the names that `make` has for them."""
    signature = inspect.signature(make)
    of_group = {"learning_rate": "lr"} if "lr" not in signature.parameters else {}
    to_make = {"lr": "learning_rate"} if "learning_rate" in signature.parameters else {}
    options = {to_make.get(name, name): value for name, value in options.items()}
    signature.bind_partial(**options)  # raises TypeError for unknown names
    given = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) and name not in options:
            given[name] = required if parameter.default is parameter.empty else parameter.default
    # Defaults that groups cannot contain are left to `make`.
    given = {name: value for name, value in given.items() if value is required or isinstance(value, PLAIN)} | options
    names = {of_group.get(name, name): name for name in given}
    return {of_group.get(name, name): plain(value) for name, value in given.items()}, names


def plain(value: Any) -> Any:
    """Return a NumPy or JAX number as a Python number, and any other object unchanged."""
    is_number = not isinstance(value, Tensor) and getattr(value, "shape", None) == ()
    return value.item() if is_number and getattr(value.dtype, "kind", "") in ("b", "i", "u", "f") else value
