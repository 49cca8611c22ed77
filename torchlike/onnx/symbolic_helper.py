"""Helpers for symbolic functions, which the exporter does not call."""

from collections.abc import Callable


def parse_args(*arg_descriptors: str) -> Callable[[Callable], Callable]:
    """Return a decorator that returns the function unchanged.

    In PyTorch, the decorator declares the argument types of a symbolic function.
    """
    return lambda fn: fn
