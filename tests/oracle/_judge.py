"""Run one program in both libraries from the same seed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

import torchlike
from tests.oracle._compare import assert_same


@dataclass(frozen=True)
class Outcome:
    """The result of a program, or the error that it raised."""

    result: Any = None
    error: Exception | None = None

    @property
    def sentence(self) -> tuple[str, str] | None:
        """The type and text of the error, as a user of ``python -m torchlike`` sees them."""
        renamed = str(self.error).replace("<class 'torchlike.", "<class 'torch.")
        return self.error and (type(self.error).__name__, renamed)


def outcome(program: Callable, library) -> Outcome:
    """Run ``program(library)`` after ``library.manual_seed(0)``."""
    library.manual_seed(0)
    try:
        return Outcome(result=program(library))
    except Exception as error:
        return Outcome(error=error)


def both(program: Callable, **tolerances) -> None:
    """Fail unless the program has equal results, or errors of the same type and text, in torchlike and in PyTorch.

    The keyword arguments are those of ``assert_same``.
    """
    theirs, ours = outcome(program, torch), outcome(program, torchlike)
    if ours.error is not None and theirs.error is None:
        raise ours.error
    assert ours.sentence == theirs.sentence, f"{ours.sentence}\n  is not PyTorch's\n{theirs.sentence}"
    if theirs.error is None:
        assert_same(ours.result, theirs.result, **tolerances)
