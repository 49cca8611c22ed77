"""Pointwise functions of one masked tensor, which keep its mask."""

from __future__ import annotations

from collections.abc import Callable

from torchlike import Tensor
from torchlike._internal import adopt, plainly
from torchlike.masked.maskedtensor.core import MaskedTensor, masked_like

__all__: list[str] = []

UNARY_NAMES = [
    *("abs", "absolute", "acos", "arccos", "acosh", "arccosh", "angle", "asin", "arcsin", "asinh", "arcsinh", "atan"),
    *("arctan", "atanh", "arctanh", "bitwise_not", "ceil", "clamp", "clip", "conj_physical", "cos", "cosh", "deg2rad"),
    *("digamma", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "fix", "floor", "frac", "lgamma", "log", "log10"),
    *("log1p", "log2", "logit", "i0", "isnan", "nan_to_num", "neg", "negative", "positive", "pow", "rad2deg"),
    *("reciprocal", "round", "rsqrt", "sigmoid", "sign", "sgn", "signbit", "sin", "sinc", "sinh", "sqrt", "square"),
    *("tan", "tanh", "trunc"),
]
INPLACE_UNARY_NAMES = [name + "_" for name in UNARY_NAMES if name not in ("angle", "positive", "signbit", "isnan")]
_OF_PYTHON = ("clamp", "clip")  # their bounds may be given by name


def unary(func: Callable, name: str, args: tuple, kwargs: dict, writes: bool) -> MaskedTensor:
    """Call a pointwise function of one masked tensor.

    Raises:
      ValueError: An argument is given by name.
      TypeError: An argument after the first is a tensor.
    """
    if kwargs and name not in _OF_PYTHON:
        raise ValueError(
            "MaskedTensor unary ops require that len(kwargs) == 0. "
            "If you need support for this, please open an issue on Github."
        )
    if any(isinstance(each, Tensor) for each in (*args[1:], *kwargs.values())):
        raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
    first = args[0]
    if writes:
        return plainly(func, args, kwargs, [first])
    return masked_like(func(adopt(Tensor, first), *args[1:], **kwargs), first.get_mask())
