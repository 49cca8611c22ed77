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
        function.__doc__ = _doc(conv.__name__, what)
    return of_input, of_weight


def _doc(conv: str, what: str) -> str:
    """Return the docstring of a gradient. `what` is "input" or "weight"."""
    ones = ", ".join(["2"] * int(conv[4]))
    sizes, others = {
        "input": ("input_size: the shape of the input, (N, C, d1, ...).", "weight: (O, C / groups, k1, ...)."),
        "weight": ("input: (N, C, d1, ...).", "weight_size: the shape of the weight, (O, C / groups, k1, ...)."),
    }[what]
    x, w, grad = f"1, 1, {ones}", f"3, 1, {ones}", f"1, 3, {ones.replace('2', '1')}"
    call = f"({x}), torch.ones({w})" if what == "input" else f"torch.ones({x}), ({w})"
    return f"""Compute the gradient of `{conv}` with respect to its {what}.

    Args:
      {sizes}
      {others}
      grad_output: (N, O, e1, ...), the gradient of the result.
      stride, padding, dilation, groups: as given to `{conv}`.

    Returns:
      The gradient, of the shape of the {what}.

    >>> import torchlike as torch
    >>> torch.nn.grad.{conv}_{what}({call}, torch.ones({grad})).shape
    torch.Size([{x if what == "input" else w}])
    """


conv1d_input, conv1d_weight = _pair(F.conv1d)
conv2d_input, conv2d_weight = _pair(F.conv2d)
conv3d_input, conv3d_weight = _pair(F.conv3d)
