"""Convolutions. Channels are moved last inside: that is how XLA's CPU code runs them fastest, and neighbouring
operators that do the same cancel the moves."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
from jax import lax

from torchlike import _errors
from torchlike._ops._casts import LOWER
from torchlike._ops._checks import EMPTY, NUMBERS
from torchlike._ops._declare import Array, operator
from torchlike._ops._namespace import unrounded
from torchlike._ops._products import rows_times
from torchlike._ops._rules import Call

Ints = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]
_FEW_COLUMNS = 64  # up to here a convolution is one product with all shifted copies side by side


def expand(value, count: int) -> Ints:
    """One number for each of `count` dims."""
    return tuple(value) * (count if len(value) == 1 else 1) if isinstance(value, tuple | list) else (value,) * count


def padding_pairs(padding, kernel: Ints, dilation: Ints) -> Pairs:
    """(before, after) for each dim; "same" keeps the size, with the odd one after."""
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding == "same":
        total = [d * (k - 1) for d, k in zip(dilation, kernel)]
        return tuple((t // 2, t - t // 2) for t in total)
    return tuple((p, p) for p in expand(padding, len(kernel)))


def channels_last(x):
    """(N, C, d1, ...) -> (N, d1, ..., C)."""
    return jnp.moveaxis(x, 1, -1)


def channels_second(x):
    """(N, d1, ..., C) -> (N, C, d1, ...)."""
    return jnp.moveaxis(x, -1, 1)


# -- kernels over (N, d1, ..., C) and (k1, ..., C, O) ------------------------------------------------------------------


def windows(x, kernel: Ints, stride: Ints, dilation: Ints) -> list:
    """For each place in the kernel, the elements of `x` (padded already) that meet it: (N, o1, ..., C) each."""
    spans = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[1:-1], kernel, stride, dilation)]
    found = []
    for place in _places(kernel):
        cut = tuple(slice(i * d, i * d + (o - 1) * s + 1, s) for i, o, s, d in zip(place, spans, stride, dilation))
        found.append(x[(slice(None), *cut)])
    return found


def _places(kernel: Ints) -> list[Ints]:
    places: list[Ints] = [()]
    for k in kernel:
        places = [(*p, i) for p in places for i in range(k)]
    return places


def padded(x, pads: Pairs, fill: float = 0):
    """`x` with its middle dims padded."""
    if all(p == (0, 0) for p in pads):
        return x
    return lax.pad(x, jnp.asarray(fill, x.dtype), [(0, 0, 0), *[(a, b, 0) for a, b in pads], (0, 0, 0)])


def plain(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int, stretch: Ints | None = None):
    """XLA's convolution; `stretch` puts zeros between the elements of x."""
    d = "DHW"[3 - len(stride) :]
    spec = (f"N{d}C", f"{d}IO", f"N{d}C")
    return lax.conv_general_dilated(x, w, stride, pads, lhs_dilation=stretch, rhs_dilation=dilation,
                                    dimension_numbers=spec, feature_group_count=groups)  # fmt: skip


def by_columns(x, w, stride: Ints, pads: Pairs, dilation: Ints):
    """One matrix product: every window as a row."""
    *kernel, _, outputs = w.shape
    columns = jnp.concatenate(windows(padded(x, pads), tuple(kernel), stride, dilation), -1)
    return rows_times(columns, w.reshape(-1, outputs))


def convolve(x, w, stride: Ints, pads: Pairs, dilation: Ints, groups: int):
    """The convolution in whichever form is fastest here."""
    is_narrow = groups == 1 and math.prod(w.shape[:-1]) <= _FEW_COLUMNS
    if is_narrow and x.size and x.dtype.kind == "f" and jax.default_backend() == "cpu":
        return by_columns(x, w, stride, pads, dilation)
    return plain(x, w, stride, pads, dilation, groups)


# -- rows --------------------------------------------------------------------------------------------------------------


def _check(call: Call) -> None:
    _errors.convolution.check_convolution(call, int(call.op.name[4]))


def _shape(call: Call) -> list:
    x, w, n = call.input.shape, call.weight.shape, int(call.op.name[4])
    stride, dilation = expand(call.stride, n), expand(call.dilation, n)
    pads = padding_pairs(call.padding, tuple(w[2:]), dilation)
    sizes = [(s + sum(p) - d * (k - 1) - 1) // t + 1
             for s, p, k, t, d in zip(x[-n:], pads, w[2:], stride, dilation)]  # fmt: skip
    return [(*x[: -n - 1], w[0], *sizes)]


def _node(call: Call) -> str:
    return "SqueezeBackward1" if call.input.ndim == int(call.op.name[4]) + 1 else "ConvolutionBackward0"


def _convolution(count: int):
    def kernel(input: Array, weight: Array, bias: Array | None = None, stride: tuple | int = 1,
               padding: tuple | int | str = 0, dilation: tuple | int = 1, groups: int = 1):  # fmt: skip
        input, weight, bias = unrounded(input, weight, bias)
        strides, dilations = expand(stride, count), expand(dilation, count)
        pads = padding_pairs(padding, weight.shape[2:], dilations)
        x = channels_last(input if input.ndim == count + 2 else input[None])
        w = jnp.moveaxis(weight, (0, 1), (-1, -2))
        out = convolve(x, w, strides, pads, dilations, groups)
        out = channels_second(out if bias is None else out + bias)
        return out if input.ndim == count + 2 else out[0]

    kernel.__doc__ = f"""Slide a kernel over the last {count} dims of (N, C, ...) or (C, ...).

    out[n, o, i...] = bias[o] + sum over c and k of weight[o, c, k...] input[n, c, i * stride + k * dilation - padding]

    Args:
      input: (N, C, d1, ...) or (C, d1, ...).
      weight: (O, C / groups, k1, ...).
      bias: (O,).
      stride, padding, dilation: one number, or one for each dim. padding "same" keeps the size, "valid" is 0.
      groups: input and output channels are split into this many parts, each convolved by itself.
    """
    kernel.__name__ = f"conv{count}d"
    return operator(autocast=LOWER, where=("torch", "nn.functional"), shape=_shape, check=_check,
                    saves=("input", "weight"), formats=2, remembers=("all",), out=False,
                    opmath=False, node=_node, numpy=False, fused=True,
                    loop="compute_columns3d" if count == 3 else "slow_conv2d_cpu",
                    takes=(*NUMBERS, EMPTY))(kernel)  # fmt: skip


conv1d, conv2d, conv3d = _convolution(1), _convolution(2), _convolution(3)
