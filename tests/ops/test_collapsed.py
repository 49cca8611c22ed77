"""Element-wise gradients on arrays of fewer dims."""

import itertools

import numpy as np
import pytest
import torch as judge

import torchlike as torch
from torchlike._engine.interpreter import costs
from torchlike._ops.schema.collapsed import collapse


def test_dims_that_broadcast_alike_are_merged():
    assert collapse([(8, 16, 32, 32), (16, 1, 1)]) == [(8, 16, 1024), (1, 16, 1)]
    assert collapse([(2, 3, 4), (2, 3, 4), (2, 3, 4)]) == [(24,)] * 3
    assert collapse([(2, 1, 3), (3,)]) == [(2, 3), (1, 3)]
    assert collapse([(1, 1), ()]) == [(), ()]
    assert collapse([(0, 3), (3,)]) == [(0, 3), (1, 3)]


def test_merged_arrays_broadcast_in_the_same_way():
    sizes = (1, 2, 3)
    for pattern in itertools.product((False, True), repeat=6):
        a = [1 if one else n for one, n in zip(pattern[:3], sizes)]
        b = [1 if one else n for one, n in zip(pattern[3:], sizes)]
        x, y = np.arange(np.prod(a)).reshape(a), 10 * np.arange(np.prod(b)).reshape(b)
        merged = collapse([x.shape, y.shape])
        found = x.reshape(merged[0]) + y.reshape(merged[1])
        assert found.ravel().tolist() == (x + y).ravel().tolist()


SHAPES = [((2, 3, 4), (3, 1)), ((2, 3), (2, 3)), ((5,), ()), ((2, 1, 3), (4, 1)), ((0, 3), (3,)), ((1, 1), (1,))]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["mul", "div", "atan2", "maximum", "pow", "hypot"])
def test_interpreted_gradients_agree_with_pytorch(name, shapes, monkeypatch):
    monkeypatch.setattr(costs, "FEW", 20)  # the gradients are interpreted
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(0.5, 2, shape).astype(np.float32) for shape in shapes]

    def gradients(library):
        x, y = (library.tensor(a, requires_grad=True) for a in arrays)
        found = getattr(library, name)(x.T.contiguous().T if x.ndim == 2 else x, y)  # a matrix is not contiguous
        found.square().sum().backward()
        return x.grad.numpy(), y.grad.numpy()

    for found, wanted in zip(gradients(torch), gradients(judge), strict=True):
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1.3e-6 * 8, atol=1e-5)  # eight operators
