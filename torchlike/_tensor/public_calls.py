"""The calling convention of public functions that are not operators.

It handles `out=`, NumPy's names for arguments, and PyTorch's error messages for wrong arguments.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import bool_
from torchlike._dtypes import memory_format as mf
from torchlike._ops.schema import foreign_errors
from torchlike._ops.schema.binding import ASKED, CALLED, is_whole
from torchlike._ops.schema.out_rules import Into
from torchlike._random import Generator
from torchlike._tensor import binding, overriding
from torchlike._tensor.argument_forms import parameter, renamed
from torchlike._tensor.autocast import uncast
from torchlike._tensor.out import into, with_out
from torchlike._tensor.tensor import Tensor
from torchlike._tensor.tracebacks import shortened

Ints = tuple[int, ...]

# Checks by annotation. A parameter with any other annotation accepts any object.
_KINDS = ASKED | {
    "str": lambda given: isinstance(given, str),
    "Tensor": lambda given: isinstance(given, Tensor),
    "Generator": lambda given: isinstance(given, Generator),
    "None": lambda given: given is None,
    "Number": ASKED["Scalar"],
    "Sequence[Tensor]": lambda given: isinstance(given, list | tuple) and all([isinstance(t, Tensor) for t in given]),
    "tuple[int, ...]": lambda given: isinstance(given, list | tuple) and all(map(is_whole, given)),
    "Dtype": lambda given: isinstance(given, _dtypes.dtype) or (isinstance(given, type) and given in _dtypes.OF_PYTHON),
    "mf.memory_format": lambda given: isinstance(given, mf.memory_format),
}
_CALLED = CALLED | {"tuple[int, ...]": "tuple of ints", "Generator": "torch.Generator", "Dtype": "torch.dtype"}
_CALLED |= {"Sequence[Tensor]": "tuple of Tensors", "tuple": "tuple of ints", "mf.memory_format": "torch.memory_format"}
_KINDS["tuple"] = _KINDS["tuple[int, ...]"]


def functions(*made: Callable, out: dict[Callable, Any] | None = None) -> dict[str, Callable]:
    """Return public functions by name. The keys of `out` are functions with `out=`, and its values are their rules."""
    return {f.__name__: _public(f) for f in made} | {
        f.__name__: _with_out(f, asked, f.__name__) for f, asked in (out or {}).items()
    }


def named(
    made: dict[str, Callable], prefix: str = "", itself: int = 0, out: dict[str, Any] | None = None
) -> dict[str, Callable]:
    """Return public functions by the given names.

    In error messages, `prefix` precedes the name. `out` gives the rules of the functions that have `out=`.
    """
    plain = {name: _public(f, itself, prefix + name) for name, f in made.items()}
    return plain | {name: _with_out(made[name], asked, prefix + name) for name, asked in (out or {}).items()}


def methods(*made: Callable) -> dict[str, Callable]:
    """Return public functions by name, as methods of Tensor."""
    return {f.__name__: _public(f, itself=1) for f in made}


def in_place(*made: Callable, apart: bool = False) -> dict[str, Callable]:
    """Return the in-place variants of public functions, as methods of Tensor.

    `apart`: their operands must not share memory with the target.
    """
    return {f.__name__ + "_": binding.in_place_of(f.__name__, uncast(f), apart) for f in made}


def history_first(function: Callable) -> Callable:
    """Decorate a function that is one operator in PyTorch: the error for an unusable view precedes argument errors."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            try:
                return function(*args, **kwargs)
            except (RuntimeError, IndexError):
                for each in (*args, *kwargs.values()):
                    if isinstance(each, Tensor):
                        each._pair()
                raise
        except Exception as error:
            raise shortened(error)

    return call


