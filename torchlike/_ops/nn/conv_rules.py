"""How the interpreter runs convolutions of gradients with NumPy.

Without these rules, each convolution of a gradient would be compiled separately when a network trains for the first
time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike._engine.interpreter.rules import Equation, is_half, rule
from torchlike._engine.interpreter.sums import total
from torchlike._ops.nn.conv_forms import convolve
from torchlike._ops.nn.windows import Ints, padded, places, spans, windows


@rule("conv_general_dilated")
def _convolution(e: Equation) -> Callable:
    (x, w), out = e.inputs, e.outputs[0]
    numbers, groups = e.params["dimension_numbers"], e.params["feature_group_count"]
    if e.params["batch_group_count"] != 1:
        raise e.refuse("with groups of batches")
    if not (out.dtype.kind == "f" or is_half(out.dtype)) or 0 in (*x.shape, *w.shape, *out.shape):
        raise e.refuse("of these dtypes or sizes")
    (batch, channel, *middle), (outputs, inputs, *kernel) = numbers.lhs_spec, numbers.rhs_spec
    turn_x, turn_w = (batch, *middle, channel), (*kernel, inputs, outputs)
    first, last, *between = numbers.out_spec
    turn_back = tuple(np.argsort((first, *between, last)))
    stride, pads = tuple(e.params["window_strides"]), tuple(map(tuple, e.params["padding"]))
    stretch, dilation = tuple(e.params["lhs_dilation"]), tuple(e.params["rhs_dilation"])
    stretch = None if max(stretch, default=1) == 1 else stretch
    wide = np.dtype(np.float32) if is_half(out.dtype) else out.dtype
    is_of_weights = groups == 1 and math.prod(out.shape[d] for d in between) < math.prod(w.shape[d] for d in kernel)
    none = ((0, 0),) * len(stride)

    def convolution(x: Any, w: Any) -> np.ndarray:
        x, w = (a.astype(wide, copy=False) for a in (x.transpose(turn_x), w.transpose(turn_w)))
        x = padded(x, pads, stretch=stretch)
        found: Any
        if is_of_weights:
            found = by_outputs(x, w, stride, dilation)
        else:
            found = convolve(x, w, stride, none, dilation, groups)
        return found.transpose(turn_back).astype(out.dtype, copy=False)

    return convolution


def by_outputs(x: np.ndarray, w: np.ndarray, stride: Ints, dilation: Ints) -> np.ndarray:
    """Convolve one group by one matrix product for each output position.

    The gradient of a convolution's weights is such a convolution: its kernel is the gradient of the result, and its few
    output positions are the elements of the weights.
    """
    *kernel, _, outputs = w.shape
    counts = spans(x.shape[1:-1], tuple(kernel), stride, dilation)
    turn = (x.ndim - 1, *range(1, x.ndim - 1), 0)  # the order in memory: a gradient of weights swaps N and C
    rows = w.transpose(w.ndim - 2, *range(w.ndim - 2), w.ndim - 1).reshape(-1, outputs)
    found = np.empty((x.shape[0], *counts, outputs), x.dtype)
    for place in places(counts):
        cut = tuple(slice(p * s, p * s + (k - 1) * d + 1, d) for p, s, k, d in zip(place, stride, kernel, dilation))
        columns = x[(slice(None), *cut)].transpose(turn).reshape(len(rows), len(x))
        found[(slice(None), *place)] = columns.T @ rows
    return found


@rule("torchlike_alone")
def _alone(e: Equation) -> Callable:
    stride, dilation = e.params["stride"], e.params["dilation"]

    def alone(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        copies, weights = windows(x, w.shape[:-1], stride, dilation), w.reshape(-1, w.shape[-1])
        found = copies[0] * weights[0]
        scratch = np.empty_like(found)
        for copy, weight in zip(copies[1:], weights[1:]):
            found += np.multiply(copy, weight, out=scratch)
        return found

    return alone


@rule("torchlike_alone_weights")
def _alone_weights(e: Equation) -> Callable:
    kernel, stride, dilation = e.params["kernel"], e.params["stride"], e.params["dilation"]
    shape = tuple(e.outputs[0].shape)

    def alone_weights(x: np.ndarray, change: np.ndarray) -> np.ndarray:
        axes = tuple(range(x.ndim - 1))
        sums = [total(copy * change, axes) for copy in windows(x, kernel, stride, dilation)]
        return np.stack(sums).reshape(shape)

    return alone_weights
