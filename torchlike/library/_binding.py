"""Arguments of a call of an operator: their places, defaults and types by the operator's schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes.devices import device as Device
from torchlike._tensor.tensor import Tensor

from ._schema import Argument, FunctionSchema


def bound(schema: FunctionSchema, args: tuple, kwargs: dict[str, Any]) -> tuple[list, dict[str, Any]]:
    """Return the positional and the keyword-only arguments of a call, converted to the types of the schema.

    Like PyTorch's dispatcher, leave out the last positional arguments and the keyword-only arguments that equal their
    defaults. The kernel has these defaults itself.
    """
    positional, total = schema.positional, len(schema.arguments)
    if len(args) + len(kwargs) > total:
        raise _errors.operators.too_many_arguments(schema.name, total, len(args) + len(kwargs), str(schema))
    if len(args) > len(positional):
        raise _errors.operators.too_many_positional(schema.name, len(positional), len(args), str(schema))
    left, found = dict(kwargs), []
    for place, argument in enumerate(schema.arguments):
        given = args[place] if place < len(args) else left.pop(argument.name, argument.default_value)
        if given is argument.default_value and not argument.has_default_value():
            raise _errors.operators.missing_argument(schema.name, argument.name, str(schema))
        found.append(given if given is argument.default_value else _converted(schema, argument, place, given))
    for name in left:
        raise _errors.operators.unknown_argument(schema.name, name, str(schema))
    keywords = {
        argument.name: value
        for argument, value in zip(schema.arguments[len(positional) :], found[len(positional) :])
        if not _is_default(argument, value)
    }
    del found[len(positional) :]
    while found and _is_default(positional[len(found) - 1], found[-1]):
        found.pop()
    return found, keywords


def filled(schema: FunctionSchema, args: list, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """Return the arguments of a call with the defaults that `bound` has left out."""
    rest = [each.default_value for each in schema.positional[len(args) :]]
    return (*args, *rest), {each.name: kwargs.get(each.name, each.default_value) for each in schema.keyword_only}


def _is_default(argument: Argument, value: Any) -> bool:
    default = argument.default_value
    if not argument.has_default_value() or isinstance(value, Tensor) or _holds_tensor(value):
        return False
    return value is default or (type(value) is type(default) and value == default)


def _holds_tensor(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, Tensor) for each in value)


def _converted(schema: FunctionSchema, argument: Argument, place: int, given: Any) -> Any:
    try:
        return _as(argument.kind, argument.suffix, given)
    except _Misfit as e:
        raise _errors.operators.wrong_argument(schema, argument, place, given, str(e)) from None


class _Misfit(Exception):
    """The reason why a value has no form of the type."""


def _as(kind: str, suffix: str, given: Any) -> Any:
    """Convert a value to a type. `suffix` has its list and optional markers, the outermost last."""
    if suffix.endswith("?"):
        return None if given is None else _as(kind, suffix[:-1], given)
    if suffix.endswith("]"):
        inner, _, size = suffix[:-1].rpartition("[")
        if size and not isinstance(given, list | tuple):
            given = [given] * int(size)
        if not isinstance(given, list | tuple):
            raise _Misfit(_errors.operators.no_cast(type(given)))
        try:
            return [_as(kind, inner, each) for each in given]
        except _Misfit:
            if kind == "Tensor" and not inner:
                raise _Misfit(_errors.operators.no_cast(type(given))) from None
            raise
    return _CONVERTERS.get(kind, lambda value: value)(given)


def _tensor(given: Any) -> Any:
    if given is not None and not isinstance(given, Tensor):
        raise _Misfit(f"Unable to cast {given} to Tensor")
    return given


def _number_of(kind: type, accepted: tuple[type, ...]) -> Callable[[Any], Any]:
    def convert(given: Any) -> Any:
        if isinstance(given, Tensor) and given.numel() == 1:
            given = given.item()
        if not isinstance(given, accepted):
            raise _Misfit(_errors.operators.no_cast(type(given)))
        return kind(given)

    return convert


def _text(given: Any) -> str:
    if not isinstance(given, str):
        raise _Misfit(_errors.operators.no_cast(type(given)))
    return given


def _scalar(given: Any) -> Any:
    if isinstance(given, Tensor) and given.numel() == 1:
        return given.item()
    if not isinstance(given, bool | int | float | complex):
        raise _Misfit(f"Cannot cast {given} to number")
    return given


def _device(given: Any) -> Device:
    return given if isinstance(given, Device) else Device(given)


def _dtype(given: Any) -> _dtypes.dtype:
    if not isinstance(given, _dtypes.dtype):
        raise _Misfit(_errors.operators.no_cast(type(given)))
    return given


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "Tensor": _tensor,
    **dict.fromkeys(("int", "SymInt"), _number_of(int, (int,))),
    **dict.fromkeys(("float", "SymFloat"), _number_of(float, (int, float))),
    **dict.fromkeys(("bool", "SymBool"), _number_of(bool, (int,))),
    "str": _text,
    "Scalar": _scalar,
    "ScalarType": _dtype,
    "Device": _device,
}
