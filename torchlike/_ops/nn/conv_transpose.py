"""Transposed convolutions: the gradient of a convolution with respect to its input, as an operator."""

from __future__ import annotations

from torchlike import _errors
from torchlike._dtypes import int64
from torchlike._ops.nn.conv_forms import transposed
from torchlike._ops.nn.windows import channels_last, channels_second, expand
from torchlike._ops.schema import flops
from torchlike._ops.schema.autocast_policies import LOWER
from torchlike._ops.schema.checks import INEXACT
from torchlike._ops.schema.declare import Array, operator
from torchlike._ops.schema.namespace import namespace, unrounded
from torchlike._ops.schema.typing_rules import Call


def _dims(call: Call) -> int:
    return int(call.op.name[len("conv_transpose")])


def _sizes(call: Call) -> list[int]:
    n, w = _dims(call), call.weight.shape
    each = zip(
        call.input.shape[-n:],
        w[2:],
        expand(call.stride, n),
        expand(call.padding, n),
        expand(call.output_padding, n),
        expand(call.dilation, n),
    )
    return [(size - 1) * s - 2 * p + d * (k - 1) + extra + 1 for size, k, s, p, extra, d in each]


def _check(call: Call) -> None:
    _errors.convolution.check_transposed(call, _dims(call), _sizes(call))


def _shape(call: Call) -> list:
    return [(*call.input.shape[: -_dims(call) - 1], call.weight.shape[1] * call.groups, *_sizes(call))]


def _node(call: Call) -> str:
    return "SqueezeBackward1" if call.input.ndim == _dims(call) + 1 else "ConvolutionBackward0"


def _transposed(count: int):
    def kernel(
        input: Array,
        weight: Array,
        bias: Array | None = None,
        stride: tuple | int = 1,
        padding: tuple | int = 0,
        output_padding: tuple | int = 0,
        groups: int = 1,
        dilation: tuple | int = 1,
    ):
        input, weight, bias = unrounded(input, weight, bias)
        strides, dilations = expand(stride, count), expand(dilation, count)
        pads = tuple((-p, extra - p) for p, extra in zip(expand(padding, count), expand(output_padding, count)))
        x = channels_last(input if input.ndim == count + 2 else input[None])
        out = transposed(x, namespace(weight).moveaxis(weight, (0, 1), (-2, -1)), strides, pads, dilations, groups)
        out = channels_second(out if bias is None else out + bias)
        return out if input.ndim == count + 2 else out[0]

    size = ", ".join(["4"] * count)
    result = ", ".join(["6"] * count)
    kernel.__doc__ = f"""Compute the transpose of `conv{count}d`: each input element adds a scaled kernel to the output.

    Args:
      input: (N, C, d1, ...) or (C, d1, ...).
      weight: (C, O / groups, k1, ...).
      bias: (O,).
      stride, padding: as of the transposed convolution, a number or one number per dim. `padding` cuts off elements.
      output_padding: the number of additional elements at the end of each dim, less than `stride` or `dilation`.
      groups: the number of channel groups, which are convolved separately. It divides C.
      dilation: the distance of the elements of the kernel.

    Returns:
      (N, O, e1, ...) or (O, e1, ...), with e = (d - 1) stride - 2 padding + dilation (k - 1) + output_padding + 1.

    Raises:
      RuntimeError: the numbers of channels do not fit, or `output_padding` is too large.

    >>> import torchlike as torch
    >>> weight = torch.ones(1, 2, {", ".join(["3"] * count)})
    >>> torch.nn.functional.conv_transpose{count}d(torch.ones(1, 1, {size}), weight).shape
    torch.Size([1, 2, {result}])
    """
    kernel.__name__ = f"conv_transpose{count}d"
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
        flops=flops.transposed_convolution,
        takes=(*INEXACT, int64),
        loop=f"slow_conv_transpose{max(count, 2)}d_out_cpu",
    )(kernel)


conv_transpose1d, conv_transpose2d, conv_transpose3d = _transposed(1), _transposed(2), _transposed(3)
