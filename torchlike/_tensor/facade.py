"""How functions that are no rows are called: `out=`, NumPy's names for arguments, PyTorch's sentences for misfits."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._dtypes import bool_
from torchlike._ops.schema import foreign
from torchlike._ops.schema.binding import ASKED, CALLED
from torchlike._ops.schema.out_rules import Into
from torchlike._tensor import bind
from torchlike._tensor.autocast import uncast
from torchlike._tensor.out import into, with_out
from torchlike._tensor.tensor import Tensor

Ints = tuple[int, ...]
# What annotations ask for; another name in one stands for anything.
_KINDS = ASKED | {
    "str": lambda given: isinstance(given, str),
    "Tensor": lambda given: isinstance(given, Tensor),
    "None": lambda given: given is None,
    "Ints": lambda given: isinstance(given, list | tuple) or ASKED["int"](given),
    "tuple[int, ...]": lambda given: isinstance(given, list | tuple),
}
_CALLED = CALLED | {"Ints": "tuple of ints", "tuple[int, ...]": "tuple of ints"}
_NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "x1": "input", "a": "input", "x2": "other"}


def functions(*made: Callable, out: dict[Callable, Any] | None = None) -> dict[str, Callable]:
    """Facade functions by name, as `torchlike.name`; those in `out` take `out=`, of which they ask something."""
    return {f.__name__: _public(f) for f in made} | {
        f.__name__: _with_out(f, asked, f.__name__) for f, asked in (out or {}).items()
    }


def named(
    made: dict[str, Callable], prefix: str = "", itself: int = 0, out: dict[str, Any] | None = None
) -> dict[str, Callable]:
    """Facade functions by the names they have; errors name them with the prefix. Those in `out` take `out=`."""
    plain = {name: _public(f, itself, prefix + name) for name, f in made.items()}
    return plain | {name: _with_out(made[name], asked, prefix + name) for name, asked in (out or {}).items()}


def methods(*made: Callable) -> dict[str, Callable]:
    """Facade functions by name, as methods of Tensor."""
    return {f.__name__: _public(f, itself=1) for f in made}


def in_place(*made: Callable, apart: bool = False) -> dict[str, Callable]:
    """The in-place twins of facade functions, as methods of Tensor; `apart`: their operands must lie elsewhere."""
    return {f.__name__ + "_": bind.in_place_of(f.__name__, uncast(f), apart) for f in made}


def history_first(function: Callable) -> Callable:
    """For what is one operator in PyTorch: a view that must not be used any more is refused before arguments are."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (RuntimeError, IndexError):
            for each in (*args, *kwargs.values()):
                if isinstance(each, Tensor):
                    each._pair()
            raise

    return call


def _public(function: Callable, itself: int = 0, called: str = "") -> Callable:
    signature, called = inspect.signature(function), called or function.__name__
    names = signature.parameters
    taken: set = set()  # the types of arguments that were found to be what the annotations ask for

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not kwargs.keys() <= names.keys():
            kwargs = _renamed(kwargs, names)
        types = (*map(type, args), *kwargs, *map(type, kwargs.values()))
        if types not in taken:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as misfit:
                if "out" in kwargs:  # which a row's signature need not name
                    return function(*args, **kwargs)
                raise _misfit(called, signature, args, kwargs, misfit, itself) from None
            settled = [_settle(bound, each) for each in bound.arguments]
            for place, (name, fits) in enumerate(zip(bound.arguments, settled), 1 - itself):
                if fits is None and function in _OVERLOADED:
                    raise _errors.arguments.invalid_combination(called, args[itself:], kwargs)
                if fits is None:
                    raise _unlike(called, bound, name, None if name in kwargs else place)
            if not all(settled):
                args, kwargs = bound.args, bound.kwargs
            else:
                taken.add(types)
        try:
            return function(*args, **kwargs)
        except Exception as error:
            ours = foreign.of_call(error, called, args, kwargs)
            if ours is None:
                raise
        raise ours

    return call


