"""The ONNX model of an exported program."""

from __future__ import annotations

import re

import numpy as np
import onnx_ir as ir

from torchlike.export._program import ExportedProgram
from torchlike.export._record import TENSOR
from torchlike.export._saved import Saved, is_input
from torchlike.export._steps import Constant
from torchlike.jax._arrays import array_of
from torchlike.onnx._builder import INT64, Builder, dims
from torchlike.onnx._steps import run
from torchlike.onnx.errors import OnnxExporterError
from torchlike.torch_version import OWN

IR_VERSION = 10


def model_of(exported: ExportedProgram, opset: int) -> ir.Model:
    """Return the ONNX model of an exported program.

    Raises:
      OnnxExporterError: an operator has no form in ONNX.
    """
    saved = exported._saved
    listing = saved.listing
    if listing is None:
        raise OnnxExporterError(
            "The file of this program does not list its operators. Save the program again, or export the module itself."
        )
    b = Builder(opset)
    inputs = _inputs(b, exported, saved)
    weights = [
        b.initializer(b.fresh(name), np.asarray(array_of(tensor._value)))
        for name, tensor in exported.state_dict.items()
    ]
    constants = iter([b.initializer(b.fresh(name), array) for name, array in saved.constants.items()])
    made = [_constant(b, c) if isinstance(c, Constant) else next(constants) for c in listing.constants]
    everything = [*weights, *inputs, *made]
    given = [everything[i] for i in listing.inputs]
    results = run(b, listing.operators, given)
    outputs = _outputs(b, [results[s] if s >= 0 else given[~s] for s in listing.outputs], saved, [*everything])
    b.name_all()
    graph = ir.Graph(
        inputs,
        outputs,
        nodes=b.nodes,
        initializers=[weight for weight in b.initializers.values() if weight.uses()],
        opset_imports={"": opset},
        name="main_graph",
    )
    return ir.Model(graph, ir_version=IR_VERSION, producer_name="torchlike", producer_version=OWN)


def _inputs(b: Builder, exported: ExportedProgram, saved: Saved) -> list[ir.Value]:
    """Return the inputs of the graph, with PyTorch's names: the inputs of `forward` that are tensors."""
    avals = saved.exported.in_avals[len(exported.state_dict) + len(saved.constants) :]
    places = [place for place, leaf in zip(saved.names, saved.leaves) if is_input(leaf)]
    made = []
    for place, aval in zip(places, avals):
        name = b.fresh(re.sub(r"\W+", "_", place).strip("_"))  # `a['u'][0]` is `a_u_0`
        value = ir.Value(name=name, type=ir.TensorType(ir.DataType.from_numpy(np.dtype(aval.dtype))))
        made.append(b.shaped(value, aval.shape))
    return made


def _constant(b: Builder, constant: Constant) -> ir.Value:
    """Return a constant whose shape depends on the sizes."""
    dtype = ir.DataType.from_numpy(np.dtype(constant.dtype))
    shape = b.sizes(constant.shape)
    first = b.scalar(constant.first, dtype)
    if constant.kind == "full":
        return _shaped(b, b.op("Expand", first, shape), constant)
    if constant.kind == "eye":
        square = b.op("Expand", b.scalar(0, dtype), shape)
        return _shaped(b, b.op("EyeLike", square), constant)
    size = b.op("Squeeze", shape, b.ints([0]))
    count = b.cast(b.op("Range", b.scalar(0, INT64), size, b.scalar(1, INT64)), dtype)
    step = b.scalar(constant.step, dtype)
    if constant.kind == "even":
        steps = b.cast(b.op("Sub", size, b.scalar(1, INT64)), dtype)
        step = b.op("Div", b.op("Sub", step, first), steps)
    return _shaped(b, b.op("Add", b.op("Mul", count, step), first), constant)


def _shaped(b: Builder, value: ir.Value, constant: Constant) -> ir.Value:
    value.name = b.fresh(constant.kind)
    return b.shaped(value, constant.shape)


def _outputs(b: Builder, values: list[ir.Value], saved: Saved, taken: list[ir.Value]) -> list[ir.Value]:
    """Return the outputs of the graph. A result that is an input, or that is returned twice, is copied.

    The new values of buffers are not outputs, as in PyTorch.
    """
    made: list[ir.Value] = []
    for value in values[: sum(leaf is TENSOR for leaf in saved.results)]:
        if any(value is other for other in taken):
            copied = b.op("Identity", value)
            copied.name = b.fresh(value.name or "output")
            value = b.shaped(copied, dims(value))
        taken.append(value)
        made.append(value)
    return made
