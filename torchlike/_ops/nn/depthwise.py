"""Depthwise convolutions, which convolve each channel separately, over (N, d1, ..., C) with weights (k1, ..., C).

XLA's CPU code for them takes ten to forty times as long as the sum of shifted copies of the input, each times its
weight, in one pass (docs/decisions/0051-convolution-forms.md has the figures). To control the passes of the gradients
as well, this module defines two primitives, whose gradients are these primitives again. `alone` is the convolution.
`alone_weights` is its gradient with respect to the weights. With stride 1, it reads memory once for all weights.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add, mul
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike import _native
from torchlike._engine.interpreter.rules import Equation, rule
from torchlike._engine.interpreter.sums import total
from torchlike._engine.xla.jax_private import (
    Primitive,
    ShapedArray,
    defbilinear,
    lower_fun,
    primitive_batchers,
    register_lowering,
)
from torchlike._ops.nn.windows import Ints, is_native, native_sizes, padded, spans, windows

alone_p, alone_weights_p = Primitive("torchlike_alone"), Primitive("torchlike_alone_weights")


def alone(x: Any, w: Any, stride: Ints, dilation: Ints) -> Any:
    """Return out[n, i, c] = sum over k of x[n, i stride + k dilation, c] w[k, c]."""
    if isinstance(x, np.ndarray):
        return _alone_on_host(x, w, stride, dilation)
    return alone_p.bind(x, w, stride=stride, dilation=dilation)


def alone_weights(x: Any, change: Any, kernel: Ints, stride: Ints, dilation: Ints) -> Any:
    """Return out[k, c] = sum over n and i of x[n, i stride + k dilation, c] change[n, i, c]."""
    return alone_weights_p.bind(x, change, kernel=kernel, stride=stride, dilation=dilation)


def _alone(x: Any, w: Any, *, stride: Ints, dilation: Ints) -> Any:
    return reduce(add, map(mul, windows(x, w.shape[:-1], stride, dilation), w.reshape(-1, w.shape[-1])))


def _alone_on_host(x: np.ndarray, w: np.ndarray, stride: Ints, dilation: Ints) -> np.ndarray:
    kernel, channels = w.shape[:-1], w.shape[-1]
    counts = spans(x.shape[1:-1], kernel, stride, dilation)
    if w.dtype == x.dtype and is_native(x, kernel, counts):
        found = np.empty((len(x), *counts, channels), np.float32)
        sizes = native_sizes(x, kernel, counts, stride, dilation)
        _native.convolutions.convolve(np.ascontiguousarray(x), np.ascontiguousarray(w), found, sizes)
        return found
    copies, weights = windows(x, kernel, stride, dilation), w.reshape(-1, channels)
    found = copies[0] * weights[0]
    scratch = np.empty_like(found)
    for copy, weight in zip(copies[1:], weights[1:]):
        found += np.multiply(copy, weight, out=scratch)
    return found


def _alone_weights(x: Any, change: Any, *, kernel: Ints, stride: Ints, dilation: Ints) -> Any:
    met = [copy * change for copy in windows(x, kernel, stride, dilation)]
    dims = tuple(range(x.ndim - 1))
    if max(stride) == 1:
        sums = lax.reduce(met, [jnp.zeros((), x.dtype)] * len(met), lambda a, b: [*map(add, a, b)], dims)
    else:  # strided copies are gathered from memory; summing them one by one is faster
        sums = [each.sum(dims) for each in met]
    return jnp.stack(sums).reshape(*kernel, -1)


def _to_input(change: Any, x: Any, w: Any, stride: Ints, dilation: Ints) -> Any:
    """Return the gradient of the input; elements of `change` are `stride` apart in the input."""
    ones = (1,) * len(stride)
    each = zip(w.shape, change.shape[1:-1], x.aval.shape[1:-1], stride, dilation)
    pads = tuple((d * (k - 1), n - (o - 1) * s - 1) for k, o, n, s, d in each)
    turned = jnp.flip(w, tuple(range(w.ndim - 1)))
    return alone(padded(change, pads, stretch=stride), turned, ones, dilation)


def _batched(made: Any) -> Any:
    return lambda given, dims, **params: (jax.vmap(lambda a, b: made(a, b, **params), in_axes=dims)(*given), 0)


for primitive, made in ((alone_p, _alone), (alone_weights_p, _alone_weights)):
    primitive.def_impl(made)
    primitive_batchers[primitive] = _batched(made)
    register_lowering(primitive, lower_fun(made, multiple_results=False))

alone_p.def_abstract_eval(
    lambda x, w, *, stride, dilation: ShapedArray(
        (x.shape[0], *spans(x.shape[1:-1], w.shape[:-1], stride, dilation), x.shape[-1]), x.dtype
    )
)
alone_weights_p.def_abstract_eval(
    lambda x, change, *, kernel, stride, dilation: ShapedArray((*kernel, x.shape[-1]), x.dtype)
)
defbilinear(
    alone_p,
    lambda change, x, w, *, stride, dilation: _to_input(change, x, w, stride, dilation),
    lambda change, x, w, *, stride, dilation: alone_weights(x, change, w.aval.shape[:-1], stride, dilation),
)
defbilinear(
    alone_weights_p,
    lambda factors, x, change, *, kernel, stride, dilation: _to_input(change, x, factors, stride, dilation),
    lambda factors, x, change, *, kernel, stride, dilation: alone(x, factors, stride, dilation),
)


@rule("torchlike_alone")
def _alone_by_numpy(e: Equation) -> Callable:
    stride, dilation = e.params["stride"], e.params["dilation"]

    return lambda x, w: _alone_on_host(x, w, stride, dilation)


@rule("torchlike_alone_weights")
def _alone_weights_by_numpy(e: Equation) -> Callable:
    kernel, stride, dilation = e.params["kernel"], e.params["stride"], e.params["dilation"]
    shape = tuple(e.outputs[0].shape)

    def run(x: np.ndarray, change: np.ndarray) -> np.ndarray:
        axes = tuple(range(x.ndim - 1))
        sums = [total(copy * change, axes) for copy in windows(x, kernel, stride, dilation)]
        return np.stack(sums).reshape(shape)

    return run
