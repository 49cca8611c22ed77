"""`torch._foreach_*`: operators that are applied to each tensor of a list.

A `Row` declares one operator: its tensor lists after the first, the names of its last argument, and whether the last
argument may be a single tensor. Otherwise the last argument is a number or a list with a number or a tensor for each
element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._errors.math import lists as sentences
from torchlike._tensor import binding, factories, public_calls
from torchlike._tensor.tensor import Tensor

_vector_norm = binding.names_in("linalg")["vector_norm"]
_OTHER = ("other", "scalar", "scalars")
# The names of the last argument if it is one number, and if it is a list.
_OF_ONE, _OF_MANY = ("scalar", "value"), ("other", "scalars", "weights")


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | complex | np.generic)


@dataclass(frozen=True)
class Row:
    """The declaration of a list operator, which applies the method `name` to each element."""

    name: str
    lists: tuple[str, ...] = ()  # the tensor lists before the last argument
    last: tuple[str, ...] = ()  # the possible names of the last argument; empty if there is none
    default: Any = None  # the default of the last argument; None if it is required
    keyword: str = ""  # the keyword by which the last argument is passed to the method
    options: tuple[str, ...] = ()  # further keyword arguments of the method
    tensor: str = ""  # a single tensor as last argument: "operand" or "number" (0-dim), or "packed" (1-dim)
    of_tensors: bool = False  # True if the method does not accept numbers
    functional: bool = True  # False if only the in-place variant exists

    def element(self, operands: tuple, more: dict, ending: str) -> Tensor:
        """Apply the operator to the operands at one position of the lists. `ending` is "_" for the in-place variant."""
        x, *others = operands
        if self.keyword:
            more = {**more, self.keyword: others.pop()}
        if self.of_tensors:
            others = [y if isinstance(y, Tensor) else scalar_tensor(y, x) for y in others]
        if hasattr(x, self.name + ending):
            return getattr(x, self.name + ending)(*others, **more)
        return binding.in_place_of(self.name, binding.PUBLIC[self.name])(x, *others, **more)


UNARY = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal "
    "round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
)
_ADDC: dict[str, Any] = {"last": ("value", "scalars"), "default": 1, "keyword": "value", "tensor": "packed"}
ROWS = [
    *[Row(name) for name in UNARY.split()],
    Row("zero", functional=False),
    Row("copy", ("src",), options=("non_blocking",), functional=False),
    Row("add", last=_OTHER, options=("alpha",), tensor="operand"),
    Row("sub", last=_OTHER, options=("alpha",), tensor="number"),
    Row("mul", last=_OTHER, tensor="operand"),
    Row("div", last=_OTHER, tensor="operand"),
    Row("clamp_min", last=_OTHER, tensor="number"),
    Row("clamp_max", last=_OTHER, tensor="number"),
    Row("maximum", last=_OTHER, tensor="number", of_tensors=True),
    Row("minimum", last=_OTHER, tensor="number", of_tensors=True),
    Row("pow", last=("exponent",), tensor="number"),
    Row("lerp", ("tensors1",), ("weight", "weights"), tensor="number"),
    Row("addcmul", ("tensor1", "tensor2"), **_ADDC),
    Row("addcdiv", ("tensor1", "tensor2"), **_ADDC),
]


class Call:
    """The arguments of one call, bound to the parameters of a `Row`."""

    def __init__(self, row: Row, name: str, args: tuple, kwargs: dict) -> None:
        self.row, self.name, self.args, self.kwargs = row, name, args, kwargs
        places = ("self", *row.lists, *row.last[:1])
        if len(args) > len(places) or (kwargs and not kwargs.keys() <= {*places, *row.last, *row.options}):
            raise self.misfit(len(places))
        for n in kwargs.keys() & set(row.last):
            lone = _is_number(kwargs[n])
            if n in (_OF_MANY if lone else _OF_ONE) and not isinstance(kwargs[n], Tensor):
                raise self.misfit()
        named = {row.last[0] if n in row.last else n: a for n, a in kwargs.items() if n not in row.options}
        self.given = {**dict(zip(places, args)), **named}
        if len(self.given) < len(places) - (row.default is not None) or "self" not in self.given:
            raise self.misfit(len(places))

    def misfit(self, count: int = 0) -> TypeError:
        """Return the error for a call that fits no overload.

        An operator with a single overload gets a specific message.
        """
        row, args, kwargs = self.row, self.args, self.kwargs
        if row.last:
            return _errors.arguments.invalid_combination(self.name, args, kwargs)
        unknown = [n for n in kwargs if n not in ("self", *row.lists, *row.options)]
        if unknown:
            return _errors.arguments.no_such_keyword(self.name, unknown[0])
        if len(args) > count:
            plural, were = "s" if count > 1 else "", "were" if len(args) > 1 else "was"
            return TypeError(f"{self.name}() takes {count} positional argument{plural} but {len(args)} {were} given")
        return _errors.arguments.missing(self.name, *[n for n in ("self", *row.lists) if n not in self.given])

    def columns(self) -> list[list]:
        """Return the list of tensors and the lists of the other operands, all of the same length."""
        row, first = self.row, self.given["self"]
        if not isinstance(first, list | tuple) and row.last:
            raise self.misfit()
        columns = [tensors(self.name, self.given[n], n, i) for i, n in enumerate(("self", *row.lists))]
        if not columns[0]:
            raise sentences.no_tensors()
        last = self.last(len(columns[0])) if row.last else None
        for column in [*columns[1:], *([last] if last and isinstance(last[0], Tensor) else [])]:
            if len(column) != len(columns[0]):
                raise sentences.lengths(len(columns[0]), len(column))
        return columns if last is None else [*columns, last]

    def last(self, count: int) -> list:
        """Return the last argument as a list with one item for each of the `count` tensors.

        The caller checks the length of a list of tensors.
        """
        row, given = self.row, self.given.get(self.row.last[0], self.row.default)
        lone = not isinstance(given, list | tuple)
        if "alpha" in self.kwargs and lone and not (isinstance(given, Tensor) and row.tensor == "operand"):
            position = len(row.lists) + 2
            if isinstance(given, Tensor) or row.tensor != "operand":
                raise sentences.no_list(self.name, row.last[0], position, given)
            raise self.misfit()
        if _is_number(given):
            return [given] * count
        if isinstance(given, Tensor):
            return self.one_tensor(given, count)
        if lone:
            raise self.misfit()
        if "alpha" in self.kwargs or not all(_is_number(x) for x in given):
            return tensors(self.name, given, row.last[0], len(row.lists) + 1)
        if len(given) != count:
            raise sentences.numbers()
        return list(given)

    def one_tensor(self, given: Tensor, count: int) -> list:
        """Return the last argument, which is a single tensor, as a list of `count` tensors or numbers."""
        if self.row.tensor == "packed":
            if given.ndim != 1:
                raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {given.ndim} instead.")
            if len(given) != count:
                raise RuntimeError(
                    f"Expected length of scalars to match input of length {count} but got {len(given)} instead."
                )
            return given.tolist()
        if given.ndim:
            wrong = self.row.tensor == "number"
            raise self.misfit() if wrong else sentences.not_one_number(given.ndim, given.numel())
        return [given if self.row.tensor == "operand" else given.item()] * count


def scalar_tensor(number: Any, beside: Tensor) -> Tensor:
    """Return a number as a 0-dim tensor on the device of `beside`."""
    return factories.tensor(number, device=beside.device)


def tensors(name: str, given: Any, argument: str, place: int) -> list[Tensor]:
    """Check that an argument is a list or tuple of tensors, and return it as a list."""
    if not isinstance(given, list | tuple):
        raise sentences.no_list(name, argument, place + 1, given)
    for i, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise sentences.element(i, place, x)
    return list(given)


def _made(row: Row, ending: str) -> Callable:
    name = f"_foreach_{row.name}{ending}"

    def call(*args: Any, **kwargs: Any) -> Any:
        if row.name == "pow" and not ending and args and _is_number(args[0]):
            return tuple([args[0] ** x for x in tensors(name, args[1], "exponent", 1)])
        asked = Call(row, name, args, kwargs)
        more = {n: a for n, a in kwargs.items() if n in row.options}
        made = [row.element(each, more, ending) for each in zip(*asked.columns())]
        return asked.given["self"] if ending else tuple(made)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Apply `{row.name}{ending}` to each tensor of a list and the matching elements of the others."
    return call


# -- operators with other signatures -----------------------------------------------------------------------------------


def _checked(name: str, given: Any) -> list[Tensor]:
    found = tensors(name, given, "self", 0)
    if not found:
        raise sentences.no_tensors()
    return found


def _foreach_clone(self: Any, *, memory_format: Any = None) -> tuple[Tensor, ...]:
    """Return a copy of each tensor."""
    more = {} if memory_format is None else {"memory_format": memory_format}
    return tuple([x.clone(**more) for x in _checked("_foreach_clone", self)])


def _foreach_max(self: Any) -> tuple[Tensor, ...]:
    """Return the largest element of each tensor."""
    found = _checked("_foreach_max", self)
    if not all(x.numel() for x in found):
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
        )
    return tuple([binding.PUBLIC["amax"](x) if x.requires_grad else x.max() for x in found])


def _foreach_norm(self: Any, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """Return the vector norm of each tensor."""
    if not _is_number(ord):
        raise _errors.arguments.wrong_type("_foreach_norm", "ord", 2, "Number", ord)
    found = _checked("_foreach_norm", self)
    if ord == float("inf") and not all(x.numel() for x in found):
        raise RuntimeError(
            "_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does "
            "not have an identity"
        )
    return tuple([_vector_norm(x, ord, dtype=dtype) for x in found])


def _foreach_mm(self: Any, mat2: Any) -> tuple[Tensor, ...]:
    """Return the product of each pair of matrices."""
    left, right = tensors("_foreach_mm", self, "self", 0), tensors("_foreach_mm", mat2, "mat2", 1)
    if not left or not right:
        raise RuntimeError("_foreach_mm requires non-empty tensor lists")
    if len(left) != len(right):
        raise sentences.products()
    return tuple([a.mm(b) for a, b in zip(left, right)])


FUNCTIONS = {f.__name__: f for row in ROWS for ending in ("", "_")[not row.functional :] for f in [_made(row, ending)]}
FUNCTIONS |= public_calls.functions(_foreach_clone, _foreach_max, _foreach_norm, _foreach_mm)
