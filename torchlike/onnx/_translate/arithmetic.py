"""Arithmetic, comparisons and functions of single elements."""

from __future__ import annotations

import math
from typing import Any

from torchlike.onnx._calls import BOOL, INT64, Call, translates

_SAME_NAME = {
    "abs": "Abs",
    "neg": "Neg",
    "exp": "Exp",
    "log": "Log",
    "sqrt": "Sqrt",
    "reciprocal": "Reciprocal",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "asin": "Asin",
    "acos": "Acos",
    "atan": "Atan",
    "sinh": "Sinh",
    "cosh": "Cosh",
    "asinh": "Asinh",
    "acosh": "Acosh",
    "atanh": "Atanh",
    "erf": "Erf",
    "sign": "Sign",
    "sgn": "Sign",
    "tanh": "Tanh",
    "sigmoid": "Sigmoid",
    "relu": "Relu",
    "softsign": "Softsign",
}
for _name, _kind in _SAME_NAME.items():
    translates(_name)(lambda c, kind=_kind: c.op(kind, c.value("input")))

_OF_TWO = {"mul": "Mul", "true_divide": "Div", "maximum": "Max", "minimum": "Min"}
for _name, _kind in _OF_TWO.items():
    translates(_name)(lambda c, kind=_kind: c.op(kind, c.value("input"), c.value("other")))

