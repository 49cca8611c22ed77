"""The builder of an ONNX graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from torchlike.export._formulas import Formula, Real

INT64, BOOL, DOUBLE = ir.DataType.INT64, ir.DataType.BOOL, ir.DataType.DOUBLE
_FUNCTIONS = {"1/": ("Reciprocal",), "sqrt": ("Sqrt",), "1/sqrt": ("Sqrt", "Reciprocal"), "log": ("Log",)}


class Unsupported(Exception):
    """Raised if a call of an operator cannot be expressed in ONNX."""


class Builder:
    """Nodes and initializers of one graph. A body of a control-flow operator has a builder of its own.

    Attributes:
      opset: the version of the operators.
      nodes: the nodes, in order.
      initializers: the constants by name. All bodies share them.
    """

    def __init__(self, opset: int) -> None:
        self.opset = opset
        self.nodes: list[ir.Node] = []
        self.initializers: dict[str, ir.Value] = {}
        self._used: Counter[str] = Counter()
        self._constants: dict[Any, ir.Value] = {}
        self._sizes: dict[str, ir.Value] = {}
        self._places: dict[str, tuple[ir.Value, int]] = {}

    def inner(self) -> Builder:
        """Return a builder of a body, which can use the values of this graph."""
        made = Builder(self.opset)
        made.initializers, made._used, made._constants = self.initializers, self._used, self._constants
        made._sizes, made._places = dict(self._sizes), dict(self._places)
        return made

    def fresh(self, name: str) -> str:
        """Return a name that no value has: `name`, `name_1`, ..."""
        count = self._used[name]
        self._used[name] += 1
        made = name if not count else f"{name}_{count}"
        if count and self._used[made]:
            return self.fresh(name)
        self._used[made] = max(self._used[made], 1)
        return made

    def name_all(self) -> None:
        """Name the values and nodes that have no name."""
        for node in self.nodes:
            for value in node.outputs:
                if value.name is None:
                    value.name = self.fresh("val")
            node.name = f"node_{node.outputs[0].name}"

    # -- nodes ---------------------------------------------------------------------------------------------------------

    def op(self, kind: str, *inputs: ir.Value | None, dtype: ir.DataType | None = None, **attributes: Any) -> ir.Value:
        """Add a node with one result and return the result. It has the dtype of the first input unless one is given."""
        return self.several(kind, *inputs, dtypes=[dtype], **attributes)[0]

    def several(
        self, kind: str, *inputs: ir.Value | None, dtypes: Sequence[ir.DataType | None], **attributes: Any
    ) -> list[ir.Value]:
        """Add a node with several results and return them. Attributes that are None are left out."""
        given = {name: value for name, value in attributes.items() if value is not None}
        node = ir.node(kind, inputs, given, num_outputs=len(dtypes))
        for value, dtype in zip(node.outputs, dtypes):
            found = dtype or (inputs[0].dtype if inputs and inputs[0] is not None else None)
            if found is not None:
                value.dtype = found
        self.nodes.append(node)
        return list(node.outputs)

    def cast(self, value: ir.Value, dtype: ir.DataType) -> ir.Value:
        """Return a value, converted to a dtype."""
        if value.dtype == dtype:
            return value
        made = self.op("Cast", value, dtype=dtype, to=dtype)
        return self.shaped(made, dims(value)) if "dims" in value.meta else made

    # -- constants -----------------------------------------------------------------------------------------------------

    def array(self, array: np.ndarray, name: str = "constant") -> ir.Value:
        """Return a constant array. Equal small arrays are one initializer."""
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 64 else None
        if key is not None and key in self._constants:
            return self._constants[key]
        made = self.initializer(self.fresh(name), array)
        if key is not None:
            self._constants[key] = made
        return made

    def initializer(self, name: str, array: np.ndarray) -> ir.Value:
        """Return a new initializer."""
        tensor = ir.Tensor(np.ascontiguousarray(array).reshape(array.shape), name=name)
        made = ir.Value(name=name, shape=ir.Shape(array.shape), type=ir.TensorType(tensor.dtype), const_value=tensor)
        made.meta["dims"] = tuple(array.shape)
        self.initializers[name] = made
        return made

    def ints(self, values: Sequence[int]) -> ir.Value:
        """Return a constant vector of int64."""
        return self.array(np.array(values, np.int64))

    def scalar(self, number: Any, dtype: ir.DataType) -> ir.Value:
        """Return a number, a `Formula` or a `Real` as a value without dims."""
        if isinstance(number, Formula):
            return self.cast(self.op("Squeeze", self.size(number), self.ints([0])), dtype)
        if isinstance(number, Real):
            value = self.scalar(number.formula, DOUBLE)
            for kind in _FUNCTIONS[number.function]:
                value = self.op(kind, value)
            return self.cast(self.op("Mul", value, self.scalar(number.factor, DOUBLE)), dtype)
        return self.array(np.asarray(number).astype(dtype.numpy()))

    # -- sizes ---------------------------------------------------------------------------------------------------------

    def shaped(self, value: ir.Value, dims: Sequence[Any]) -> ir.Value:
        """Record the dims of a value: numbers, names, or JAX's formulas of names."""
        value.meta["dims"] = tuple(dims)
        value.shape = ir.Shape([n if isinstance(n, int | None) else str(n) for n in dims])
        for axis, size in enumerate(dims):
            if not isinstance(size, int | None):
                self._places.setdefault(str(size), (value, axis))
        return value

    def size(self, size: Any) -> ir.Value:
        """Return a size as a vector with one element. `size` is a number, a `Formula`, or JAX's formula."""
        if isinstance(size, int):
            return self.ints([size])
        if isinstance(size, Formula):
            return self._computed(size)
        name = str(size)
        if name not in self._sizes:
            if name not in self._places:
                raise Unsupported(f"no tensor of the graph is known to have a dim of size {name}")
            value, axis = self._places[name]
            self._sizes[name] = self.op("Shape", value, dtype=INT64, start=axis, end=axis + 1)
        return self._sizes[name]

    def _computed(self, formula: Formula) -> ir.Value:
        value = self.size(formula.sizes[0])
        for name in formula.sizes[1:]:
            value = self.op("Mul", value, self.size(name))
        for kind, number, neutral in (
            ("Mul", formula.factor, 1),
            ("Add", formula.offset, 0),
            ("Div", formula.divisor, 1),
            ("Mul", formula.times, 1),
        ):
            if number != neutral:
                value = self.op(kind, value, self.ints([number]))
        return value

    def sizes(self, sizes: Sequence[Any]) -> ir.Value:
        """Return several sizes as a vector."""
        sizes = list(sizes)
        if all(isinstance(n, int) for n in sizes):
            return self.ints(sizes)
        parts: list[Any] = []
        for n in sizes:
            if isinstance(n, int) and parts and isinstance(parts[-1], list):
                parts[-1].append(n)
            else:
                parts.append([n] if isinstance(n, int) else n)
        values = [self.ints(part) if isinstance(part, list) else self.size(part) for part in parts]
        return values[0] if len(values) == 1 else self.op("Concat", *values, axis=0)


def dims(value: ir.Value) -> tuple:
    """Return the recorded dims of a value."""
    return value.meta["dims"]
