"""Second gradients of norms and absolute values at zero, and the rounding of division's second gradient.

At zero, PyTorch's second gradients are 0 or NaN.
"""

import math

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import both

FUNCTIONS = {
    **{f"vector_norm {p}": lambda L, x, p=p: L.linalg.vector_norm(x, p) for p in (0.5, 1, 1.5, 2, 3, math.inf)},
    **{f"normalize {p}": lambda L, x, p=p: L.nn.functional.normalize(x, p, 0) for p in (1.5, 2, 3)},
    "matrix_norm": lambda L, x: L.linalg.matrix_norm(x.reshape(1, -1)),
    "abs": lambda L, x: x.abs(),
    "sgn": lambda L, x: x.sgn(),
    "softsign": lambda L, x: L.nn.functional.softsign(x),
    "l1_loss": lambda L, x: L.nn.functional.l1_loss(x, L.zeros_like(x)),
    "std": lambda L, x: x.std(),
    "cosine_similarity": lambda L, x: L.nn.functional.cosine_similarity(x, L.ones_like(x), 0),
}
DATA = {"float64": ([0, 0, 0], [0, 3, -4]), "complex128": ([0, 0, 0], [0, 3 + 4j, 1 - 1j])}


def second(name, numbers, dtype):
    """Return a program that computes a second gradient, weighted by fixed numbers."""

    def program(L):
        x = L.tensor(numbers, dtype=getattr(L, dtype), requires_grad=True)
        weights = L.tensor([1.0, 2.0, 3.0], dtype=x.dtype)
        made = FUNCTIONS[name](L, x)
        given = (weights if made.is_complex() else weights.real)[: made.numel()].reshape(made.shape)
        (slope,) = L.autograd.grad(made, x, given, create_graph=True)
        (again,) = L.autograd.grad((slope * weights).sum().real, x, allow_unused=True)
        return slope, None if again is None else again + 0

    return program


CASES = [(n, d) for n in FUNCTIONS for d in DATA if not (d == "complex128" and n.startswith(("normalize", "cosine")))]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("name, dtype", CASES)
def test_at_zero(name, dtype, executor):
    with torchlike.set_executor(executor):
        for numbers in DATA[dtype]:
            both(second(name, numbers, dtype), stride=False)


def _divided(L):
    r = np.random.RandomState(0)
    a, b, weight = (L.tensor(r.rand(300).astype("float32") + 0.1).requires_grad_() for _ in range(3))
    return [t.detach().clone() for t in L.autograd.grad(a / b, (a, b), weight)]


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_gradients_of_a_quotient_are_rounded_as_pytorch_rounds_them(executor):
    with torchlike.set_executor(executor):
        ours = [t.numpy() for t in _divided(torchlike)]
    for mine, due in zip(ours, _divided(torch)):
        np.testing.assert_array_equal(mine, due.numpy())
