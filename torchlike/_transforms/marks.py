"""Tensors and sizes whose conversions to Python values belong to a trace."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from torchlike import _errors
from torchlike._engine.trace.value import Size
from torchlike._errors.callers import calls_of_ours
from torchlike._errors.warned import warn
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.answers import answering, current


class TracerWarning(Warning):
    """The category of the warnings of `torch.jit.trace`: places that a trace does not record."""


_CONVERSIONS = {
    "__bool__": "Python boolean",
    "__int__": "Python integer",
    "__float__": "Python float",
    "__complex__": "Python complex",
    "item": "Python number",
    "tolist": "Python list",
    "numpy": "NumPy array",
}
_COMPARISONS = {f"__{name}__": getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")}
_ARITHMETIC = ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "mod", "rmod")


def _told(text: str) -> None:
    answers = current()
    if answers is not None and answers.records:
        warn(text, TracerWarning)


def _of_size(name: str, function: Callable, kind: str) -> Callable:
    def convert(self: int, *others: Any) -> Any:
        answers, plain = current(), int.__int__(self)
        if answers is None or calls_of_ours() != ["convert"]:
            return function(plain, *others)
        _told(_errors.compiling.untraced_conversion(kind))
        return answers.answer(f"size.{name}", lambda: function(plain, *others), (self, *others))

    convert.__name__ = name
    return convert


def _arithmetic(name: str) -> Callable:
    function = getattr(int, name)

    def compute(self: int, other: Any) -> Any:
        found = function(self, other)
        return Length(found) if isinstance(found, int) else found

    compute.__name__ = name
    return compute


class Length(int):
    """A size of a traced tensor. Its conversions in the user's code are answers of the trace.

    The library's own code compares sizes freely.
    """

    __int__ = _of_size("__int__", int, "Python integer")
    __float__ = _of_size("__float__", float, "Python float")
    __bool__ = _of_size("__bool__", bool, "Python boolean")
    __hash__ = int.__hash__


for _name, _compare in _COMPARISONS.items():
    setattr(Length, _name, _of_size(_name, _compare, "Python boolean"))
for _name in _ARITHMETIC:
    setattr(Length, f"__{_name}__", _arithmetic(f"__{_name}__"))


def traced_range(*limits: Any) -> range:
    """Return a range whose limits have the values of the trace. PyTorch does not warn of these conversions."""
    answers = current()
    if answers is None:
        return range(*limits)
    plain = lambda n: answers.answer("range", lambda: int.__int__(n)) if isinstance(n, Length) else n
    return range(*map(plain, limits))


class Traced(Tensor):
    """An example input and what is computed from it."""

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name, answers = getattr(func, "__name__", ""), current()
        call = lambda: super(Traced, cls).__torch_function__(func, types, args, kwargs or {})
        if answers is None or (name not in _CONVERSIONS and name != "__len__"):
            return call()
        text = _errors.compiling.UNTRACED_LENGTH
        _told(text if name == "__len__" else _errors.compiling.untraced_conversion(_CONVERSIONS[name]))
        with answering(None):
            return answers.answer(name, call)

    def __iter__(self) -> Iterator[Any]:
        answers, rows = current(), self.unbind(0)
        if answers is not None:
            _told(_errors.compiling.UNTRACED_ITERATION)
            count = answers.answer("__iter__", lambda: len(rows))
            if count != len(rows):
                raise RuntimeError(f"Expected {count} elements in a list but found {len(rows)}")
        return iter(rows)

    @property
    def shape(self) -> Size:
        """The sizes, whose comparisons are answers of the trace."""
        return Size(map(Length, Tensor.shape.__get__(self)))

    def size(self, dim: int | None = None) -> Any:
        """Return `shape`, or one of the sizes."""
        return self.shape if dim is None else self.shape[dim]


def _mapped(function: Callable, given: Any) -> Any:
    if isinstance(given, list | tuple):
        items = [_mapped(function, each) for each in given]
        return type(given)(*items) if hasattr(given, "_fields") else type(given)(items)
    if isinstance(given, dict):
        return type(given)((key, _mapped(function, value)) for key, value in given.items())
    return function(given)


def marked(given: Any) -> Any:
    """Return inputs whose tensors belong to a trace."""
    return _mapped(lambda x: x.as_subclass(Traced) if isinstance(x, Tensor) else x, given)


def _plain(given: Any) -> Any:
    if isinstance(given, Traced):
        return given.as_subclass(Tensor)
    return int.__int__(given) if isinstance(given, Length) else given


def unmarked(given: Any) -> Any:
    """Return results as plain tensors and integers."""
    return _mapped(_plain, given)
