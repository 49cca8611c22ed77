"""The entries of PyTorch's operator database, and their samples."""

from __future__ import annotations

import fnmatch
import functools
import random
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

DTYPES = ("float32", "float64", "int64", "bool", "bfloat16", "complex64")
GRADIENT_DTYPES = ("float64", "complex128")


class Entry(NamedTuple):
    """An entry: its name (with its variant, if the name has several variants) and PyTorch's record of it."""

    name: str
    info: Any

    @property
    def dtypes(self) -> list[str]:
        """The dtypes, out of the six tested ones, that PyTorch supports on the CPU."""
        return _names(self.info.supported_dtypes("cpu"), DTYPES)

    @property
    def gradient_dtypes(self) -> list[str]:
        """The double-precision dtypes in which PyTorch has a gradient."""
        return self.differentiable(GRADIENT_DTYPES)

    def differentiable(self, dtypes: tuple[str, ...]) -> list[str]:
        """Return those of the dtypes in which PyTorch has a gradient on the CPU."""
        has = self.info.supports_autograd
        return _names(self.info.supported_backward_dtypes("cpu"), dtypes) if has else []

    def samples(self, dtype: str, requires_grad: bool = False) -> Iterator[Any]:
        """Yield PyTorch's sample inputs, the same ones each time."""
        _seed()
        yield from self.info.sample_inputs("cpu", getattr(torch, dtype), requires_grad=requires_grad)

    def errors(self) -> list[Any]:
        """Return the calls that PyTorch refuses."""
        _seed()
        if self.info.error_inputs_func is None:
            return []
        torch.use_deterministic_algorithms(True)  # fills the memory of `torch.empty`, which some calls use, with NaN
        try:
            return list(self.info.error_inputs("cpu"))
        finally:
            torch.use_deterministic_algorithms(False)


@functools.cache
def load() -> tuple[Entry, ...]:
    """Return every entry of the database, in order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    # Importing the database forbids setting the flags of torch.backends; other tests of this process need to set them.
    torch.backends.__allow_nonbracketed_mutation_flag = True
    return tuple(Entry(f"{op.name} {op.variant_test_name}".strip(), op) for op in op_db)


def chosen(patterns: list[str]) -> list[Entry]:
    """Return the entries whose name, with or without variant, matches a pattern. Without patterns, return all."""
    fits = lambda entry: any(fnmatch.fnmatchcase(n, p) for p in patterns for n in (entry.name, entry.info.name))
    return [entry for entry in load() if not patterns or fits(entry)]


def _names(dtypes: Any, wanted: tuple[str, ...]) -> list[str]:
    return [name for name in wanted if getattr(torch, name) in dtypes]


def _seed() -> None:
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
