"""The calls of operators that are translated to ONNX, and the table of the translations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import onnx_ir as ir

import torchlike
from torchlike.export._formulas import Formula, Real
from torchlike.export._listing import Operator
from torchlike.onnx._builder import BOOL, INT64, Builder, Unsupported, dims

TRANSLATIONS: dict[str, Callable[[Call], Any]] = {}


def translates(*names: str) -> Callable[[Callable], Callable]:
    """Return a decorator that adds the translation of operators to the table."""

    def add(function: Callable) -> Callable:
        for name in names:
            if name in TRANSLATIONS:
                raise ValueError(f"{name} has two translations")
            TRANSLATIONS[name] = function
        return function

    return add


class Call:
    """One call of an operator: its arguments, and the graph that its translation extends.

    Attributes:
      b: the builder of the graph.
      name: the name of the operator.
      dtype, dims, rank: the dtype, dims and number of dims of the first result.
    """

    def __init__(self, b: Builder, operator: Operator, arrays: list[ir.Value]) -> None:
        self.b, self.name, self.op = b, operator.name, b.op
        self.arguments, self.arrays, self.numbers = operator.arguments, arrays, operator.numbers
        self.dtype, self.dims = onnx_dtype(operator.results[0][0]), operator.results[0][1]
        self.rank = len(self.dims)

    def __getitem__(self, name: str) -> Any:
        """Return an argument: a value of the graph, a list of values, a number, or a static argument."""
        where, what = self.arguments[name]
        if where == "array":
            return self.arrays[what]
        if where == "arrays":
            return [self.arrays[i] for i in what]
        return self.numbers[what] if where == "number" else what

    def value(self, name: str, dtype: ir.DataType | None = None) -> ir.Value:
        """Return an argument as a value of a dtype, by default that of the result. A number becomes a constant."""
        given, dtype = self[name], dtype or self.dtype
        return self.b.cast(given, dtype) if isinstance(given, ir.Value) else self.b.scalar(given, dtype)

    def optional(self, name: str) -> ir.Value | None:
        """Return an argument as a value, or None if it is None."""
        return None if self[name] is None else self.value(name)

    def scalar(self, number: Any, dtype: ir.DataType | None = None) -> ir.Value:
        """Return a number as a value, by default of the dtype of the result."""
        return self.b.scalar(number, dtype or self.dtype)

    def number(self, name: str) -> float:
        """Return an argument that is a number. Raise an error if it depends on the sizes."""
        found = self[name]
        if isinstance(found, Formula | Real):
            raise Unsupported(f"its argument {name} depends on the sizes")
        return found

    def common(self, *names: str) -> ir.DataType:
        """Return the dtype to which PyTorch promotes several arguments."""
        examples = []
        for name in names:
            given = self[name]
            if isinstance(given, ir.Value):
                examples.append(torchlike.empty((1,) * len(dims(given)), dtype=torch_dtype(given.dtype), device="meta"))
            else:
                examples.append(given if isinstance(given, int | float) else 0)
        if len(examples) == 1:
            return onnx_dtype(examples[0].dtype)
        return onnx_dtype(torchlike.result_type(*examples))

    def axis(self, name: str = "dim", of: str = "input") -> int:
        """Return an argument that is a dim, as a nonnegative number."""
        count = len(dims(self[of]))
        return self[name] % count if count else 0

    def fixed(self, name: str = "input") -> tuple[int, ...]:
        """Return the dims of an argument. Raise an error if one of them varies."""
        found = dims(self[name])
        if not all(isinstance(n, int) for n in found):
            raise Unsupported(f"{name} has the shape ({', '.join(map(str, found))}), and its sizes must be numbers")
        return found


def onnx_dtype(dtype: Any) -> ir.DataType:
    """Return the ONNX dtype for a dtype of torchlike."""
    return ir.DataType.from_numpy(dtype.numpy)


def torch_dtype(dtype: Any) -> Any:
    """Return torchlike's dtype for an ONNX dtype."""
    from torchlike._dtypes import from_numpy

    return from_numpy(dtype.numpy())


__all__ = ["BOOL", "INT64", "TRANSLATIONS", "Call", "Unsupported", "dims", "onnx_dtype", "torch_dtype", "translates"]
