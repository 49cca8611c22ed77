"""Helpers for symbolic functions of the ONNX exporter, which is not supported."""

from collections.abc import Callable


def parse_args(*arg_descriptors: str) -> Callable[[Callable], Callable]:
    """Return a decorator that returns the function unchanged.

    In PyTorch, the decorator declares the argument types of a symbolic function.
    """
    return lambda fn: fn
