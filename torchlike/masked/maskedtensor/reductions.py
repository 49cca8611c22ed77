"""Reductions of masked tensors, which take the elements that the mask selects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import Tensor
from torchlike._internal import adopt
from torchlike.masked import _ops
from torchlike.masked.maskedtensor.core import MaskedTensor
from torchlike.masked.maskedtensor.creation import as_masked_tensor

__all__: list[str] = []

REDUCE_NAMES = ["sum", "mean", "amin", "amax", "argmin", "argmax", "prod", "all", "norm", "var", "std"]
_WITH_DTYPE = ("sum", "mean", "prod")
_ONE_DIM = ("argmin", "argmax", "prod")


def reduce(func: Callable, name: str, args: tuple, kwargs: dict) -> MaskedTensor:
    """Call a reduction. An element of the result is valid if at least one of its elements is."""
    if name == "norm":
        kwargs = {"p": "fro", **kwargs}  # PyTorch always passes `p`, which is not accepted
    input: Any = args[0] if args else kwargs["input"]
    mask = input.get_mask()
    if len(args) == 1 and not kwargs:
        return as_masked_tensor(_reduced(name, input), mask.any())
    _, dim, keepdim, dtype = _reduce_dim_args(*args, **kwargs)
    if (name in _ONE_DIM and not isinstance(dim, int)) or (name not in _WITH_DTYPE and dtype is not None):
        func(adopt(Tensor, input), *args[1:], **kwargs)  # raises TypeError
    dims = dim if isinstance(dim, int) else tuple(dim)
    given = {"dim": dims, "keepdim": keepdim, **({"dtype": dtype} if name in _WITH_DTYPE else {})}
    return as_masked_tensor(_reduced(name, input, **given), mask.any(dim=dims, keepdim=keepdim))


def _reduced(name: str, input: MaskedTensor, **given: Any) -> Tensor:
    if name == "all":
        return input.to_tensor(True).all(**given)
    return getattr(_ops, name)(input, mask=input.get_mask(), **given)


def _reduce_dim_args(input: Any, dim: Any, keepdim: bool = False, dtype: Any = None) -> tuple:
    return input, dim, keepdim, dtype
