"""The ATen operator and arguments of each recorded operator of torchlike."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike._autograd.nodes import Node as GradNode
from torchlike._dtypes.recorder import current
from torchlike._random import _stand_ins
from torchlike._tensor.tensor import wrap
from torchlike.ops import aten

_ARITHMETIC = ("add", "sub", "mul", "div", "fmod", "remainder", "floor_divide")
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_PLAIN = (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp2"),
    *("expm1", "floor", "isnan", "log", "log10", "log1p", "log2", "neg", "reciprocal", "relu", "round", "rsqrt"),
    *("sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "logical_not", "erfinv", "sgn"),
    *("atan2", "maximum", "minimum", "mm", "bmm", "mv", "dot", "addmm", "logical_and", "logical_or", "clone"),
    *("detach", "silu", "lgamma", "digamma", "bitwise_not", "hypot", "logaddexp", "fmax", "fmin", "logical_xor"),
)

Call = tuple[Callable, tuple, dict]


class Recorded:
    """An operator of torchlike that has no ATen name, such as the gradient of an operator, with its runtime numbers."""

    def __init__(self, plan: Any, scalars: Sequence) -> None:
        self.plan, self.scalars = plan, tuple(scalars)
        self.__name__ = self.__qualname__ = plan.name
        self.__module__ = "torchlike_ops"

    def __call__(self, *tensors: Any) -> Any:
        pairs = [tensor._pair() for tensor in tensors]
        values, edges = [value for value, _ in pairs], [edge for _, edge in pairs]
        recorder, node = current(), None
        kinds = getattr(self.plan, "differentiable", None)
        if recorder.grad and any(edge is not None for edge in edges) and (kinds is None or any(kinds)):
            if kinds is None:
                raise NotImplementedError(f"torchlike cannot differentiate {self}, which make_fx recorded under vmap")
            node = (recorder.node or GradNode.quick)(self.plan, values, edges, self.scalars)
        results, found, number = recorder.record(self.plan, values, self.scalars), [], 0
        for result, differentiable in zip(results, kinds or [False] * len(results)):
            edge = (node, number) if node is not None and differentiable else None
            number += differentiable
            found.append(wrap(result, edge))
        return found[0] if len(found) == 1 else tuple(found)

    def __str__(self) -> str:
        return f"torchlike.{self.__name__}"

    def __deepcopy__(self, memo: Any) -> Recorded:
        return self


class Drawn:
    """A random operator: it samples again at every call."""

    def __init__(self, draw: Callable, args: tuple, kwargs: dict) -> None:
        self.draw, self.args, self.kwargs = draw, args, kwargs
        self.__name__ = self.__qualname__ = draw.__name__
        self.__module__ = "torchlike_ops"

    def __call__(self) -> Any:
        draw = getattr(_stand_ins, self.__name__)
        return torchlike.from_numpy(draw(*self.args, **self.kwargs))

    def __str__(self) -> str:
        return f"torchlike.{self.__name__}"

    def __deepcopy__(self, memo: Any) -> Drawn:
        return self


def named(plan: Any, nodes: Sequence, scalars: Sequence, emit: Callable[..., Any]) -> Any:
    """Add the nodes of an operator to a graph. Return the node of its result.

    Args:
      plan: the plan of the operator.
      nodes: the nodes of its array inputs.
      scalars: its runtime numbers.
      emit: `emit(target, *args, **kwargs)` adds a node that calls a function.
    """
    arguments: Any = getattr(plan.extra, "arguments", None)
    rule = _RULES.get(plan.name) if arguments is not None and not plan.chain else None
    if rule is not None and arguments is not None:
        values = {name: _value(where, what, nodes, scalars) for name, (where, what) in arguments.items()}
        made = rule(plan, values, emit)
        if made is not None:
            return made
    elif plan.name in _GRADIENTS:
        made = _GRADIENTS[plan.name](plan, nodes, scalars, emit)
        if made is not None:
            return made
    return emit(Recorded(plan, scalars), *nodes)


def _value(where: str, what: Any, nodes: Sequence, scalars: Sequence) -> Any:
    if where == "array":
        return nodes[what]
    if where == "arrays":
        return [nodes[i] for i in what]
    return scalars[what] if where == "number" else what


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | complex)


def _plain(name: str) -> Callable:
    target = getattr(aten, name).default

    def rule(plan: Any, values: dict, emit: Callable) -> Any:
        given = [x for x in values.values() if x is not None]
        arrays = len(plan.inputs)
        return emit(target, *given) if len(given) == arrays else None

    return rule


def _binary(name: str, number: str) -> Callable:
    packet = getattr(aten, name)

    def rule(plan: Any, values: dict, emit: Callable) -> Any:
        alpha = values.get("alpha", 1)
        if _is_number(values["input"]) or values.get("rounding_mode"):
            return None
        target = getattr(packet, number if _is_number(values["other"]) else "Tensor")
        return emit(target, values["input"], values["other"], **({} if alpha == 1 else {"alpha": alpha}))

    return rule


def _pow(plan: Any, values: dict, emit: Callable) -> Any:
    base, power = values["input"], values["exponent"]
    if _is_number(base):
        return emit(aten.pow.Scalar, base, power)
    return emit(aten.pow.Tensor_Scalar if _is_number(power) else aten.pow.Tensor_Tensor, base, power)


def _reduction(name: str, overload: str) -> Callable:
    packet = getattr(aten, name)

    def rule(plan: Any, values: dict, emit: Callable) -> Any:
        dim, keepdim, dtype = values["dim"], values["keepdim"], values["dtype"]
        kwargs = {} if dtype is None else {"dtype": dtype}
        if dim is None and not keepdim:
            return emit(packet.default, values["input"], **kwargs)
        dims = dim if dim is None else [dim] if isinstance(dim, int) else list(dim)
        return emit(getattr(packet, overload), values["input"], dims, *([True] if keepdim else []), **kwargs)

    return rule


def _linear(plan: Any, values: dict, emit: Callable) -> Any:
    if len(plan.inputs[0].shape) != 2 or len(plan.inputs[1].shape) != 2:
        return None
    turned = emit(aten.t.default, values["weight"])
    if values["bias"] is None:
        return emit(aten.mm.default, values["input"], turned)
    return emit(aten.addmm.default, values["bias"], values["input"], turned)


def _matmul(plan: Any, values: dict, emit: Callable) -> Any:
    names: dict[tuple[int, ...], str] = {(2, 2): "mm", (2, 1): "mv", (1, 1): "dot"}
    name = names.get(tuple(len(a.shape) for a in plan.inputs))
    return None if name is None else emit(getattr(aten, name).default, *list(values.values())[:2])


def _sized(name: str) -> Callable:
    target = getattr(aten, name).default
    return lambda plan, values, emit: emit(target, values["input"], list(next(v for k, v in values.items() if k in _S)))


_S = ("size", "dims", "shape")


def _piece(plan: Any, values: dict, emit: Callable) -> Any:
    start = values["start"]
    return emit(aten.slice.Tensor, values["input"], values["dim"], start, start + values["length"])


def _cat(plan: Any, values: dict, emit: Callable) -> Any:
    return emit(aten.cat.default, values["tensors"], *([values["dim"]] if values["dim"] else []))


def _at(overload: str, name: str, *keys: str) -> Callable:
    target = getattr(getattr(aten, name), overload)

    def rule(plan: Any, values: dict, emit: Callable) -> Any:
        return emit(target, values["input"], *(values[k] for k in keys)) if set(keys) < values.keys() else None

    return rule


def _slice(plan: Any, values: dict, emit: Callable) -> Any:
    start, length, dim = values["start"], values["length"], values["dim"]
    if values["step"] != 1:
        return None
    reaches_end = start + length == plan.inputs[0].shape[dim]
    return emit(aten.slice.Tensor, values["input"], dim, start, 2**63 - 1 if reaches_end else start + length)


def _extreme(name: str) -> Callable:
    packet = getattr(aten, name)

    def rule(plan: Any, values: dict, emit: Callable) -> Any:
        dim, keepdim = values.get("dim"), values.get("keepdim")
        if name in ("argmax", "argmin"):
            return emit(packet.default, values["input"], *([] if dim is None else [dim]), *([True] if keepdim else []))
        if dim is None:
            return None if keepdim else emit(packet.default, values["input"])
        return emit(packet.dim, values["input"], dim, *([True] if keepdim else []))

    return rule


def _unless(value: Any, default: Any) -> list:
    return [] if value == default else [value]


def _squeeze(values: dict, emit: Callable) -> Any:
    dim = values["dim"]
    if isinstance(dim, int):
        return emit(aten.squeeze.dim, values["input"], dim)
    return emit(aten.squeeze.default, values["input"]) if dim is None else None


def _along(name: str) -> Callable:
    target = getattr(aten, name).default
    return lambda plan, values, emit: emit(target, values["input"], values["dim"]) if values["dtype"] is None else None


def _where(plan: Any, values: dict, emit: Callable) -> Any:
    return emit(aten.where.self, *values.values()) if len(plan.inputs) == 3 else None


def _listed(name: str) -> Callable:
    """Return the rule of a reduction whose dims are a list."""
    target = getattr(aten, name).default

    def rule(plan: Any, values: dict, emit: Callable) -> Any:
        dim = values["dim"]
        dims = [dim] if isinstance(dim, int) else list(dim or ())
        return emit(target, values["input"], dims, *_unless(values["keepdim"], False))

    return rule


def _masked_fill(plan: Any, values: dict, emit: Callable) -> Any:
    overload = aten.masked_fill.Scalar if _is_number(values["value"]) else aten.masked_fill.Tensor
    return emit(overload, values["input"], values["mask"], values["value"])


def _softmax(name: str) -> Callable:
    target = getattr(aten, name).default
    return lambda plan, values, emit: emit(target, values["input"], values["dim"], False)


_RULES: dict[str, Callable] = {
    **{name: _plain(name) for name in _PLAIN},
    **{name: _binary(name, "Tensor") for name in _ARITHMETIC[:4]},
    **{name: _binary(name, "Scalar") for name in (*_ARITHMETIC[4:6], *_COMPARISONS)},
    "pow": _pow,
    "sum": _reduction("sum", "dim_IntList"),
    "mean": _reduction("mean", "dim"),
    "linear": _linear,
    "matmul": _matmul,
    "view": _sized("view"),
    "expand": _sized("expand"),
    "permute": _sized("permute"),
    "cat": _cat,
    "_piece": _piece,
    "_select": _at("int", "select", "dim", "index"),
    "_t": _at("default", "t"),
    "transpose": _at("int", "transpose", "dim0", "dim1"),
    "unsqueeze": _at("default", "unsqueeze", "dim"),
    **{name: _extreme(name) for name in ("argmax", "argmin", "max", "min")},
    "_max_of_all": lambda plan, values, emit: emit(aten.max.default, values["input"]),
    "_min_of_all": lambda plan, values, emit: emit(aten.min.default, values["input"]),
    "_slice": _slice,
    "true_divide": _binary("div", "Tensor"),
    "squeeze": lambda plan, values, emit: _squeeze(values, emit),
    "cumsum": _along("cumsum"),
    "cumprod": _along("cumprod"),
    "where": lambda plan, values, emit: _where(plan, values, emit),
    "stack": lambda plan, values, emit: emit(aten.stack.default, values["tensors"], *_unless(values["dim"], 0)),
    "tril": lambda plan, values, emit: emit(aten.tril.default, values["input"], *_unless(values["diagonal"], 0)),
    "triu": lambda plan, values, emit: emit(aten.triu.default, values["input"], *_unless(values["diagonal"], 0)),
    "_flip": lambda plan, values, emit: emit(aten.flip.default, values["input"], list(values["dims"])),
    "_repeat": lambda plan, values, emit: emit(aten.repeat.default, values["input"], list(values["repeats"])),
    "_gather": _at("default", "gather", "dim", "index"),
    "index_select": _at("default", "index_select", "dim", "index"),
    "amax": _listed("amax"),
    "amin": _listed("amin"),
    "logsumexp": _listed("logsumexp"),
    "_masked_fill": _masked_fill,
    "_softmax": _softmax("_softmax"),
    "_log_softmax": _softmax("_log_softmax"),
}


# -- gradients, in the form of PyTorch's derivative formulas -----------------------------------------------------------


def _times(name: str, negative: bool = False) -> Callable:
    """Return the rule of a gradient that is the incoming one times a function of the input."""

    def rule(plan: Any, nodes: Sequence, scalars: Sequence, emit: Callable) -> Any:
        if len(nodes) != 2 or plan.inputs[0].dtype.category != plan.inputs[1].dtype.category:
            return None
        x, grad = nodes
        made = emit(getattr(aten, name).default, x)
        return emit(aten.mul.Tensor, grad, emit(aten.neg.default, made) if negative else made)

    return rule


def _sum_vjp(plan: Any, nodes: Sequence, scalars: Sequence, emit: Callable) -> Any:
    size = plan.outputs[0].shape
    if len(nodes) != 1 or math.prod(plan.inputs[0].shape) != 1 or plan.inputs[0].shape:
        return None
    return emit(aten.expand.default, nodes[0], list(size))


_GRADIENTS: dict[str, Callable] = {
    "sin_vjp": _times("cos"),
    "cos_vjp": _times("sin", negative=True),
    "sum_vjp": _sum_vjp,
}
