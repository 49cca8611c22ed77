"""The `__torch_function__` protocol for Python functions that dispatch on their arguments."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from torchlike import _errors
from torchlike._errors.warned import warn
from torchlike._tensor.overriding import _disabled_torch_function_impl
from torchlike._tensor.tensor import Tensor


class TorchFunctionMode:
    """The base class of `__torch_function__` modes. It can be subclassed, but entering a mode raises."""

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        raise _errors.arguments.cannot("overrides.TorchFunctionMode", "functions cannot be overridden")

    def __exit__(self, *_: object) -> None:
        return None


def has_torch_function(args: Any) -> bool:
    """Return whether one of the arguments overrides `__torch_function__`."""
    if not isinstance(args, tuple | list):
        raise TypeError("expected a sequence")
    return any(map(has_torch_function_unary, args))


def has_torch_function_unary(arg: Any) -> bool:
    """Return whether an argument overrides `__torch_function__`; a plain tensor does not."""
    default: Any = _disabled_torch_function_impl
    none = default.__func__
    return type(arg) is not Tensor and getattr(arg, "__torch_function__", none) is not none


def has_torch_function_variadic(*args: Any) -> bool:
    """Return whether one of the arguments, passed one by one, overrides `__torch_function__`."""
    return has_torch_function(args)


def is_tensor_method_or_property(func: Callable) -> bool:
    """Return whether a function is a method of tensors, or reads a property of tensors.

    Args:
      func: the function, for example the first argument of a `__torch_function__`.

    >>> import torchlike as torch
    >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.add)
    True
    >>> torch.overrides.is_tensor_method_or_property(torch.add)
    False
    """
    return getattr(func, "__name__", "") == "__get__" or func in _methods()


@functools.cache
def _methods() -> frozenset[Any]:
    """Return the functions that are methods of tensors, without the protocols of overrides and those of `object`."""
    found = [getattr(Tensor, name) for name in dir(Tensor) if name not in ("__class__", "__torch_function__")]
    return frozenset(each for each in found if callable(each) and hasattr(each, "__name__"))


def is_tensor_like(inp: Any) -> bool:
    """Return whether `inp` is a tensor or has a `__torch_function__`."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


@functools.cache
def _names() -> dict[Any, str]:
    """Return a mapping from functions to their public dotted names."""
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
        for name in vars(space).get("__all__") or dir(space):
            each = vars(torchlike).get(name) if space is torchlike else getattr(space, name, None)
            if callable(each) and not isinstance(each, type):
                found.setdefault(getattr(each, "__wrapped__", each), f"{place}.{name}")
                found.setdefault(each, f"{place}.{name}")
    return found


@functools.cache
def _overridable() -> dict[Any, list[Callable]]:
    """Return the functions that an argument can override, by namespace."""
    import torchlike
    from torchlike import fft, linalg, special
    from torchlike import functional as composed
    from torchlike.nn import functional

    found: dict[Any, list[Callable]] = {}
    for space in (torchlike, composed, functional, Tensor, linalg, fft, special):
        names = vars(space).get("__all__") or dir(space)
        # PyTorch lists in-place methods, but no in-place functions.
        public = [name for name in names if not name.startswith("_") and (space is Tensor or not name.endswith("_"))]
        given: dict[int, Any] = {id(f): f for f in (getattr(space, name) for name in public) if _takes_tensor(f)}
        found[space] = [*given.values()]
    return found


def _takes_tensor(f: Any) -> bool:
    """Return whether this is a function with a tensor among its parameters, or a method of tensors."""
    if isinstance(f, type) or not callable(f) or f in _methods():
        return not isinstance(f, type) and callable(f)
    try:
        given = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # a function in C without a signature
        return False
    return any(p.name in ("input", "tensors") or ("Tensor" in str(p.annotation) and p.name != "out") for p in given)


def get_overridable_functions() -> dict[Any, list[Callable]]:
    """Return the functions that `__torch_function__` can override, in lists by namespace.

    >>> import torchlike as torch
    >>> torch.add in torch.overrides.get_overridable_functions()[torch]
    True
    """
    return {space: [*functions] for space, functions in _overridable().items()}


