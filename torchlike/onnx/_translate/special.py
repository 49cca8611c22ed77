"""Functions of single elements that ONNX composes of several operators, and losses."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp

from torchlike.onnx._calls import BOOL, Call, dims, translates
from torchlike.onnx._translate.reductions import reduced


def chosen(c: Call, condition: Any, yes: Any, no: Any) -> Any:
    """Return the elements of `yes` where the condition holds, and of `no` elsewhere."""
    return c.op("Where", condition, yes, no, dtype=c.dtype)


@translates("atan2")
def _atan2(c: Call) -> Any:
    y, x = c.value("input"), c.value("other")
    zero, pi = c.scalar(0), c.scalar(math.pi)
    right, left = (c.op(kind, x, zero, dtype=BOOL) for kind in ("Greater", "Less"))
    below = c.op("Less", y, zero, dtype=BOOL)
    angle = c.op("Atan", c.op("Div", y, x))
    turned = c.op("Add", angle, chosen(c, below, c.op("Neg", pi), pi))
    upright = c.op("Mul", c.op("Sign", y), c.scalar(math.pi / 2))
    return chosen(c, right, angle, chosen(c, left, turned, upright))


@translates("hypot")
def _hypot(c: Call) -> Any:
    first, second = c.value("input"), c.value("other")
    return c.op("Sqrt", c.op("Add", c.op("Mul", first, first), c.op("Mul", second, second)))


@translates("logaddexp")
def _logaddexp(c: Call) -> Any:
    first, second = c.value("input"), c.value("other")
    away = c.op("Neg", c.op("Abs", c.op("Sub", first, second)))
    return c.op("Add", c.op("Max", first, second), c.op("Softplus", away))


@translates("fmax", "fmin")
def _fmax(c: Call) -> Any:
    first, second = c.value("input"), c.value("other")
    best = c.op("Max" if c.name == "fmax" else "Min", first, second)
    if not c.dtype.is_floating_point():
        return best
    missing = [c.op("IsNaN", x, dtype=BOOL) for x in (first, second)]
    return chosen(c, missing[0], second, chosen(c, missing[1], first, best))


@translates("xlogy")
def _xlogy(c: Call) -> Any:
    x, y = c.value("input"), c.value("other")
    product = c.op("Mul", x, c.op("Log", y))
    zero = c.op("And", c.op("Equal", x, c.scalar(0), dtype=BOOL), c.op("Not", c.op("IsNaN", y, dtype=BOOL)))
    return chosen(c, zero, c.scalar(0), product)


@translates("logit")
def _logit(c: Call) -> Any:
    x = c.value("input")
    if c["eps"] is not None:
        x = c.op("Clip", x, c.scalar(c["eps"]), c.scalar(1 - c["eps"]))
    return c.op("Log", c.op("Div", x, c.op("Sub", c.scalar(1), x)))


@translates("sinc")
def _sinc(c: Call) -> Any:
    x = c.op("Mul", c.value("input"), c.scalar(math.pi))
    return chosen(c, c.op("Equal", x, c.scalar(0), dtype=BOOL), c.scalar(1), c.op("Div", c.op("Sin", x), x))


@translates("nan_to_num")
def _nan_to_num(c: Call) -> Any:
    x = c.value("input")
    if not c.dtype.is_floating_point():
        return x
    most = float(jnp.finfo(c.dtype.numpy()).max)
    for name, kind, default in (("posinf", "detect_negative", most), ("neginf", "detect_positive", -most)):
        value = default if c[name] is None else c[name]
        x = chosen(c, c.op("IsInf", x, dtype=BOOL, **{kind: 0}), c.scalar(value), x)
    return chosen(c, c.op("IsNaN", x, dtype=BOOL), c.scalar(c["nan"]), x)


@translates("isclose")
def _isclose(c: Call) -> Any:
    dtype = c.common("input", "other")
    first, second = c.value("input", dtype), c.value("other", dtype)
    near = c.op("Mul", c.op("Abs", second), c.scalar(c["rtol"], dtype))
    near = c.op("Add", near, c.scalar(c["atol"], dtype))
    made = c.op("LessOrEqual", c.op("Abs", c.op("Sub", first, second)), near, dtype=BOOL)
    made = c.op("Or", made, c.op("Equal", first, second, dtype=BOOL))
    if c["equal_nan"]:
        both = c.op("And", c.op("IsNaN", first, dtype=BOOL), c.op("IsNaN", second, dtype=BOOL))
        made = c.op("Or", made, both)
    return made


@translates("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
def _loss(c: Call) -> Any:
    away = c.op("Sub", c.value("input"), c.value("target"))
    if c.name == "mse_loss":
        made = c.op("Mul", away, away)
    else:
        made = c.op("Abs", away)
    if c.name in ("smooth_l1_loss", "huber_loss"):
        made = _rounded_off(c, away, made)
    kind = {"mean": "ReduceMean", "sum": "ReduceSum"}.get(c["reduction"])
    return made if kind is None else reduced(c, kind, made, list(range(_rank(c))))


def _rank(c: Call) -> int:
    return max(len(dims(c["input"])), len(dims(c["target"])))


def _rounded_off(c: Call, away: Any, distance: Any) -> Any:
    """Return a loss that is a parabola near zero."""
    edge = c.number("beta" if c.name == "smooth_l1_loss" else "delta")
    half = c.op("Mul", c.op("Mul", away, away), c.scalar(0.5))
    far = c.op("Sub", distance, c.scalar(0.5 * edge))
    if c.name == "smooth_l1_loss":
        near = c.op("Div", half, c.scalar(edge)) if edge else half
    else:
        near, far = half, c.op("Mul", far, c.scalar(edge))
    return chosen(c, c.op("Less", distance, c.scalar(edge), dtype=BOOL), near, far)
