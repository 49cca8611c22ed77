"""Matrix products."""

from __future__ import annotations

from torchlike import _errors
from torchlike._ops._declare import Array, namespace, operator
from torchlike._ops._rules import Call, broadcast


def _product_shape(call: Call) -> list:
    a, b = call.arrays[0].shape, call.arrays[1].shape
    rows = a[-2:-1] if len(a) > 1 else ()
    columns = b[-1:] if len(b) > 1 else ()
    return [broadcast([a[:-2], b[:-2]]) + tuple(rows) + tuple(columns)]


def _check_matmul(call: Call) -> None:
    a, b = call.arrays
    _errors.check_matmul(a, b)


@operator(shape=_product_shape, check=_check_matmul, opmath=False)
def matmul(input: Array, other: Array):
    """The matrix product; (..., n, k) @ (..., k, m) -> (..., n, m), vectors as in NumPy."""
    return namespace(input).matmul(input, other)


def _linear_shape(call: Call) -> list:
    return [tuple(call.input.shape[:-1]) + tuple(call.weight.shape[:-1])]


def _linear_node(call: Call) -> str:
    if call.input.ndim == 2:
        return "MmBackward0" if call.bias is None else "AddmmBackward0"
    if call.bias is not None:
        return "ViewBackward0"
    return "UnsafeViewBackward0" if call.input.ndim > 2 else "SqueezeBackward4"


@operator(shape=_linear_shape, check=_errors.check_linear, saves=("input", "weight"), opmath=False,
          where=("nn.functional",), node=_linear_node)  # fmt: skip
def linear(input: Array, weight: Array, bias: Array | None = None):
    """input @ weight.T + bias; (..., k), (n, k), (n) -> (..., n)."""
    xp = namespace(input)
    out = xp.matmul(input, weight.T)
    return out if bias is None else out + bias