_COMPARISONS = {"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}
_BITS = {"bitwise_and": ("And", "BitwiseAnd"), "bitwise_or": ("Or", "BitwiseOr"), "bitwise_xor": ("Xor", "BitwiseXor")}


def _compared(c: Call, kind: str) -> Any:
    dtype = c.common("input", "other")
    pair = c.value("input", dtype), c.value("other", dtype)
    if dtype == BOOL and kind != "Equal":  # ONNX does not order booleans
        pair = tuple(c.b.cast(x, INT64) for x in pair)
    return c.op(kind, *pair, dtype=BOOL)


for _name, _kind in _COMPARISONS.items():
    translates(_name)(lambda c, kind=_kind: _compared(c, kind))
for _name, _kinds in _BITS.items():
    translates(_name)(lambda c, kinds=_kinds: c.op(kinds[c.dtype != BOOL], c.value("input"), c.value("other")))
for _name, _kind in {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}.items():
    translates(_name)(lambda c, kind=_kind: c.op(kind, c.value("input", BOOL), c.value("other", BOOL)))


@translates("ne")
def _ne(c: Call) -> Any:
    return c.op("Not", _compared(c, "Equal"))


@translates("logical_not")
def _logical_not(c: Call) -> Any:
    return c.op("Not", c.value("input", BOOL))


@translates("bitwise_not")
def _bitwise_not(c: Call) -> Any:
    return c.op("Not" if c.dtype == BOOL else "BitwiseNot", c.value("input"))


def _scaled(c: Call, name: str) -> Any:
    """Return an argument times alpha."""
    value = c.value(name)
    return value if c["alpha"] == 1 else c.op("Mul", value, c.scalar(c["alpha"]))


@translates("add")
def _add(c: Call) -> Any:
    if c.dtype == BOOL:
        return c.op("Or", c.value("input"), c.value("other"))
    return c.op("Add", c.value("input"), _scaled(c, "other"))


@translates("sub")
def _sub(c: Call) -> Any:
    return c.op("Sub", c.value("input"), _scaled(c, "other"))


@translates("rsub")
def _rsub(c: Call) -> Any:
    return c.op("Sub", c.value("other"), _scaled(c, "input"))


@translates("pow", "float_power")
def _pow(c: Call) -> Any:
    return c.op("Pow", c.value("input"), c.value("exponent"))


@translates("square")
def _square(c: Call) -> Any:
    return c.op("Mul", c.value("input"), c.value("input"))


@translates("rsqrt")
def _rsqrt(c: Call) -> Any:
    return c.op("Reciprocal", c.op("Sqrt", c.value("input")))


def floored(c: Call, first: Any, second: Any) -> Any:
    """Return the quotient rounded down. ONNX rounds quotients of integers toward zero."""
    quotient = c.op("Div", first, second)
    if c.dtype.is_floating_point():
        return c.op("Floor", quotient)
    rest = c.op("Mod", first, second)  # it has the sign of the divisor
    return c.op("Div", c.op("Sub", first, rest), second)


@translates("floor_divide")
def _floor_divide(c: Call) -> Any:
    return floored(c, c.value("input"), c.value("other"))


@translates("div")
def _div(c: Call) -> Any:
    pair, mode = (c.value("input"), c.value("other")), c["rounding_mode"]
    if mode == "floor":
        return floored(c, *pair)
    made = c.op("Div", *pair)
    return _truncated(c, made) if mode == "trunc" and c.dtype.is_floating_point() else made


def _truncated(c: Call, x: Any) -> Any:
    return c.op("Mul", c.op("Sign", x), c.op("Floor", c.op("Abs", x)))


@translates("remainder")
def _remainder(c: Call) -> Any:
    first, second = c.value("input"), c.value("other")
    if not c.dtype.is_floating_point():
        return c.op("Mod", first, second)
    return c.op("Sub", first, c.op("Mul", floored(c, first, second), second))


@translates("fmod")
def _fmod(c: Call) -> Any:
    return c.op("Mod", c.value("input"), c.value("other"), fmod=1)


@translates("floor", "ceil", "round", "trunc")
def _rounded(c: Call) -> Any:
    x = c.value("input")
    if not c.dtype.is_floating_point():
        return x
    if c.name == "trunc":
        return _truncated(c, x)
    if c.name == "round" and c["decimals"]:
        factor = c.scalar(10.0 ** c["decimals"])
        return c.op("Div", c.op("Round", c.op("Mul", x, factor)), factor)
    return c.op(c.name.capitalize(), x)


@translates("frac")
def _frac(c: Call) -> Any:
    return c.op("Sub", c.value("input"), _truncated(c, c.value("input")))


@translates("log1p")
def _log1p(c: Call) -> Any:
    return c.op("Log", c.op("Add", c.value("input"), c.scalar(1)))


@translates("expm1")
def _expm1(c: Call) -> Any:
    return c.op("Sub", c.op("Exp", c.value("input")), c.scalar(1))


@translates("log2", "log10")
def _log_of_base(c: Call) -> Any:
    return c.op("Div", c.op("Log", c.value("input")), c.scalar(math.log(float(c.name[3:]))))


@translates("exp2")
def _exp2(c: Call) -> Any:
    return c.op("Pow", c.scalar(2), c.value("input"))


@translates("deg2rad", "rad2deg")
def _degrees(c: Call) -> Any:
    factor = math.pi / 180 if c.name == "deg2rad" else 180 / math.pi
    return c.op("Mul", c.value("input"), c.scalar(factor))


@translates("erfc")
def _erfc(c: Call) -> Any:
    return c.op("Sub", c.scalar(1), c.op("Erf", c.value("input")))


@translates("isnan", "isinf", "isfinite", "isposinf", "isneginf")
def _is(c: Call) -> Any:
    x = c["input"]
    if not x.dtype.is_floating_point():
        return c.op("Expand", c.scalar(c.name == "isfinite", BOOL), c.op("Shape", x, dtype=INT64))
    if c.name == "isnan":
        return c.op("IsNaN", x, dtype=BOOL)
    signs = {"isposinf": {"detect_negative": 0}, "isneginf": {"detect_positive": 0}}.get(c.name, {})
    found = c.op("IsInf", x, dtype=BOOL, **signs)
    return c.op("Not", c.op("Or", found, c.op("IsNaN", x, dtype=BOOL))) if c.name == "isfinite" else found


@translates("addcmul", "addcdiv")
def _addc(c: Call) -> Any:
    made = c.op("Mul" if c.name == "addcmul" else "Div", c.value("tensor1"), c.value("tensor2"))
    made = made if c["value"] == 1 else c.op("Mul", made, c.scalar(c["value"]))
    return c.op("Add", c.value("input"), made)


@translates("lerp")
def _lerp(c: Call) -> Any:
    first, last = c.value("input"), c.value("end")
    return c.op("Add", first, c.op("Mul", c.value("weight"), c.op("Sub", last, first)))


@translates("where")
def _where(c: Call) -> Any:
    return c.op("Where", c.value("condition", BOOL), c.value("input"), c.value("other"), dtype=c.dtype)


@translates("_masked_fill", "_masked_fill_by", "_masked_put")
def _masked_fill(c: Call) -> Any:
    return c.op("Where", c.value("mask", BOOL), c.value("value"), c.value("input"), dtype=c.dtype)


@translates("clamp", "clamp_min", "clamp_max")
def _clamp(c: Call) -> Any:
    made = c.value("input")
    for name, kind in (("min", "Max"), ("max", "Min")):
        if c.arguments.get(name, ("", None)) != ("static", None) and name in c.arguments:
            made = c.op(kind, made, c.value(name))
    return made


@translates("_to", "clone", "view_as_self")
def _to(c: Call) -> Any:
    return c.value("input")


@translates("_moving_average")
def _moving_average(c: Call) -> Any:
    momentum = c.value("momentum")
    old = c.op("Mul", c.op("Sub", c.scalar(1), momentum), c.value("running"))
    return c.op("Add", old, c.op("Mul", momentum, c.value("new")))