def _settle(bound: inspect.BoundArguments, name: str) -> bool | None:
    """Make a number of a tensor without dims, or of NumPy's, where the annotation asks for one. Returns whether the
    argument was taken as it is; None if it is of no kind that is asked for."""
    asked, given = bound.signature.parameters[name], bound.arguments[name]
    kinds = _kinds_of(asked)
    if asked.kind in (asked.VAR_POSITIONAL, asked.VAR_KEYWORD) or not _KINDS.keys() >= {*kinds}:
        return True
    number = given
    is_number = "Tensor" not in kinds and isinstance(given, Tensor) and _is_number(given, name)
    if is_number or isinstance(given, np.generic):
        number = bound.arguments[name] = given.item()
    is_tensor = isinstance(number, Tensor)  # which has the methods of whole numbers, but stands for none
    if not any(_KINDS[kind](number) for kind in kinds if not is_tensor or kind == "Tensor"):
        return None
    return number is given


def _kinds_of(asked: inspect.Parameter) -> list[str]:
    """What an annotation names; a row's arrays are the tensors of its users."""
    return str(asked.annotation).replace("Array", "Tensor").split(" | ")


def _unlike(called: str, bound: inspect.BoundArguments, name: str, place: int | None) -> TypeError:
    wanted = _kinds_of(bound.signature.parameters[name])[0]
    return _errors.arguments.wrong_type(called, name, place, _CALLED.get(wanted, wanted), bound.arguments[name])


_OVERLOADED: set[Callable] = set()


def overloaded(function: Callable) -> Callable:
    """For what has several signatures in PyTorch: then its errors name no single argument."""
    _OVERLOADED.add(function)
    return function


def _is_number(given: Tensor, name: str) -> bool:
    """Whether PyTorch takes a tensor for a number. For a dim it must have none itself; it never stands for a bool."""
    alone = not given.ndim or (given.numel() == 1 and "dim" not in name and "axis" not in name)
    return alone and not given.requires_grad and given.dtype is not bool_


def _renamed(kwargs: dict, names: Any) -> dict:
    found = {}
    for name, a in kwargs.items():
        other = _NUMPY_NAMES.get(name) if name not in names else None
        found[other if other in names and other not in kwargs else name] = a
    return found


def _misfit(
    name: str, signature: inspect.Signature, args: tuple, kwargs: dict, error: TypeError, itself: int
) -> TypeError:
    if itself and args:  # PyTorch does not count the tensor whose method it is
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
        args = args[1:]
    return _errors.arguments.bad_arguments(name, signature, args, kwargs, error)


def _with_out(function: Callable, asked: Into | Callable[..., Into], called: str) -> Callable:
    call, plain = _public(function, 0, called), _public(uncast(function), 0, called)
    overloads = function in _OVERLOADED

    @functools.wraps(call)
    def public(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is None:
            return call(*args, **kwargs)
        rule = asked if isinstance(asked, Into) else asked(*args, **kwargs)
        return into(called, plain, args, kwargs, out, rule, overloads)

    made: Any = public
    made.__signature__ = with_out(inspect.signature(function))
    return made


def ints(given: tuple, name: str = "view", argument: str = "size") -> Ints:
    """The ints of `f(2, 3)`, `f((2, 3))` or `f([2, 3])`."""
    if len(given) == 1 and given[0].__class__ is not int:
        if isinstance(given[0], list | tuple):
            given = given[0]  # type: ignore[assignment]
        elif not isinstance(given[0], int | Tensor | np.integer):
            raise _errors.arguments.not_a_size(name, given[0], argument)
    for n in given:
        if n.__class__ is not int:
            return tuple([_int(n, i, name, argument) for i, n in enumerate(given)])
    return tuple(given)


def _int(n: Any, place: int, name: str, argument: str) -> int:
    try:
        return n.__index__()
    except (AttributeError, TypeError):
        raise _errors.arguments.size_item(name, n, place + 1, argument) from None


def whole(name: str, argument: str, position: int, n: Any) -> int:
    """An argument that must be a whole number."""
    if n.__class__ is int:
        return n
    if isinstance(n, bool | float) or not hasattr(n, "__index__"):
        raise _errors.arguments.wrong_type(name, argument, position, "int", n)
    return n.__index__()


def tensors(name: str, given: Any) -> list[Tensor]:
    """A sequence of tensors, which must not be empty."""
    if not isinstance(given, list | tuple):
        raise _errors.arguments.wrong_type(name, "tensors", 1, "tuple of Tensors", given)
    for i, t in enumerate(given):
        if not isinstance(t, Tensor):
            raise _errors.lists.element(i, 0, t)
    if not given:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return list(given)
