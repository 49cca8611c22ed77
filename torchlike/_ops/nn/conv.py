"""Convolutions.

The kernels move channels to the last dim, the layout that XLA's CPU backend runs fastest. The moves of adjacent
operators cancel.
"""

from __future__ import annotations

from torchlike import _errors
from torchlike._ops.nn.conv_forms import convolve
from torchlike._ops.nn.windows import channels_last, channels_second, expand, padding_pairs
from torchlike._ops.schema import flops
from torchlike._ops.schema.autocast_policies import LOWER
from torchlike._ops.schema.checks import EMPTY, NUMBERS
from torchlike._ops.schema.declare import Array, in_float32, operator
from torchlike._ops.schema.namespace import unrounded
from torchlike._ops.schema.typing_rules import Call


def _check(call: Call) -> None:
    _errors.convolution.check_convolution(call, int(call.op.name[4]))


def _shape(call: Call) -> list:
    x, w, n = call.input.shape, call.weight.shape, int(call.op.name[4])
    stride, dilation = expand(call.stride, n), expand(call.dilation, n)
    pads = padding_pairs(call.padding, tuple(w[2:]), dilation)
    sizes = [(s + sum(p) - d * (k - 1) - 1) // t + 1 for s, p, k, t, d in zip(x[-n:], pads, w[2:], stride, dilation)]
    return [(*x[: -n - 1], w[0], *sizes)]


def _node(call: Call) -> str:
    return "SqueezeBackward1" if call.input.ndim == int(call.op.name[4]) + 1 else "ConvolutionBackward0"


def _convolution(count: int):
    def kernel(
        input: Array,
        weight: Array,
        bias: Array | None = None,
        stride: tuple | int = 1,
        padding: tuple | int | str = 0,
        dilation: tuple | int = 1,
        groups: int = 1,
    ):
        input, weight, bias = unrounded(input, weight, bias)
        strides, dilations = expand(stride, count), expand(dilation, count)
        pads = padding_pairs(padding, weight.shape[2:], dilations)
        x = channels_last(input if input.ndim == count + 2 else input[None])
        w = weight.transpose(*range(2, weight.ndim), 1, 0)
        out = convolve(x, w, strides, pads, dilations, groups)
        out = channels_second(out if bias is None else out + bias)
        return out if input.ndim == count + 2 else out[0]

    size = ", ".join(["4"] * count)
    result = ", ".join(["2"] * count)
    kernel.__doc__ = f"""Convolve the last {count} dims of (N, C, ...) or (C, ...) with a kernel.

    out[n, o, i...] = bias[o] + sum over c and k of weight[o, c, k...] input[n, c, i * stride + k * dilation - padding]

    Args:
      input: (N, C, d1, ...) or (C, d1, ...).
      weight: (O, C / groups, k1, ...).
      bias: (O,).
      stride, padding, dilation: a number, or one number per dim. Padding "same" keeps the size; "valid" is 0.
      groups: the number of channel groups, which are convolved separately. It divides C and O.

    Returns:
      (N, O, e1, ...) or (O, e1, ...), with e = floor((d + 2 padding - dilation (k - 1) - 1) / stride) + 1.

    Raises:
      RuntimeError: the numbers of channels do not fit, a kernel is larger than the padded input, or the padding is
        "same" with a stride greater than 1.

    >>> import torchlike as torch
    >>> weight = torch.ones(2, 1, {", ".join(["3"] * count)})
    >>> torch.nn.functional.conv{count}d(torch.ones(1, 1, {size}), weight).shape
    torch.Size([1, 2, {result}])
    """
    kernel.__name__ = f"conv{count}d"
    return operator(
        autocast=LOWER,
        where=("torch", "nn.functional"),
        shape=_shape,
        check=_check,
        saves=("input", "weight"),
        formats=lambda call: 2 * (call.input.ndim == count + 2),
        remembers=("all",),
        out=False,
        opmath=False,
        node=_node,
        fused=True,
        flops=flops.convolution,
        host=in_float32,
        loop="compute_columns3d" if count == 3 else "slow_conv2d_cpu",
        takes=(*NUMBERS, EMPTY),
    )(kernel)


conv1d, conv2d, conv3d = _convolution(1), _convolution(2), _convolution(3)
