"""Pointwise functions of two operands. The masks of two masked tensors must be equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import adopt, plainly
from torchlike.masked.maskedtensor.core import MaskedTensor, is_masked_tensor, masked_like, masks_match

__all__: list[str] = []

BINARY_NAMES = [
    *("add", "atan2", "arctan2", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift"),
    *("bitwise_right_shift", "div", "divide", "floor_divide", "fmod", "logaddexp", "logaddexp2", "mul", "multiply"),
    *("nextafter", "remainder", "sub", "subtract", "true_divide", "eq", "ne", "le", "ge", "greater", "greater_equal"),
    *("gt", "less_equal", "lt", "less", "maximum", "minimum", "fmax", "fmin", "not_equal"),
]
_OUT_OF_PLACE = ("logaddexp", "logaddexp2", "fmin", "minimum", "maximum", "fmax")
INPLACE_BINARY_NAMES = [name + "_" for name in BINARY_NAMES if name not in _OUT_OF_PLACE]


def binary(func: Callable, name: str, args: tuple, kwargs: dict, writes: bool) -> MaskedTensor:
    """Call a pointwise function of two operands. At least one is a masked tensor.

    Raises:
      ValueError: An argument is given by name, or the masks differ.
    """
    if kwargs:
        raise ValueError("len(kwargs) must equal 0")
    if not masks_match(*args[:2]):
        raise ValueError("Input masks must match. If you need support for this, please open an issue on Github.")
    mask = next(each.get_mask() for each in args[:2] if is_masked_tensor(each))
    left, right = args[:2]
    if writes:
        if not is_masked_tensor(left):
            raise AttributeError(f"'{type(left).__name__}' object has no attribute '_set_data_mask'")
        other = adopt(Tensor, right) if is_masked_tensor(right) else right
        return plainly(func, (left, other, *args[2:]), {}, [left])
    shape = torchlike.broadcast_shapes(*(each.shape for each in (left, right) if isinstance(each, Tensor)))
    mask = mask.expand(shape)
    return masked_like(func(_operand(left, mask), _operand(right, mask), *args[2:]), mask)


def _operand(given: Any, mask: Tensor) -> Any:
    """Return an operand without its mask.

    A plain tensor receives no gradient from the elements that the mask hides.
    """
    if is_masked_tensor(given):
        return adopt(Tensor, given)
    if isinstance(given, Tensor) and given.requires_grad:
        return torchlike.where(mask, given, given.detach())
    return given
