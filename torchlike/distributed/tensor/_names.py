"""The names of operators, as the table of rules has them."""

from __future__ import annotations

from collections.abc import Callable

from torchlike.overrides import resolve_name

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
# PyTorch's names of the operators that its errors show, if they differ.
_SHOWN = {
    "linear": "mm.default",
    "matmul": "mm.default",
    "layer_norm": "native_layer_norm.default",
    "cross_entropy": "nll_loss_forward.default",
    "nll_loss": "nll_loss_forward.default",
    "where": "where.self",
    "getitem": "index.Tensor",
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
    public = resolve_name(func)
    name = public.rpartition(".")[2] if public else getattr(func, "__name__", "")
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


def shown(name: str, in_place: bool, count: int = 0) -> str:
    """Return PyTorch's name of an operator, with its overload. `count` is the number of tensor arguments."""
    if name == "linear" and count == 3:
        return "addmm.default"
    if name in _SHOWN:
        return _SHOWN[name]
    return f"{name}{'_' * in_place}.{'Tensor' if name in _OF_TENSORS else 'default'}"
