"""PyTorch names that belong to unsupported kinds of tensors. Access to one raises an error that names the kind.

The error is also an AttributeError, so that `hasattr` returns False.
"""

from __future__ import annotations

import re
from typing import Any

from torchlike import _errors

KINDS = {
    "quantized tensors": re.compile(
        r"(?!dequantize$|fake_quantize_per_(tensor|channel)_affine$).*quanti[sz].*"
        r"|q_\w+|qu?int\d+(x\d+)?|int_repr|qscheme|per_(tensor|channel)_affine|.*Q\w*Int\w+Storage"
    ),
    "nested tensors": re.compile(r"_?nested\w*"),
}
METHODS = (
    "int_repr",
    "qscheme",
    "q_scale",
    "q_zero_point",
    "q_per_channel_axis",
    "q_per_channel_scales",
    "q_per_channel_zero_points",
)


def refuse(place: str, name: str) -> None:
    """Raise if `name` belongs to an unsupported kind of tensors."""
    for kind, names in KINDS.items():
        if names.fullmatch(name):
            raise _errors.arguments.kind_unsupported(f"{place}.{name}", kind)


class RefusedMethod:
    """A descriptor for a method of an unsupported kind of tensors. Access to it raises."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, tensor: Any, owner: type) -> Any:
        refuse("Tensor", self._name)