def _public(function: Callable, itself: int = 0, called: str = "", asks: bool = True) -> Callable:
    """Return the function with PyTorch's conversions and checks of its arguments.

    `itself` is 1 for a method, whose `self` does not count in error messages. `called` is the name in error messages.
    `asks`: a failing call asks `__torch_function__` of the arguments.
    """
    signature, called = inspect.signature(function), called or function.__name__
    names = signature.parameters
    taken: set = set()  # the argument types that are known to match the annotations

    def settle(bound: inspect.BoundArguments, args: tuple, kwargs: dict) -> bool:
        """Convert the arguments that PyTorch converts. Return whether there were none. Raise for a wrong type."""
        settled = [_settle(bound, each) for each in bound.arguments]
        for place, (name, fits) in enumerate(zip(bound.arguments, settled), 1 - itself):
            if fits is None:
                misfit = _unlike(called, bound, name, None if name in kwargs else place)
                raise _of_overloads(misfit, called, args, kwargs, itself) from None
        return all(settled)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if kwargs and not kwargs.keys() <= names.keys():
                kwargs = renamed(kwargs, names)
            if itself and "out" in kwargs:
                unknown = next(name for name in kwargs if name == "out" or parameter(name, ()) != name)
                raise _errors.arguments.no_such_keyword(called, unknown)
            types = (*map(type, args), *kwargs, *map(type, kwargs.values()))
            if types not in taken:
                try:
                    bound = signature.bind(*args, **kwargs)
                except TypeError as misfit:
                    if "out" in kwargs:  # the signature of an operator need not contain `out`
                        return function(*args, **kwargs)
                    settle(_partly_bound(signature, args, kwargs), args, kwargs)
                    raise _of_overloads(
                        _misfit(called, signature, args, kwargs, misfit, itself), called, args, kwargs, itself
                    ) from None
                if settle(bound, args, kwargs):
                    taken.add(types)
                else:
                    args, kwargs = bound.args, bound.kwargs
            try:
                return function(*args, **kwargs)
            except Exception as error:
                if _has_elements(*args, *kwargs.values()):
                    settle(signature.bind(*args, **kwargs), args, kwargs)
                if itself:
                    _errors.arguments.as_of(error, called)
                raise foreign_errors.of_call(error, called, args, kwargs) from error.__cause__
        except Exception as error:
            if not (asks and overriding.would_ask(*args, *kwargs.values())):
                raise shortened(error)
        return overriding.ask((function, itself, called), args, kwargs)

    return overriding.known((function, itself, called), call) if asks else call


def _has_elements(*given: Any) -> bool:
    """Return whether an argument is a sequence. The types of its elements are checked only if the call fails."""
    return any([isinstance(a, list | tuple) for a in given])


def worded(function: Callable, itself: int = 0) -> Callable:
    """Return a function that checks its arguments itself, with PyTorch's errors for arguments that do not fit.

    It costs less than the public functions above, because it only handles errors. `itself` is 1 for a method.
    """
    name, names = function.__name__, inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            try:
                return function(*args, **kwargs)
            except TypeError as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is None:  # raised by the call itself
                    again = renamed(kwargs, names)
                    if again.keys() != kwargs.keys():
                        return function(*args, **again)
                    misfit = _misfit(name, inspect.signature(function), args, kwargs, error, itself)
                elif "of_method" in vars(error):
                    misfit = error
                else:
                    raise
                misfit = _errors.overloads.of_overloads(misfit, name, args, kwargs)
                if itself:
                    _errors.arguments.as_of(misfit, name)
                raise misfit from None
        except Exception as error:
            if not overriding.would_ask(*args, *kwargs.values()):
                raise shortened(error)
        return overriding.ask((function, itself, name), args, kwargs)

    return overriding.known((function, itself, name), call)


def _settle(bound: inspect.BoundArguments, name: str) -> bool | None:
    """Convert a zero-dim tensor or a NumPy number to a Python number if the annotation is a number type.

    Return whether the argument was accepted unchanged, or None if it matches no annotated type.
    """
    asked, given = bound.signature.parameters[name], bound.arguments[name]
    kinds = _kinds_of(asked)
    if asked.kind is asked.VAR_POSITIONAL and kinds == ["Tensor"]:
        for place, each in enumerate(given):
            if not isinstance(each, Tensor):
                raise _errors.lists.element(place, 0, each)
    if asked.kind in (asked.VAR_POSITIONAL, asked.VAR_KEYWORD) or not _KINDS.keys() >= {*kinds}:
        return True
    number = given
    is_number = "Tensor" not in kinds and isinstance(given, Tensor) and _is_number(given, name)
    if is_number or isinstance(given, np.generic):
        number = bound.arguments[name] = given.item()
    is_tensor = isinstance(number, Tensor)  # a tensor has `__index__`, but does not count as an int
    if not any(_KINDS[kind](number) for kind in kinds if not is_tensor or kind == "Tensor"):
        return None
    return number is given


def fits(kind: str, given: Any) -> bool:
    """Return whether PyTorch accepts an argument for a parameter of an annotated type."""
    return _KINDS[kind](given.item() if isinstance(given, np.generic) else given)


def _kinds_of(asked: inspect.Parameter) -> list[str]:
    """Return the type names of an annotation. `Array` in the signature of an operator means a tensor."""
    return str(asked.annotation).replace("Array", "Tensor").split(" | ")


def _unlike(called: str, bound: inspect.BoundArguments, name: str, place: int | None) -> TypeError:
    wanted, given = _kinds_of(bound.signature.parameters[name])[0], bound.arguments[name]
    if wanted == "tuple[int, ...]" and isinstance(given, list | tuple):
        at = next(i for i, n in enumerate(given) if not is_whole(n))
        return _errors.arguments.wrong_element(called, name, place, at, given[at])
    return _errors.arguments.wrong_type(called, name, place, _CALLED.get(wanted, wanted), bound.arguments[name])


