"""Functions called in place of others: operators ask for none, functions of the user's that ask find theirs here."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from torchlike import _C, _errors
from torchlike._errors.warned import warn
from torchlike._tensor.tensor import Tensor


class TorchFunctionMode:
    """A mode in which each call would come to `__torch_function__`. It can be subclassed, but not entered."""

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        raise _errors.arguments.cannot("overrides.TorchFunctionMode", "no function is called in place of another")

    def __exit__(self, *_: object) -> None:
        return None


def has_torch_function(args: Any) -> bool:
    """Whether one of several arguments has a `__torch_function__`, which is to be called instead."""
    if not isinstance(args, tuple | list):
        raise TypeError("expected a sequence")
    return any(map(has_torch_function_unary, args))


def has_torch_function_unary(arg: Any) -> bool:
    """Whether an argument has a `__torch_function__`; plain tensors have none."""
    default: Any = _C._disabled_torch_function_impl
    none = default.__func__
    return type(arg) is not Tensor and getattr(arg, "__torch_function__", none) is not none


def has_torch_function_variadic(*args: Any) -> bool:
    """`has_torch_function` of the arguments one by one."""
    return has_torch_function(args)


def is_tensor_like(inp: Any) -> bool:
    """Whether it is a tensor, or has a `__torch_function__`."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


@functools.cache
def _names() -> dict[Any, str]:
    """Functions by what they are, with the dotted names under which users know them."""
    import torchlike
    from torchlike import fft, linalg, special
    from torchlike import functional as composed
    from torchlike.nn import functional

    spaces = [
        (functional, "torch.nn.functional"),
        (linalg, "torch.linalg"),
        (fft, "torch.fft"),
        (special, "torch.special"),
        (Tensor, "torch.Tensor"),
    ]
    found: dict[Any, str] = {}
    for space, place in [(composed, "torch.functional"), (torchlike, "torch"), *spaces]:
        for name in getattr(space, "__all__", None) or dir(space):
            each = vars(torchlike).get(name) if space is torchlike else getattr(space, name, None)
            if callable(each) and not isinstance(each, type):
                found.setdefault(getattr(each, "__wrapped__", each), f"{place}.{name}")
                found.setdefault(each, f"{place}.{name}")
    return found


def resolve_name(f: Callable) -> str | None:
    """The dotted name of one of torchlike's functions, as PyTorch has it; None for any other."""
    try:
        return _names().get(f) or _names().get(getattr(f, "__wrapped__", f))
    except TypeError:  # no key
        return None


def _in_turn(args: Iterable) -> list:
    """The first tensor, and the first argument of each type that has one; a subclass comes before its base."""
    found: list = []
    for arg in args:
        if (type(arg) is Tensor or has_torch_function_unary(arg)) and type(arg) not in map(type, found):
            before = (i for i, other in enumerate(found) if isinstance(arg, type(other)))
            found.insert(next(before, len(found)), arg)
    return found


def handle_torch_function(public_api: Callable, relevant_args: Iterable, *args: Any, **kwargs: Any) -> Any:
    """What the first `__torch_function__` among these arguments that knows the function answers for it."""
    found = _in_turn(relevant_args)
    types = tuple(map(type, found))
    for arg in found:
        result = _answer(arg, public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(
        f"no implementation found for '{public_api.__module__}.{public_api.__name__}' on types that implement "
        f"__torch_function__: {list(types)}"
    )


def _answer(arg: Any, func: Callable, types: tuple[type, ...], args: tuple, kwargs: dict) -> Any:
    if type(arg) is Tensor:  # which leaves it to the others, if there are any
        return func(*args, **kwargs) if types == (Tensor,) else NotImplemented
    method = arg.__torch_function__
    if getattr(method, "__self__", None) is arg:
        warn(
            "Defining your `__torch_function__ as a plain method is deprecated and will be an error in "
            "future, please define it as a classmethod.",
            DeprecationWarning,
        )
    return method(func, types, args, kwargs)
