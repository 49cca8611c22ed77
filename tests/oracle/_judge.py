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


_NO_DRIVER = ("Found no NVIDIA driver on your system", "CUDA driver version is insufficient")
_NO_GPU = (
    "Torch not compiled with CUDA enabled",
    "Cannot access accelerator device when none is available.",
    "pin_memory=True requires a CUDA or other accelerator backend",
)


def is_no_gpu(ours: str, theirs: str) -> bool:
    """Return whether two errors say that there is no GPU. A PyTorch built for CUDA uses other words than ours does."""
    return any(text in theirs for text in _NO_DRIVER) and any(text in ours for text in _NO_GPU)


def errors_of(program: Callable) -> tuple[Exception | None, Exception | None]:
    """Return the errors of PyTorch and of torchlike. They are the same object if both say that there is no GPU."""
    theirs, ours = outcome(program, torch).error, outcome(program, torchlike).error
    return (ours if is_no_gpu(str(ours), str(theirs)) else theirs), ours


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
    if is_no_gpu(str(ours.error), str(theirs.error)):
        return
    assert ours.sentence == theirs.sentence, f"{ours.sentence}\n  is not PyTorch's\n{theirs.sentence}"
    if theirs.error is None:
        assert_same(ours.result, theirs.result, **tolerances)