def _of_overloads(error: TypeError, called: str, args: tuple, kwargs: dict, itself: int) -> TypeError:
    found = _errors.overloads.of_overloads(error, called, args, kwargs)
    if itself and found is not error:
        _errors.arguments.as_of(found, called)
    return found


def _partly_bound(signature: inspect.Signature, args: tuple, kwargs: dict) -> inspect.BoundArguments:
    """Bind the arguments of a call with too few arguments. Bind nothing if they do not fit for another reason."""
    try:
        return signature.bind_partial(*args, **kwargs)
    except TypeError:
        return signature.bind_partial()


_OVERLOADED: set[Callable] = set()


def overloaded(function: Callable) -> Callable:
    """Mark a function that has several signatures in PyTorch. Its error messages list all arguments."""
    _OVERLOADED.add(function)
    return function


def _is_number(given: Tensor, name: str) -> bool:
    """Return whether PyTorch accepts a tensor as a number.

    For a dim, it must be zero-dimensional. A bool tensor is never accepted.
    """
    alone = not given.ndim or (given.numel() == 1 and "dim" not in name and "axis" not in name)
    return alone and not given.requires_grad and given.dtype is not bool_


def _misfit(
    name: str, signature: inspect.Signature, args: tuple, kwargs: dict, error: TypeError, itself: int
) -> TypeError:
    return _errors.arguments.bad_arguments(name, signature, args, kwargs, error, bool(itself))


def _with_out(function: Callable, asked: Into | Callable[..., Into], called: str) -> Callable:
    call, plain = _public(function, 0, called, asks=False), _public(uncast(function), 0, called, asks=False)
    overloads = function in _OVERLOADED

    @functools.wraps(call)
    def public(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        try:
            if out is None:
                return call(*args, **kwargs)
            rule = asked if isinstance(asked, Into) else asked(*args, **kwargs)
            return into(called, plain, args, kwargs, out, rule, overloads)
        except Exception as error:
            if not overriding.would_ask(*args, *kwargs.values(), out):
                raise shortened(error)
        return overriding.ask((function, 0, called), args, kwargs if out is None else {**kwargs, "out": out})

    made: Any = overriding.known((function, 0, called), public)
    made.__signature__ = with_out(inspect.signature(function))
    return made


def ints(given: tuple, name: str = "view", argument: str = "size") -> Ints:
    """Return the ints of `f(2, 3)`, `f((2, 3))` or `f([2, 3])`."""
    if len(given) == 1 and given[0].__class__ is not int:
        if isinstance(given[0], list | tuple):
            given = given[0]  # type: ignore[assignment]
        elif not (isinstance(given[0], int | Tensor) or is_index(given[0])):
            raise _errors.arguments.not_a_size(name, given[0], argument)
    for n in given:
        if n.__class__ is not int:
            return tuple([_int(n, i, name, argument) for i, n in enumerate(given)])
    return tuple(given)


def is_index(n: Any) -> bool:
    """Return whether PyTorch accepts an argument as one of the ints of a size."""
    if isinstance(n, np.ndarray):
        return not n.ndim and n.dtype.kind in "iu"
    if isinstance(n, Tensor):
        return is_whole(n) and n.numel() == 1
    try:
        return is_whole(n) and operator.index(n) is not None
    except Exception:  # of any class: PyTorch only asks whether there is an index
        return False


def _int(n: Any, place: int, name: str, argument: str) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise _errors.arguments.size_item(name, n, place + 1, argument)
    try:
        return operator.index(n)
    except TypeError:
        raise _errors.arguments.size_item(name, n, place + 1, argument) from None


def whole(name: str, argument: str, position: int, n: Any) -> int:
    """Return an argument as an int. Raise if it is not an integer."""
    if n.__class__ is int:
        return n
    if isinstance(n, bool | float) or not hasattr(n, "__index__") or (isinstance(n, Tensor) and n.numel() != 1):
        raise _errors.arguments.wrong_type(name, argument, position, "int", n)
    return n.__index__()


def tensors(name: str, given: Any) -> list[Tensor]:
    """Return a non-empty sequence of tensors as a list. Raise for anything else."""
    if not isinstance(given, list | tuple):
        raise _errors.arguments.wrong_type(name, "tensors", 1, "tuple of Tensors", given)
    for i, t in enumerate(given):
        if not isinstance(t, Tensor):
            raise _errors.lists.element(i, 0, t)
    if not given:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return list(given)
