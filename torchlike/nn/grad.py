"""Gradients of convolutions with respect to the input and to the weight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import Tensor
from torchlike._internal import grad, modes
from torchlike.nn import functional as F

Options = dict[str, Any]


def _gradient(conv: Callable, of: Tensor, input: Tensor, weight: Tensor, grad_output: Tensor, options: Options) -> Any:
    keeps = modes.local.grad and any(x.requires_grad for x in (input, weight, grad_output) if x is not of)
    with modes.enable_grad():
        out = conv(input, weight, None, **options)
    return grad(out, of, grad_output, create_graph=keeps)[0]


def _pair(conv: Callable) -> tuple[Callable, Callable]:
    def of_input(
        input_size: Any,
        weight: Tensor,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        input = grad_output.new_zeros(*input_size)._require_grad()
        options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return _gradient(conv, input, input, weight, grad_output, options)

    def of_weight(
        input: Tensor,
        weight_size: Any,
        grad_output: Tensor,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:
        weight = grad_output.new_zeros(*weight_size)._require_grad()
        options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return _gradient(conv, weight, input, weight, grad_output, options)

    for function, what in ((of_input, "input"), (of_weight, "weight")):
        function.__name__ = function.__qualname__ = f"{conv.__name__}_{what}"
        function.__doc__ = f"Compute the gradient of `{conv.__name__}` with respect to its {what}."
    return of_input, of_weight


conv1d_input, conv1d_weight = _pair(F.conv1d)
conv2d_input, conv2d_weight = _pair(F.conv2d)
conv3d_input, conv3d_weight = _pair(F.conv3d)
