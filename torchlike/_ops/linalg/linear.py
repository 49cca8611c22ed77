"""Bilinear maps. The linear map is defined in `matmul.py`."""

from __future__ import annotations

from torchlike import _errors
from torchlike._ops.schema.autocast_policies import WIDEST_ELSEWHERE
from torchlike._ops.schema.declare import Array, Kept, namespace, operator
from torchlike._ops.schema.rounding import stepwise
from torchlike._ops.schema.typing_rules import Call, broadcast


def _shape(call: Call) -> list:
    shape = (*call.input1.shape[:-1], *call.weight.shape[:1])
    return [shape if call.bias is None else broadcast([shape, call.bias.shape])]


def _check(call: Call) -> None:
    a, b, w = call.input1, call.input2, call.weight
    if a.ndim != b.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {a.ndim} and {b.ndim}")
    for dim in range(a.ndim - 1):
        if a.shape[dim] != b.shape[dim]:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {dim}: got {a.shape[dim]} and {b.shape[dim]}"
            )
    if w.ndim > 3:
        raise RuntimeError("number of dimensions must match")
    for name, x, wanted in (("input1", a, w.shape[1]), ("input2", b, w.shape[2])):
        if x.shape[-1] != wanted:
            raise RuntimeError(
                f"bilinear(): {name} size does not match weight size: got {x.shape[-1]} but expected {wanted}"
            )
    if call.bias is not None and call.bias.shape[0] != w.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {call.bias.shape[0]} but expected {w.shape[0]}"
        )
    if len({x.dtype for x in call.arrays}) > 1:
        raise _errors.activations.bilinear_dtypes(call)


@operator(
    autocast=WIDEST_ELSEWHERE,
    where=("torch", "nn.functional"),
    shape=_shape,
    check=_check,
    saves=("input1", "input2", "weight"),
    remembers=("inputs", Kept("input1", "view"), Kept("input2", "view")),
    out=False,
    opmath=False,
    node=lambda call: "ViewBackward0" if call.bias is None else "AddBackward0",
    loop="bmm",
)
def bilinear(input1: Array, input2: Array, weight: Array, bias: Array | None = None):
    """Return x1 W_i x2 + bias_i for each of the n matrices W_i of `weight`.

    Args:
      input1: (..., k1).
      input2: (..., k2).
      weight: (n, k1, k2).
      bias: (n,).

    Returns:
      (..., n).
    """
    (step, x1, x2, weight, bias), xp = stepwise(input1, input2, weight, bias), namespace(input1)
    left = step(xp.einsum("...i,nij->...nj", x1, weight))
    out = step(xp.sum(left * x2[..., None, :], axis=-1))
    return out if bias is None else out + bias
