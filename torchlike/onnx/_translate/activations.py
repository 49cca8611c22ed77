"""Activation functions."""

from __future__ import annotations

import math
from typing import Any

from torchlike.onnx._calls import BOOL, Call, dims, translates


@translates("gelu")
def _gelu(c: Call) -> Any:
    x, mode = c.value("input"), c["approximate"]
    if c.b.opset >= 20:
        return c.op("Gelu", x, approximate=None if mode == "none" else mode)
    if mode == "none":
        inner = c.op("Erf", c.op("Mul", x, c.scalar(math.sqrt(0.5))))
    else:
        cube = c.op("Mul", c.op("Pow", x, c.scalar(3)), c.scalar(0.044715))
        inner = c.op("Tanh", c.op("Mul", c.op("Add", x, cube), c.scalar(math.sqrt(2 / math.pi))))
    return c.op("Mul", c.op("Mul", x, c.scalar(0.5)), c.op("Add", inner, c.scalar(1)))


@translates("silu")
def _silu(c: Call) -> Any:
    return c.op("Mul", c.value("input"), c.op("Sigmoid", c.value("input")))


@translates("mish")
def _mish(c: Call) -> Any:
    return c.op("Mish", c.value("input"))


@translates("_hardsigmoid")
def _hardsigmoid(c: Call) -> Any:
    return c.op("HardSigmoid", c.value("input"), alpha=1 / 6, beta=0.5)


@translates("_hardswish")
def _hardswish(c: Call) -> Any:
    return c.op("HardSwish", c.value("input"))


@translates("_hardtanh")
def _hardtanh(c: Call) -> Any:
    return c.op("Clip", c.value("input"), c.value("min_val"), c.value("max_val"))


@translates("_leaky_relu")
def _leaky_relu(c: Call) -> Any:
    return c.op("LeakyRelu", c.value("input"), alpha=float(c.number("negative_slope")))


@translates("_elu")
def _elu(c: Call) -> Any:
    return c.op("Elu", c.value("input"), alpha=float(c.number("alpha")))


@translates("_celu")
def _celu(c: Call) -> Any:
    return c.op("Celu", c.value("input"), alpha=float(c.number("alpha")))


@translates("_selu")
def _selu(c: Call) -> Any:
    return c.op("Selu", c.value("input"))


@translates("_threshold")
def _threshold(c: Call) -> Any:
    x = c.value("input")
    above = c.op("Greater", x, c.value("threshold"), dtype=BOOL)
    return c.op("Where", above, x, c.value("value"), dtype=c.dtype)


@translates("softplus")
def _softplus(c: Call) -> Any:
    x, beta = c.value("input"), c.number("beta")
    if beta == 1:
        return c.op("Softplus", x)
    return c.op("Div", c.op("Softplus", c.op("Mul", x, c.scalar(beta))), c.scalar(beta))


@translates("logsigmoid")
def _logsigmoid(c: Call) -> Any:
    return c.op("Neg", c.op("Softplus", c.op("Neg", c.value("input"))))


@translates("hardshrink", "softshrink")
def _shrink(c: Call) -> Any:
    limit = float(c.number("lambd"))
    return c.op("Shrink", c.value("input"), lambd=limit, bias=limit if c.name == "softshrink" else 0.0)


@translates("tanhshrink")
def _tanhshrink(c: Call) -> Any:
    return c.op("Sub", c.value("input"), c.op("Tanh", c.value("input")))


@translates("prelu")
def _prelu(c: Call) -> Any:
    x, slope = c.value("input"), c.value("weight")
    if len(dims(x)) > 2 and dims(slope) and dims(slope) != (1,):
        slope = c.op("Unsqueeze", slope, c.b.ints(range(1, len(dims(x)) - 1)))  # channels are dim 1
    return c.op("PRelu", x, slope)


@translates("glu")
def _glu(c: Call) -> Any:
    first, second = c.b.several("Split", c.value("input"), dtypes=[c.dtype] * 2, axis=c["dim"], num_outputs=2)
    return c.op("Mul", first, c.op("Sigmoid", second))


@translates("_softmax")
def _softmax(c: Call) -> Any:
    return c.op("Softmax", c.value("input"), axis=c["dim"])


@translates("_log_softmax")
def _log_softmax(c: Call) -> Any:
    return c.op("LogSoftmax", c.value("input"), axis=c["dim"])
