"""The operators of an exported program as nodes of an ONNX graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from torchlike.export._listing import Operator
from torchlike.onnx import _symbolics, _translate
from torchlike.onnx._builder import BOOL, INT64, Builder, dims
from torchlike.onnx._calls import TRANSLATIONS, Call, Unsupported, onnx_dtype
from torchlike.onnx._translate.places import written
from torchlike.onnx.errors import OnnxExporterError, UnsupportedOperatorError

# The names of results, where the name of the operator is not the one that PyTorch's graph has.
_NAMES = {
    "_batch_norm_of_running": "batch_norm",
    "_batch_norm_of_batch": "batch_norm",
    "_attention": "scaled_dot_product_attention",
    "_unsafe_view": "view",
    "true_divide": "div",
    "_piece": "split",
    "_sized_piece": "split",
    "_unbound": "unbind",
    "_recurrent_layer": "recurrent",
}
_translate.load()


def run(b: Builder, operators: Sequence[Operator], inputs: list[ir.Value]) -> list[ir.Value]:
    """Add the nodes of operators to a graph and return the results. `inputs` are those of the operators."""
    results: list[ir.Value] = []
    for operator in operators:
        made = _translated(b, operator, [results[s] if s >= 0 else inputs[~s] for s in operator.slots])
        for value, (_, shape) in zip(made, operator.results):
            if value.name is None:
                value.name = b.fresh(_NAMES.get(operator.name, operator.name.strip("_")))
            if "dims" not in value.meta:
                b.shaped(value, shape)
        results += made
    return results


def _translated(b: Builder, operator: Operator, arrays: list[ir.Value]) -> list[ir.Value]:
    name = operator.name.strip("_")
    _symbolics.refuse(f"aten::{name}")
    try:
        made = _made(b, operator, arrays)
    except Unsupported as error:
        raise OnnxExporterError(f"torch.onnx.export cannot translate the operator {name}: {error}") from None
    if made is None:
        raise UnsupportedOperatorError(f"aten::{name}", b.opset, None)
    made = list(made) if isinstance(made, list | tuple) else [made]
    return [b.cast(value, onnx_dtype(dtype)) for value, (dtype, _) in zip(made, operator.results)]


def _made(b: Builder, operator: Operator, arrays: list[ir.Value]) -> Any:
    if operator.control is not None:
        return _controlled(b, operator, arrays)
    if operator.views:
        return written(b, operator.views, *arrays)
    translation = TRANSLATIONS.get(operator.name)
    return None if translation is None or not operator.arguments else translation(Call(b, operator, arrays))


# -- control flow ------------------------------------------------------------------------------------------------------


def _controlled(b: Builder, operator: Operator, arrays: list[ir.Value]) -> Any:
    control, rest = operator.control, iter(arrays)
    given = [next(rest) for _ in range(control.given)]
    parts = [(body, [next(rest) for _ in range(count)]) for body, count in zip(control.bodies, control.outer)]
    dtypes = [onnx_dtype(dtype) for dtype, _ in operator.results]
    if control.kind == "cond":
        branches = [_graph(b, part, given[1:]) for part in parts]
        return b.several("If", _flag(b, given[0]), dtypes=dtypes, then_branch=branches[0], else_branch=branches[1])
    if control.kind == "while_loop":
        return _loop(b, parts, given, dtypes)
    return None


def _flag(b: Builder, value: ir.Value) -> ir.Value:
    """Return a condition as a bool without dims."""
    return b.op("Reshape", b.cast(value, BOOL), b.array(np.zeros(0, np.int64)))


def _body(b: Builder, part: tuple, given: Sequence[ir.Value]) -> list[ir.Value]:
    """Add the nodes of a captured function, and return its results."""
    body, outer = part
    inputs = [given[i] if i >= 0 else outer[~i] for i in body.inputs]
    results = run(b, body.operators, inputs)
    return [results[s] if s >= 0 else inputs[~s] for s in body.outputs]


def _graph(b: Builder, part: tuple, given: Sequence[ir.Value]) -> ir.Graph:
    """Return a captured function as a graph without inputs."""
    inner = b.inner()
    return _finished(inner, [], _body(inner, part, given), "body")


def _finished(inner: Builder, inputs: list[ir.Value], results: list[ir.Value], name: str) -> ir.Graph:
    """Return a body. Each of its results is computed in it."""
    outputs: list[ir.Value] = []
    own = {id(value) for node in inner.nodes for value in node.outputs}
    for value in results:
        if id(value) not in own or any(value is other for other in outputs):
            value = inner.op("Identity", value)
        outputs.append(value)
    inner.name_all()
    return ir.Graph(inputs, outputs, nodes=inner.nodes, name=inner.fresh(name))


def _loop(b: Builder, parts: list, given: list[ir.Value], dtypes: list) -> list[ir.Value]:
    """Return the results of a while loop."""
    condition, body = parts
    first = _flag(b, _body(b, condition, given)[0])
    inner = b.inner()
    carried = []
    for value in given:
        copy = ir.Value(name=inner.fresh("carried"), type=value.type)
        carried.append(inner.shaped(copy, dims(value)))
    results = _body(inner, body, carried)
    again = _flag(inner, _body(inner, condition, results)[0])
    places = [
        ir.Value(name=inner.fresh("step"), type=ir.TensorType(INT64), shape=ir.Shape([])),
        ir.Value(name=inner.fresh("go_on"), type=ir.TensorType(BOOL), shape=ir.Shape([])),
    ]
    graph = _finished(inner, [*places, *carried], [again, *results], "loop")
    return b.several("Loop", None, first, *given, dtypes=dtypes, body=graph)