def get_testing_overrides() -> dict[Callable, Callable]:
    """Return, for each function that can be overridden, a function with the same signature that returns -1.

    >>> import torchlike as torch
    >>> torch.overrides.get_testing_overrides()[torch.add](1, 2)
    -1
    """
    return {f: _stand_in(f) for functions in _overridable().values() for f in functions}


def _stand_in(f: Callable) -> Callable:
    def stand_in(*args: Any, **kwargs: Any) -> int:
        return -1

    with contextlib.suppress(TypeError, ValueError):  # a function in C has no signature
        stand_in.__signature__ = inspect.signature(f)
    return stand_in


def get_ignored_functions() -> set[Callable]:
    """Return the public functions that `__torch_function__` cannot override."""
    return {*_names()}.difference(*_overridable().values())


def resolve_name(f: Callable) -> str | None:
    """Return the dotted name that PyTorch gives to one of torchlike's functions; None for any other object."""
    try:
        return _names().get(f) or _names().get(getattr(f, "__wrapped__", f))
    except TypeError:  # `f` is not hashable
        return None


def _in_turn(args: Iterable) -> list:
    """Return one argument for each type that takes part in dispatch; a subclass comes before its base class."""
    found: list = []
    for arg in args:
        if (type(arg) is Tensor or has_torch_function_unary(arg)) and type(arg) not in map(type, found):
            before = (i for i, other in enumerate(found) if isinstance(arg, type(other)))
            found.insert(next(before, len(found)), arg)
    return found


def handle_torch_function(public_api: Callable, relevant_args: Iterable, *args: Any, **kwargs: Any) -> Any:
    """Call the `__torch_function__` overrides of the relevant arguments in dispatch order.

    Return the first result that is not NotImplemented.

    Raises:
      TypeError: every override returned NotImplemented.
    """
    result, types = _first_answer(public_api, relevant_args, args, kwargs)
    if result is NotImplemented:
        raise _not_implemented(f"{public_api.__module__}.{public_api.__name__}", types)
    return result


def call_overridden(func: Callable, found: Iterable, args: tuple, kwargs: dict) -> Any:
    """Call a function or method through the `__torch_function__` of the arguments that were found.

    Raises:
      TypeError: every override returned NotImplemented. PyTorch's functions in C and in Python have different messages.
    """
    result, types = _first_answer(func, found, args, kwargs)
    if result is NotImplemented:
        name = resolve_name(func) or f"torch.Tensor.{getattr(func, '__name__', '')}"
        if name.startswith(("torch.nn.functional.", "torch.functional.")):
            raise _not_implemented(name, types)
        raise TypeError(
            f"Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned NotImplemented:\n\n"
            + "".join(f"  - tensor subclass {each}\n" for each in types)
            + "\nFor more information, try re-running with TORCH_LOGS=not_implemented"
        )
    return result


def _first_answer(func: Callable, found: Iterable, args: tuple, kwargs: dict) -> tuple[Any, tuple[type, ...]]:
    """Return the first result of an override that is not NotImplemented, and the classes that take part."""
    arguments = _in_turn(found)
    types = tuple(map(type, arguments))
    answers = (_answer(arg, func, types, args, kwargs) for arg in arguments)
    return next((each for each in answers if each is not NotImplemented), NotImplemented), types


def _not_implemented(name: str, types: tuple[type, ...]) -> TypeError:
    return TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: {list(types)}")


def wrap_torch_function(dispatcher: Callable) -> Callable:
    """Return a decorator that makes a Python function call the `__torch_function__` of its arguments.

    Args:
      dispatcher: takes the arguments of the function and returns a sequence of those that may override it.

    >>> import torchlike as torch
    >>> @torch.overrides.wrap_torch_function(lambda x: (x,))
    ... def double(x):
    ...     return x * 2
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """

    def decorate(func: Callable) -> Callable:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return decorate


def _answer(arg: Any, func: Callable, types: tuple[type, ...], args: tuple, kwargs: dict) -> Any:
    if type(arg) is Tensor:  # a plain tensor defers to subclasses
        return func(*args, **kwargs) if types == (Tensor,) else NotImplemented
    method = arg.__torch_function__
    if getattr(method, "__self__", None) is arg:
        warn(
            "Defining your `__torch_function__ as a plain method is deprecated and will be an error in "
            "future, please define it as a classmethod.",
            DeprecationWarning,
        )
    return method(func, types, args, kwargs)
