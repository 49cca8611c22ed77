"""`PassManager` for passes that return the changed object, and functions that make and order passes."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any

from .infra.pass_manager import this_before_that_pass_constraint as this_before_that_pass_constraint

logger = logging.getLogger(__name__)


def inplace_wrapper(fn: Callable) -> Callable:
    """Return a pass that calls a function and returns the object that the function has changed.

    Args:
      fn (function): changes its first argument.

    >>> inplace_wrapper(list.append)([1], 2)
    [1, 2]
    """

    @functools.wraps(fn)
    def wrapped(gm: Any, *args: Any, **kwargs: Any) -> Any:
        fn(gm, *args, **kwargs)
        return gm

    return wrapped


def log_hook(fn: Callable, level: int = logging.INFO) -> Callable:
    """Return a pass that logs the result of a function.

    Args:
      fn (function): the function.
      level (int): the level of the log. Default: `logging.INFO`.

    >>> log_hook(len)([1, 2])
    2
    """

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        result = fn(*args, **kwargs)
        logger.log(level, "Ran pass %s\t Return value: %s", fn, result)
        return result

    return wrapped


def loop_pass(
    base_pass: Callable[[Any], Any], n_iter: int | None = None, predicate: Callable[[Any], bool] | None = None
) -> Callable[[Any], Any]:
    """Return a pass that runs another pass repeatedly. Give either `n_iter` or `predicate`.

    Args:
      base_pass (function): the other pass.
      n_iter (int, optional): how often it runs.
      predicate (function, optional): it runs as long as the function of the object returns True.

    Raises:
      AssertionError: both or none are given.

    >>> loop_pass(lambda n: n + 1, n_iter=3)(0)
    3
    """
    if (n_iter is None) == (predicate is None):
        raise AssertionError("Exactly one of `n_iter`or `predicate` must be specified.")

    @functools.wraps(base_pass)
    def wrapped(source: Any) -> Any:
        if predicate is None and not (n_iter is not None and n_iter > 0):
            raise RuntimeError(
                f"loop_pass must be given positive int n_iter (given {n_iter}) xor predicate (given {predicate})"
            )
        for _ in range(n_iter or 0):
            source = base_pass(source)
        while predicate is not None and predicate(source):
            source = base_pass(source)
        return source

    return wrapped


def these_before_those_pass_constraint(these: Callable, those: Callable) -> Callable[[Callable, Callable], bool]:
    """Return the constraint that some passes run before others, also where functions of this module wrap them.

    Args:
      these (function): the earlier pass.
      those (function): the later pass.

    >>> first, last = (lambda x: x), (lambda x: x)
    >>> these_before_those_pass_constraint(first, last)(loop_pass(last, 2), first)
    False
    """
    return lambda a, b: inspect.unwrap(a) != those or inspect.unwrap(b) != these


class PassManager:
    """A callable object that runs passes one after another. Each takes the result of the previous one.

    Args:
      passes (list, optional): the passes.
      constraints (list, optional): functions of two passes, which return whether the first may run before the second.

    >>> PassManager([lambda n: n + 1, lambda n: n * 10])(1)
    20
    """

    def __init__(self, passes: list[Callable] | None = None, constraints: list[Callable] | None = None) -> None:
        self.passes, self.constraints = passes or [], constraints or []
        self._validated = False

    @classmethod
    def build_from_passlist(cls, passes: list[Callable]) -> PassManager:
        """Return a manager of passes without constraints.

        Args:
          passes (list): the passes.
        """
        return PassManager(passes)

    def add_pass(self, _pass: Callable) -> None:
        """Add a pass.

        Args:
          _pass: the pass.
        """
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Callable[[Callable, Callable], bool]) -> None:
        """Add a constraint.

        Args:
          constraint (function): returns whether its first argument may run before the second.
        """
        self.constraints.append(constraint)
        self._validated = False

    def remove_pass(self, _passes: list[str] | None) -> None:
        """Remove passes by their names.

        Args:
          _passes (list of str): the names of the functions.
        """
        if _passes is not None:
            self.passes = [each for each in self.passes if each.__name__ not in _passes]
            self._validated = False

    def replace_pass(self, _target: Callable, _replacement: Callable) -> None:
        """Replace the passes that have the name of a function.

        Args:
          _target (function): the function.
          _replacement: the new pass.
        """
        self.passes = [_replacement if each.__name__ == _target.__name__ else each for each in self.passes]
        self._validated = False

    def validate(self) -> None:
        """Check the order of the passes. Raises RuntimeError if a constraint is violated."""
        if self._validated:
            return
        for allowed in self.constraints:
            for i, a in enumerate(self.passes):
                for j, b in enumerate(self.passes[i + 1 :]):
                    if not allowed(a, b):
                        raise RuntimeError(
                            f"pass schedule constraint violated. Expected {a} before {b} but found {a} at index {i} "
                            f"and {b} at index{j} in pass list."
                        )
        self._validated = True

    def __call__(self, source: Any) -> Any:
        self.validate()
        for each in self.passes:
            source = each(source)
        return source


__all__ = [
    "PassManager",
    "inplace_wrapper",
    "log_hook",
    "loop_pass",
    "these_before_those_pass_constraint",
    "this_before_that_pass_constraint",
]
