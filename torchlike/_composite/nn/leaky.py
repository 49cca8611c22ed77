"""Activations with a slope for negative elements. If it is negative, the in-place variants have no gradient."""

from __future__ import annotations

import functools

from torchlike import _errors
from torchlike._autograd.nodes import Refusal
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def elu_form(input: Tensor, alpha: float = 1.0, in_place: bool = False) -> Tensor:
    """Return the result of `elu`. `in_place`: the caller writes it to `input`."""
    return refused_below_zero(rows["_elu"](input, alpha, in_place), in_place, alpha, "elu")


def celu_form(input: Tensor, alpha: float = 1.0, in_place: bool = False) -> Tensor:
    """Return the result of `celu`. `in_place`: the caller writes it to `input`."""
    return refused_below_zero(rows["_celu"](input, alpha, in_place), in_place, alpha, "elu")


def leaky_relu_form(input: Tensor, negative_slope: float = 0.01, in_place: bool = False) -> Tensor:
    """Return the result of `leaky_relu`. `in_place`: the caller writes it to `input`."""
    made = rows["_leaky_relu"](input, negative_slope, in_place)
    return refused_below_zero(made, in_place, negative_slope, "leakyReLu")


def refused_below_zero(made: Tensor, in_place: bool, slope: float, name: str) -> Tensor:
    """Return `made`. If it is written in place and the slope is negative, a backward pass that reaches it raises.

    The sign of a result does not determine the sign of its input then. `name` is PyTorch's name for the error.
    """
    if in_place and slope < 0 and made._edge is not None:
        node = made._edge[0]
        error = functools.partial(_errors.autograd.negative_slope_in_place, name)
        made._edge = Refusal(error, node.edges, node.name()), 0
    return made
