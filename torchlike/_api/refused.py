"""PyTorch names that belong to unsupported kinds of tensors. Access to one raises an error that names the kind.

The error is also an AttributeError, so that `hasattr` returns False.
"""

from __future__ import annotations

import re

from torchlike import _errors, _quantized

KINDS = {
    "quantized tensors": re.compile(
        r"(?!_quantized$|quantization$|dequantize$|fake_quantize_per_(tensor|channel)_affine$).*quanti[sz].*"
        r"|q_\w+|qu?int\d+(x\d+)?|int_repr|qscheme|per_(tensor|channel)_affine|.*Q\w*Int\w+Storage"
    ),
    "nested tensors": re.compile(r"_nested\w*"),
}


def refuse(place: str, name: str) -> None:
    """Raise if `name` belongs to an unsupported kind of tensors."""
    for kind, names in KINDS.items():
        if name not in _quantized.FUNCTIONS and names.fullmatch(name):
            raise _errors.arguments.kind_unsupported(f"{place}.{name}", kind)
