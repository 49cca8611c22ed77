"""Nested tensors of both libraries with the same numbers, and comparisons of results."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

import torchlike

LIBRARIES: tuple[Any, Any] = (torch, torchlike)


def arrays(counts: tuple[int, ...], tail: tuple[int, ...], seed: int = 0) -> list[np.ndarray]:
    """Return random components with these numbers of rows."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((n, *tail)).astype(np.float32) for n in counts]


def nested(lib: Any, counts: tuple[int, ...] = (2, 4, 1), tail: tuple[int, ...] = (4,), seed: int = 0) -> Any:
    """Return a nested tensor that requires grad."""
    given = [lib.from_numpy(x.copy()) for x in arrays(counts, tail, seed)]
    return lib.nested.nested_tensor(given, layout=lib.jagged, requires_grad=True)


def as_numbers(x: Any) -> Any:
    """Return a result as NumPy arrays and plain values, which can be compared between the libraries."""
    if hasattr(x, "is_nested"):
        if not x.is_nested:
            return ["tensor", str(x.dtype), x.requires_grad, x.detach().numpy()]
        structure = [x.offsets().numpy(), x._ragged_idx, x.is_contiguous(), x.requires_grad]
        return ["nested", str(x.dtype), *structure, x.values().detach().numpy()]
    if isinstance(x, (list, tuple)):
        return [as_numbers(each) for each in x]
    return x


def check(a: Any, b: Any, tolerance: float = 2e-6) -> None:
    """Check that two results of `as_numbers` are equal."""
    assert type(a) is type(b)
    if isinstance(a, list):
        assert len(a) == len(b), (a, b)
        for x, y in zip(a, b):
            check(x, y, tolerance)
    elif isinstance(a, np.ndarray):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, tolerance, tolerance)
    else:
        assert a == b, (a, b)


def outcome(function: Any, lib: Any, *given: Any) -> Any:
    """Return the result of a function as numbers, or the kind and the first line of its error."""
    try:
        return as_numbers(function(lib, *given))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
