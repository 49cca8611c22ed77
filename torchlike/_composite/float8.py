"""Conversions and matrix products of eight-bit dtypes. They have no derivative."""

from __future__ import annotations

from torchlike import _dtypes, _errors
from torchlike._dtypes import dtype as Dtype
from torchlike._ops.schema.out_rules import CASTABLE
from torchlike._tensor import public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.out import into
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.underived import underivable


def dequantize(input: Tensor) -> Tensor:
    """Return the tensor in float32. For a quantized tensor, return the real numbers that it represents."""
    return underivable("dequantize", lambda x: x.to(_dtypes.float32), input)


def _scaled_mm(
    input: Tensor,
    mat2: Tensor,
    scale_a: Tensor,
    scale_b: Tensor,
    bias: Tensor | None = None,
    scale_result: Tensor | None = None,
    out_dtype: Dtype | None = None,
    use_fast_accum: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Multiply two eight-bit matrices, each times its scale. Sum in float32 and round once.

    Args:
      input: (n, k), of an eight-bit dtype.
      mat2: (k, m), of an eight-bit dtype.
      scale_a, scale_b: float32 scales, either one number each, or one per row (n, 1) and one per column (1, m).
      bias: (m,), added to the scaled product.
      scale_result: one float32 number, by which an eight-bit result is divided.
      out_dtype: the dtype of the result; by default that of `input`.
      use_fast_accum: permits less precise sums on GPUs; ignored, since sums are in float32.
    """
    _errors.linalg.check_scaled(input, mat2, scale_a, scale_b, bias, scale_result)
    dtype = out.dtype if out is not None else out_dtype or input.dtype

    def product(a: Tensor, b: Tensor, *bias: Tensor) -> Tensor:
        made = (a.float() * scale_a) @ (b.float() * scale_b)
        for each in bias:
            made = made + each.float()
        if scale_result is not None and dtype in _dtypes.FLOAT8:
            made = made / scale_result
        return made.to(dtype)

    biases = () if bias is None else (bias,)
    made = underivable("aten::_scaled_mm", product, input, mat2, *biases)
    return made if out is None else into("_scaled_mm", lambda: made, (), {}, out, CASTABLE)


def _int_mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply two int8 matrices and accumulate in int32. The first one may also be uint8."""
    _errors.linalg.check_int_mm(input, mat2, out)
    made = rows["mm"](input.to(_dtypes.int32), mat2.to(_dtypes.int32))
    return made if out is None else into("_int_mm", lambda: made, (), {}, out, CASTABLE)


FUNCTIONS = public_calls.functions(_scaled_mm, _int_mm)
METHODS = public_calls.methods(dequantize)
