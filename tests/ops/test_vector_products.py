"""Products of a matrix and a vector, which call Eigen in compiled programs of the CPU."""

import jax
import numpy as np
import pytest

import torchlike
from tests.oracle import both
from torchlike._ops.linalg.products import product

SHAPES = [
    ((5, 7), (7, 1)),
    ((1, 7), (7, 5)),
    ((7,), (7, 5)),
    ((5, 7), (7,)),
    ((2, 5, 7), (7,)),
    ((2, 5, 7), (7, 1)),
    ((1, 7), (7, 1)),
    ((5, 1), (1, 4)),
    ((5, 0), (0, 1)),
    ((0, 7), (7, 1)),
    ((1, 7), (7, 0)),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "bfloat16"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_values_and_gradients(shapes, dtype):
    rng = np.random.default_rng(0)
    arrays = [rng.integers(-3, 4, shape).astype("float32") for shape in shapes]

    def found(torch):
        a, b = (torch.from_numpy(array).to(getattr(torch, dtype)).requires_grad_() for array in arrays)
        result = a @ b
        return result, torch.autograd.grad((result * result).sum().abs(), (a, b), create_graph=True)

    with torchlike.set_executor("xla"):
        both(found)


@pytest.mark.parametrize(("form", "a", "b"), [("nn", (8, 6), (6, 1)), ("nt", (1, 6), (8, 6)), ("tn", (6, 8), (6, 1))])
def test_no_product_has_one_vector(form, a, b):
    text = jax.jit(lambda a, b: product(a, b, form)).lower(np.ones(a, "f"), np.ones(b, "f")).as_text()
    (line,) = [line for line in text.splitlines() if "dot_general" in line]
    assert "tensor<8x2xf32>" in line or "tensor<2x8xf32>" in line
