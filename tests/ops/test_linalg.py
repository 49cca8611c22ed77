"""Factors that are unique only up to signs: what does not depend on them is PyTorch's, gradients included."""

import numpy as np
import pytest

from tests.ops.sample import normal, tensor
from tests.oracle import both

CLOSE = {"rtol": 1e-3, "atol": 1e-3, "stride": False}


def squares_and_gradient(library, array: np.ndarray, factors) -> tuple:
    x = tensor(library, array).requires_grad_()
    found = [f * f for f in factors(library, x)]
    total = sum((f * tensor(library, normal(*f.shape, seed=9))).sum() for f in found)
    return *[f.detach() for f in found], library.autograd.grad([total], [x])[0]


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3), (2, 4, 3)], ids=str)
def test_singular_vectors(shape):
    both(lambda torch: squares_and_gradient(torch, normal(*shape),
                                            lambda t, x: t.linalg.svd(x, full_matrices=False)), **CLOSE)  # fmt: skip


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)], ids=str)
@pytest.mark.parametrize("half", ["L", "U"])
def test_eigenvectors(shape, half):
    both(lambda torch: squares_and_gradient(torch, normal(*shape), lambda t, x: t.linalg.eigh(x, half)), **CLOSE)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_gradients_of_what_does_not_depend_on_the_phases_of_eigenvectors(dtype):
    def two_gradients(torch):
        x = tensor(torch, normal(2, 3, 3, dtype=dtype)).requires_grad_()
        values, vectors = torch.linalg.eig(x)
        total = (values**3).sum().real + (vectors.abs() ** 2 * tensor(torch, normal(2, 3, 3, dtype=np.float64))).sum()
        first = torch.autograd.grad(total, x, create_graph=True)[0]
        return first.detach(), torch.autograd.grad((first.abs() ** 2).sum(), x)[0]

    both(two_gradients, rtol=1e-6, atol=1e-6, stride=False)


@pytest.mark.parametrize("shape", [(4, 3), (3, 5)], ids=str)
def test_full_matrices_are_orthogonal_and_give_the_matrix_back(shape):
    import torchlike as torch

    a = tensor(torch, normal(*shape))
    u, s, vh = torch.linalg.svd(a)
    k = s.shape[0]
    assert torch.allclose(u @ u.T, tensor(torch, np.eye(shape[0], dtype=np.float32)), atol=1e-5)
    assert torch.allclose(vh @ vh.T, tensor(torch, np.eye(shape[1], dtype=np.float32)), atol=1e-5)
    assert torch.allclose((u[:, :k] * s) @ vh[:k], a, atol=1e-5)


FLOATS = ("float16", "bfloat16", "float32", "float64")


@pytest.mark.parametrize("given", [*FLOATS, "complex64"])
@pytest.mark.parametrize("asked", [*FLOATS, "int64"])
def test_the_dtype_of_a_vector_norm(given, asked):
    def program(torch):
        return torch.linalg.vector_norm(torch.ones(2, dtype=getattr(torch, given)), dtype=getattr(torch, asked))

    both(program)
