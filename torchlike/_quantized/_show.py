"""The `repr` of quantized tensors."""

from __future__ import annotations

from typing import Any

from torchlike._quantized import _tensor as t
from torchlike._tensor import printing

_INDENT = len("tensor(")


def text(x: Any) -> str:
    """Return PyTorch's `repr` of a quantized tensor, character by character."""
    shown = printing.numbers(t.dequantized(x)._host(), _INDENT)
    suffixes = [f"size={tuple(x.shape)}"]
    if x.device.type != "cpu":
        suffixes.append(f"device='{x.device}'")
    suffixes += [f"dtype={x.dtype}", f"quantization_scheme={x._quantizer.scheme}"]
    if isinstance(x._quantizer, t.PerTensor):
        suffixes += [f"scale={x._quantizer.scale}", f"zero_point={x._quantizer.zero_point}"]
    else:
        scales, zeros, axis = x._quantizer.scales, x._quantizer.zero_points, x._quantizer.axis
        suffixes += [f"scale={scales}", f"zero_point={zeros}", f"axis={axis}"]
    return printing.with_suffixes("tensor(" + shown, suffixes, _INDENT)
