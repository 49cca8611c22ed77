"""PyTorch's error messages about arguments and names."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from torchlike._errors.shown import shown_as
from torchlike._errors.signatures import listed


def unsupported(name: str, argument: str) -> NotImplementedError:
    return NotImplementedError(f"{name}: the argument '{argument}' is not supported by torchlike yet")


def cannot(name: str, instead: str) -> NotImplementedError:
    """Return the error of a function that can be imported but not called. `instead` names an alternative."""
    return NotImplementedError(f"torch.{name} is not supported by torchlike; {instead}")


def no_distributed(name: str) -> NotImplementedError:
    return cannot(
        name.removeprefix("torch."),
        "use DistributedDataParallel, fully_shard, tensor parallelism or the collectives of torch.distributed",
    )


def no_torchscript(name: str) -> NotImplementedError:
    return cannot(f"jit.{name}", "functions and modules remain Python code: keep the code and save the state dict")


@shown_as(NotImplementedError)
class _Refused(NotImplementedError, AttributeError):
    """The error for an unsupported name. As an AttributeError, it makes `hasattr` return False."""


def kind_unsupported(name: str, kind: str) -> NotImplementedError:
    return _Refused(f"{name}: {kind} are not supported by torchlike yet")


def unknown_name(module: str, name: str, known: list[str]) -> AttributeError:
    """Return an AttributeError that suggests similar names."""
    return UnknownName(f"module '{module}' has no attribute '{name}'", name, known)


@shown_as(AttributeError)
class UnknownName(AttributeError):
    """An AttributeError whose traceback ends with a note of the nearest names.

    The note is computed only when the traceback is printed, since `hasattr` often raises and drops the error.
    """

    def __init__(self, sentence: str, asked: str, known: list[str]) -> None:
        super().__init__(sentence)
        self._asked, self._known = asked, known

    def __getattr__(self, name: str) -> list[str]:
        if name != "__notes__":
            raise AttributeError(name)
        import difflib

        near = difflib.get_close_matches(self._asked, self._known, n=3)
        self.__notes__ = [f"The nearest names are {', '.join(map(repr, near))}."] if near else []
        return self.__notes__


def wrong_type(
    function: str, argument: str, position: int | None, wanted: str, got: Any, counts_self: bool = True
) -> TypeError:
    """Return the error for an argument of a wrong type.

    `position` is None if the argument was given by keyword. It counts from 1. `counts_self` tells whether the `self` of
    a method is counted.
    """
    got = type_name(got)

    def text(name: str, number: int | None) -> str:
        place = "" if number is None else f" (position {number})"
        return f"{name}(): argument '{argument}'{place} must be {wanted}, not {got}"

    of_method = position if position is None or not counts_self else position - 1
    return reworded(TypeError(text(function, position)), text(METHOD, of_method), text(METHOD, position))


METHOD = "<method>"  # stands for the name of the method in the message for methods, and of an alias in that for aliases


def reworded(error: TypeError, of_method: str, of_alias: str) -> TypeError:
    """Return the error with its message if a method raises it, and if an alias of the function raises it.

    The messages are strings, so that the error can be pickled.
    """
    vars(error).update(of_method=of_method, of_alias=of_alias)
    return error


def as_of(error: Exception, name: str, is_method: bool = True) -> None:
    """Change the message of an argument error to that of a method or of an alias with the same arguments."""
    text = vars(error).get("of_method" if is_method else "of_alias")
    if text is not None:
        text = text.replace(METHOD, name)
        # The signatures are known only now, because they depend on the name.
        error.args = (text.removesuffix("one of:") + listed(name, is_method) if text.endswith("one of:") else text,)


def wrong_element(function: str, argument: str, position: int | None, place: int, got: Any) -> TypeError:
    error = wrong_type(function, argument, position, "tuple of ints", got)
    words = lambda text: text.replace(", not ", ", but found element of type ") + f" at pos {place}"
    return reworded(TypeError(words(str(error))), *map(words, (vars(error)["of_method"], vars(error)["of_alias"])))


def type_name(x: Any) -> str:
    """Return the name of a value's type as in PyTorch's errors, which show the module of types written in C."""
    cls = type(x)
    if cls.__name__ in _IN_C and cls.__module__.partition(".")[0] in ("torch", "torchlike"):
        return _IN_C[cls.__name__]
    is_in_python = cls.__flags__ & _HEAP_TYPE or cls.__module__ == "builtins"
    return cls.__name__ if is_in_python else f"{cls.__module__}.{cls.__name__}"


_HEAP_TYPE = 1 << 9  # the flag of types that are made by `class` statements
_IN_C = {name: f"torch.{name}" for name in ("dtype", "device", "layout", "memory_format", "Size", "finfo", "iinfo")}
_IN_C["Generator"] = "torch._C.Generator"


def bad_arguments(
    name: str, signature: inspect.Signature, args: tuple, kwargs: dict, error: TypeError, is_method: bool = False
) -> TypeError:
    """Return the TypeError for a call that does not match a signature. `is_method`: the first parameter is `self`."""
    count, names, reason = len(args), tuple(kwargs), str(error)
    made = TypeError(_misfit(name, signature, count, names, reason, is_method))
    of_alias = _misfit(METHOD, signature, count, names, reason, False)
    return reworded(made, _misfit(METHOD, signature, count, names, reason, True), of_alias)


def _misfit(
    name: str, signature: inspect.Signature, count: int, keywords: tuple[str, ...], reason: str, is_method: bool
) -> str:
    if is_method and count:  # PyTorch does not count the `self` argument of a method
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
        count -= 1
        if not signature.parameters:
            return f"TensorBase.{name}() takes no " + (
                "keyword arguments" if keywords else f"arguments ({count} given)"
            )
    positional = [p for p in signature.parameters.values() if p.kind is not p.KEYWORD_ONLY]
    if count > len(positional):
        were = "was" if count == 1 else "were"
        least = sum(p.default is p.empty for p in positional)
        span = "" if least == len(positional) else f"from {least} to "
        plural = "s" if span or len(positional) != 1 else ""
        return f"{name}() takes {span}{len(positional)} positional argument{plural} but {count} {were} given"
    missing = [
        p.name for i, p in enumerate(positional) if p.default is p.empty and i >= count and p.name not in keywords
    ]
    if missing:
        plural = "s" if len(missing) == 1 else ""  # PyTorch's own plural
        names = ", ".join(f'"{m}"' for m in missing)
        return f"{name}() missing {len(missing)} required positional argument{plural}: {names}"
    for key in keywords:
        if key not in signature.parameters:
            return str(no_such_keyword(name, key))
    return f"{name}() got {reason}" if reason.startswith("multiple values") else f"{name}(): {reason}"


def no_fit(function: str, given: Iterable) -> RuntimeError:
    """Return a general error for arguments that do not fit together. PyTorch has separate messages for such cases."""
    given = ", ".join(map(_shown, given))
    return RuntimeError(f"{function}(): the arguments do not fit together. Received: {given}")


def _shown(x: Any) -> str:
    """Describe an argument briefly: an array by its dtype and shape."""
    if hasattr(x, "shape") and hasattr(x, "dtype") and not isinstance(x, type):
        return f"{str(x.dtype).removeprefix('torch.')} {list(x.shape)}"
    if isinstance(x, list | tuple):
        return f"[{', '.join(map(_shown, x))}]"
    return repr(x) if isinstance(x, int | float | complex | str | None) else type_name(x)


def not_writable(name: str, kind: str = "torch._C.TensorBase") -> AttributeError:
    return AttributeError(f"attribute '{name}' of '{kind}' objects is not writable")


def out_is_no_tensor(function: str, given: Any, wanted: str = "Tensor") -> TypeError:
    return TypeError(f"{function}(): argument 'out' must be {wanted}, not {type_name(given)}")


def old_overload(op: Any, order: tuple[str, ...]) -> str:
    """Return the warning for an old overload. The suggested signature lists tensors, then `*` and the numbers."""
    kinds = {name: "Number" if name in op.defaults else "Tensor" for name in op.names}
    numbers = [f"Number {name} = {op.defaults[name]}" for name in op.names if name in op.defaults]
    tensors = [f"Tensor {name}" for name in op.names if name not in op.defaults]
    old = ", ".join(f"{kinds[name]} {name}" for name in order)
    new = ", ".join([*tensors, "*", *numbers, "Tensor out = None"])
    return (
        f"This overload of {op.name} is deprecated:\n\t{op.name}({old}, *, Tensor out = None)\nConsider using one "
        f"of the following signatures instead:\n\t{op.name}({new})"
    )


def foreign_descriptor(name: str, got: Any) -> TypeError:
    """Return the error for a descriptor of the tensor type that is called with an object of another type."""
    return TypeError(
        f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{type_name(got)}' object"
    )


def not_a_size(function: str, got: Any, argument: str = "size", position: int = 1) -> TypeError:
    return TypeError(
        f"{function}(): argument '{argument}' (position {position}) must be tuple of ints, not {type_name(got)}"
    )


def size_overflow(function: str, position: int, argument: str = "size") -> TypeError:
    return TypeError(
        f"{function}(): argument '{argument}' failed to unpack the object at pos {position} with error "
        '"Overflow when unpacking long long"'
    )


def size_item(function: str, got: Any, place: int, argument: str = "size") -> TypeError:
    return TypeError(
        f"{function}(): argument '{argument}' failed to unpack the object at pos {place} with error \""
        f'type must be tuple of ints,but got {type_name(got)}"'
    )


def missing(function: str, *names: str) -> TypeError:
    return TypeError(
        f"{function}() missing {len(names)} required positional argument{'s' * (len(names) == 1)}: "
        + ", ".join(f'"{n}"' for n in names)
    )


def too_many(function: str, most: int, count: int) -> TypeError:
    text = f"() takes {most} positional argument{'s' * (most != 1)} but {count} were given"
    return reworded(TypeError(function + text), METHOD + text, METHOD + text)


def no_such_keyword(function: str, name: str) -> TypeError:
    text = "{}() got an unexpected keyword argument '{}'".format
    return reworded(TypeError(text(function, name)), text(METHOD, name), text(METHOD, name))


def invalid_combination(function: str, args: tuple, kwargs: dict) -> TypeError:
    """Return the error for a call that matches no overload."""
    given = [type_name(a) for a in args] + [f"{name}={type_name(a)}" for name, a in kwargs.items()]
    return no_overload(function, ", ".join(given) + (", " if kwargs and len(given) == 1 else ""))


def no_overload(function: str, given: str) -> TypeError:
    """Return the error for a call that matches no overload. Unlike PyTorch's, it does not say why each does not fit."""
    start = f"{function}() received an invalid combination of arguments - got ({given})"
    return TypeError(f"{start}, but expected {listed(function)}")


def flush_denormal(got: Any) -> RuntimeError:
    return RuntimeError(f"flush_denormal expects a bool, but got {type_name(got)}")
