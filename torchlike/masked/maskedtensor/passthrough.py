"""Functions that are applied to the data and to the mask: views, indexing and joining."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import Tensor
from torchlike._internal import adopt
from torchlike.masked.maskedtensor.core import MaskedTensor, is_masked_tensor, masked_like

__all__: list[str] = []

PASSED_THROUGH = (
    *("getitem", "select", "narrow", "transpose", "swapaxes", "swapdims", "t", "split", "split_method", "chunk"),
    *("split_with_sizes", "expand", "expand_as", "broadcast_to", "view", "view_as", "reshape", "reshape_as"),
    *("flatten", "unflatten", "ravel", "unsqueeze", "unfold", "fold", "cat", "stack", "hstack", "vstack", "dstack"),
    *(
        "tensor_split",
        "hsplit",
        "vsplit",
        "dsplit",
        "adjoint",
        "slice_copy",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "row_stack",
    ),
)


def pass_through(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Call a function on the data and on the masks, and return masked tensors of both results."""
    data = func(*_each(args, _data), **_of_names(kwargs, _data))
    mask = func(*_each(args, _mask), **_of_names(kwargs, _mask))
    return _joined(data, mask)


def _data(masked: MaskedTensor) -> Tensor:
    return adopt(Tensor, masked)


def _mask(masked: MaskedTensor) -> Tensor:
    return masked.get_mask()


def _each(given: Any, part: Callable[[MaskedTensor], Tensor]) -> Any:
    if is_masked_tensor(given):
        return part(given)
    if type(given) in (list, tuple):
        return type(given)(_each(each, part) for each in given)
    return given


def _of_names(kwargs: dict, part: Callable[[MaskedTensor], Tensor]) -> dict:
    return {name: _each(each, part) for name, each in kwargs.items()}


def _joined(data: Any, mask: Any) -> Any:
    if isinstance(data, list | tuple):
        return type(data)(_joined(*pair) for pair in zip(data, mask))
    return masked_like(data.clone(), mask)
