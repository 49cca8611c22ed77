"""Elementwise kernels from C++ source, which are not supported. Every call of such a function raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._engine import accelerators


def _create_jit_fn(code_string: str, **kwargs: Any) -> Callable:
    """Return a function that raises when it is called."""
    return _refuse


def _create_multi_output_jit_fn(code_string: str, num_outputs: int, **kwargs: Any) -> Callable:
    """Return a function that raises when it is called."""
    return _refuse


def _refuse(*tensors: Any, **kwargs: Any) -> Any:
    if accelerators.devices("cuda"):
        raise _errors.arguments.kind_unsupported("jiterator", "kernels in C++")
    raise AssertionError("Jiterator is only supported on CUDA and ROCm GPUs, none are available.")
