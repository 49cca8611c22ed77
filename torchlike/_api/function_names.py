"""The names of the functions that `__torch_function__` receives."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

from torchlike._tensor.overriding import public

_OTHER = {
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "invert": "bitwise_not",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "mod": "remainder",
    "floordiv": "floor_divide",
    "truediv": "div",
    "concat": "cat",
    "concatenate": "cat",
}
_OF_TENSORS = frozenset(
    [
        "add",
        "sub",
        "mul",
        "div",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "pow",
        "remainder",
        "fmod",
        "bitwise_and",
        "bitwise_or",
    ]
)


def name_of(func: Callable) -> tuple[str, bool]:
    """Return the name of a function without underscores, and whether the function writes to its first argument."""
    found = public("overrides").resolve_name(func)
    name = found.rpartition(".")[2] if found else getattr(func, "__name__", "")
    if name.startswith("__") and name.endswith("__"):
        stem = name.strip("_")
        if stem == "setitem":
            return stem, True
        in_place = stem[0] == "i" and stem[1:] in (*_OTHER, "add", "sub", "mul", "pow", "matmul")
        stem = stem[1:] if in_place else stem
        return _OTHER.get(stem, stem), in_place
    in_place = name.endswith("_") and not name.startswith("_")
    stem = name.rstrip("_") if in_place else name
    return _OTHER.get(stem, stem), in_place


def is_in_place(func: Callable, args: tuple, kwargs: dict) -> bool:
    """Return whether a call has a true argument `inplace`."""
    place = _place_of_inplace(func)
    return bool(kwargs.get("inplace") or (place is not None and place < len(args) and args[place]))


@functools.cache
def _place_of_inplace(func: Callable) -> int | None:
    try:
        names = [*inspect.signature(func).parameters]
    except (TypeError, ValueError):  # the getter of an attribute
        return None
    return names.index("inplace") if "inplace" in names else None


def with_overload(name: str, in_place: bool) -> str:
    """Return PyTorch's name of an operator, with its overload for tensors."""
    return f"{name}{'_' * in_place}.{'Tensor' if name in _OF_TENSORS else 'default'}"
