"""The readable graph of an exported program."""

from __future__ import annotations

import operator
from typing import Any

import torchlike
from torchlike import fx
from torchlike._transforms.recording import is_tensor
from torchlike.export._formulas import Formula
from torchlike.export._record import TENSOR, Forward, Recorded
from torchlike.export._steps import Constant, Program, Step
from torchlike.export.graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)


def graph_of(
    program: Program, forward: Forward, names: list[str], leaves: list, recorded: Recorded
) -> tuple[fx.Graph, ExportGraphSignature]:
    """Return the graph of a program and its signature.

    The graph is only for reading and analysis. Calling an `ExportedProgram` runs the program, not the graph.
    """
    graph, signature = fx.Graph(), ExportGraphSignature()
    arrays: list[Any] = []
    for name in forward.tensors:
        kind, prefix = (InputKind.PARAMETER, "p") if name in forward.parameters else (InputKind.BUFFER, "b")
        arrays.append(_input(graph, signature, kind, f"{prefix}_{name.replace('.', '_')}", name))
    for name, leaf in zip(names, leaves):
        if is_tensor(leaf):
            arrays.append(_input(graph, signature, InputKind.USER_INPUT, name, None))
        else:
            signature.input_specs.append(InputSpec(InputKind.USER_INPUT, ConstantArgument(name, leaf), None))
    for i, constant in enumerate(program.constants):
        arrays.append(_constant(graph, i, constant))
    inputs = [arrays[i] for i in program.inputs]
    results: list[Any] = []
    for step in program.steps:
        results += _nodes(graph, step, [results[s] if s >= 0 else inputs[~s] for s in step.slots])
    made = [results[s] if s >= 0 else inputs[~s] for s in program.outputs]
    _outputs(graph, signature, made, recorded)
    return graph, signature


def _input(graph: fx.Graph, signature: ExportGraphSignature, kind: InputKind, name: str, target: str | None) -> Any:
    node = graph.placeholder(name)
    persistent = True if kind is InputKind.BUFFER else None
    signature.input_specs.append(InputSpec(kind, TensorArgument(node.name), target, persistent))
    return node


def _constant(graph: fx.Graph, place: int, constant: Any) -> Any:
    if not isinstance(constant, Constant):
        return graph.get_attr(f"c_lifted_tensor_{place}")
    shape = tuple(map(_text, constant.shape))
    if constant.kind == "full":
        return graph.call_function(torchlike.full, (shape, _text(constant.first)))
    if constant.kind == "eye":
        return graph.call_function(torchlike.eye, shape)
    first, step = _text(constant.first), _text(constant.step)
    if constant.kind == "range":
        return graph.call_function(torchlike.arange, (first, shape[0]), {"step": step})
    return graph.call_function(torchlike.linspace, (first, step, shape[0]))


class _Symbol(str):
    """A formula of the varying sizes, which is printed without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _text(value: Any) -> Any:
    return value if isinstance(value, int | float | bool) else _Symbol(value)


def _nodes(graph: fx.Graph, step: Step, arrays: list) -> list:
    plan = step.plan
    name = plan.name.strip("_") or "operator"
    homes = (torchlike, torchlike.nn.functional, torchlike.Tensor)
    target = next((getattr(home, name) for home in homes if callable(getattr(home, name, None))), None)
    extra = step.form if isinstance(step.form, dict) else getattr(plan.extra, "arguments", None)
    arguments = _named_arguments(extra, arrays, step.numbers) if extra is not None else {}
    args = () if arguments else tuple(arrays)
    node = graph.create_node("call_function", target or _without_public_function(name), args, arguments, name)
    if plan.single is not None:
        return [node]
    return [graph.call_function(operator.getitem, (node, i)) for i in range(len(plan.outputs))]


def _named_arguments(arguments: dict, arrays: list, numbers: tuple) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (where, what) in arguments.items():
        if where == "array":
            found[name] = arrays[what]
        elif where == "arrays":
            found[name] = [arrays[i] for i in what]
        elif where == "number":
            found[name] = _text(numbers[what])
        else:
            found[name] = _static(what)
    return found


def _static(value: Any) -> Any:
    """Return the form in which the graph shows a static argument."""
    if isinstance(value, Formula):
        return _Symbol(value)
    if isinstance(value, list | tuple):
        return type(value)(map(_static, value)) if not hasattr(value, "_fields") else _Symbol(value)
    return value if isinstance(value, int | float | bool | str | None | torchlike.dtype) else _Symbol(value)


def _without_public_function(name: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{name} is an operator of torchlike without a public function")

    function.__name__ = function.__qualname__ = name
    return function


def _outputs(graph: fx.Graph, signature: ExportGraphSignature, made: list, recorded: Recorded) -> None:
    count = sum(leaf is TENSOR for leaf in recorded.results)
    for name, node in zip(recorded.written, made[count:]):
        signature.output_specs.append(OutputSpec(OutputKind.BUFFER_MUTATION, TensorArgument(node.name), name))
    nodes = iter(made[:count])
    shown: list[Any] = []
    for leaf in recorded.results:
        node = next(nodes) if leaf is TENSOR else None
        arg = ConstantArgument("", leaf) if node is None else TensorArgument(node.name)
        signature.output_specs.append(OutputSpec(OutputKind.USER_OUTPUT, arg, None))
        shown.append(leaf if node is None else node)
    graph.output((*made[count:], *shown))
