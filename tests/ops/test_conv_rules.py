"""Gradients of convolutions that NumPy interprets, beside the same gradients compiled by XLA."""

import jax
import numpy as np
import pytest
from jax import lax

from torchlike._engine.interpreter.jaxpr import flatten
from torchlike._engine.interpreter.rules import Unsupported
from torchlike._ops.nn import conv_forms as conv_forms  # registers the rule of convolutions
from torchlike._ops.nn.depthwise import alone

CASES = 40


def _numbers(rng, dims):
    kernel, stride, dilation = (tuple(int(n) for n in rng.integers(1, 4, dims)) for _ in range(3))
    pads = tuple((int(a), int(b)) for a, b in rng.integers(0, 3, (dims, 2)))
    sizes = tuple(d * (k - 1) + 1 + int(more) for d, k, more in zip(dilation, kernel, rng.integers(0, 6, dims)))
    return kernel, stride, dilation, pads, sizes


def _compare(function, *given):
    made = function(*given)
    change = np.random.default_rng(1).standard_normal(made.shape).astype(made.dtype)

    def gradients(change, *given):
        made, back = jax.vjp(function, *given)
        return [made, *back(change)]

    wanted = jax.jit(gradients)(change, *given)
    with np.errstate(all="ignore"):
        found = flatten(jax.make_jaxpr(gradients)(change, *given))(change, *given)
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == b.dtype
        scale = max(float(np.abs(b).max()), 1.0)  # sums of up to a few hundred products
        np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), atol=scale * 20 * np.finfo(b.dtype).eps)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", range(CASES))
def test_gradients_of_convolutions(case):
    rng = np.random.default_rng(case)
    dims, dtype = case % 3 + 1, (np.float32, np.float64)[case // 3 % 2]
    kernel, stride, dilation, pads, sizes = _numbers(rng, dims)
    n, inputs, outputs = (int(k) for k in rng.integers(1, 5, 3))
    x = rng.standard_normal((n, *sizes, inputs)).astype(dtype)
    w = rng.standard_normal((*kernel, inputs, outputs)).astype(dtype)
    middle = "DHW"[3 - dims :]
    spec = (f"N{middle}C", f"{middle}IO", f"N{middle}C")

    def convolution(x, w):
        return lax.conv_general_dilated(x, w, stride, pads, rhs_dilation=dilation, dimension_numbers=spec)

    _compare(convolution, x, w)


@pytest.mark.parametrize("case", range(CASES // 2))
def test_gradients_of_depthwise_convolutions(case):
    rng = np.random.default_rng(case)
    dims = case % 3 + 1
    kernel, stride, dilation, _, sizes = _numbers(rng, dims)
    x = rng.standard_normal((2, *sizes, 3)).astype(np.float32)
    w = rng.standard_normal((*kernel, 3)).astype(np.float32)
    _compare(lambda x, w: alone(x, w, stride, dilation), x, w)


def test_groups_of_batches_are_compiled():
    x, w = np.ones((1, 5, 5, 4), np.float32), np.ones((3, 3, 2, 4), np.float32)

    def gradient(x, w):
        spec = ("NHWC", "HWIO", "NHWC")
        made = lambda w: lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=spec, feature_group_count=2
        ).sum()
        return jax.grad(made)(w)

    with pytest.raises(Unsupported, match="batches"):
        flatten(jax.make_jaxpr(gradient)(x, w))
