"""Factors that are unique only up to signs: values independent of the signs, and their gradients, equal PyTorch's."""

import numpy as np
import pytest
import torch

import torchlike
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
    both(
        lambda torch: squares_and_gradient(torch, normal(*shape), lambda t, x: t.linalg.svd(x, full_matrices=False)),
        **CLOSE,
    )


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


FLOATS = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")


@pytest.mark.parametrize("given", FLOATS)
@pytest.mark.parametrize("asked", [*FLOATS, "int64"])
def test_the_dtype_of_a_vector_norm(given, asked):
    def program(torch):
        return torch.linalg.vector_norm(torch.ones(2, dtype=getattr(torch, given)), dtype=getattr(torch, asked))

    both(program)


@pytest.mark.parametrize("name", ["eigh", "svd"])
def test_values_have_a_gradient_where_two_are_equal(name):
    def gradient(torch):
        x = (2 * torch.eye(3)).requires_grad_()
        found = getattr(torch.linalg, name)(x)
        (found[0] if name == "eigh" else found[1]).square().sum().backward()
        return x.grad

    both(gradient)


@pytest.mark.parametrize("name", ["eigh", "svd", "qr"])
def test_gradients_of_complex_factors(name):
    def gradient(torch):
        x = tensor(torch, normal(3, 3, dtype=np.complex128)).requires_grad_()
        found = getattr(torch.linalg, name)(x)
        if name == "qr":
            total = sum((f * tensor(torch, normal(3, 3, dtype=np.complex128, seed=5))).sum().abs() for f in found)
        else:
            total = sum((f.abs() ** 2 * tensor(torch, normal(*f.shape, dtype=np.float64, seed=5))).sum() for f in found)
        return torch.autograd.grad(total, x)[0]

    both(gradient, rtol=1e-8, atol=1e-8, stride=False)


@pytest.mark.parametrize("upper", [False, True])
def test_gradients_of_a_complex_cholesky_factor(upper):
    def gradient(torch):
        x = tensor(torch, normal(3, 3, dtype=np.complex128))
        x = (x @ x.mH + torch.eye(3)).detach().requires_grad_()
        weight = tensor(torch, normal(3, 3, dtype=np.complex128, seed=5))
        (first,) = torch.autograd.grad(torch.linalg.cholesky(x, upper=upper), x, weight, create_graph=True)
        return first.detach(), torch.autograd.grad(first, x, weight)[0]

    both(gradient, rtol=1e-8, atol=1e-8, stride=False)


@pytest.mark.parametrize("shape", [(4, 3), (3, 5)], ids=str)
def test_gradients_of_full_singular_vectors_leave_out_the_ones_beyond(shape):
    def gradient(torch):
        x = tensor(torch, normal(*shape, dtype=np.float64)).requires_grad_()
        u, s, vh = torch.linalg.svd(x)
        total = (u[:, :3] ** 2 * torch.arange(3)).sum() + (vh[:3] ** 4).sum() + (s**3).sum()
        (first,) = torch.autograd.grad(total, x, create_graph=True)
        return first.detach(), torch.autograd.grad(first.square().sum(), x)[0]

    both(gradient, rtol=1e-8, atol=1e-8, stride=False)


def test_least_squares_of_too_low_a_rank():
    def solved(torch):
        a = tensor(torch, normal(2, 4, 3))
        a[1, :, 2] = a[1, :, 1] = 0
        found = [torch.linalg.lstsq(a, torch.ones(2, 4, 1), driver=driver) for driver in (None, "gelsd")]
        return [(r.residuals, r.rank) for r in found]

    both(solved, stride=False)
    rank_two = np.stack([np.eye(4, 3), np.eye(4, 3) * [1, 1, 0]]).astype(np.float32)
    both(lambda torch: torch.linalg.lstsq(tensor(torch, rank_two), torch.ones(2, 4, 1), driver="gels"))


def test_factors_of_symmetric_matrices_give_back_what_they_were_made_of():
    def solved(torch):
        a = tensor(torch, normal(2, 5, 5, dtype=np.complex128))
        a[:, 0, 0] = 0  # causes a row exchange
        found = []
        for hermitian in (False, True):
            whole = a + (a.mH if hermitian else a.mT)
            packed, pivots = torch.linalg.ldl_factor(whole, hermitian=hermitian)
            x = torch.linalg.ldl_solve(packed, pivots, a[0], hermitian=hermitian)
            found += [packed, pivots, whole @ x - a[0]]
        return found

    both(solved, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_exponential_of_half_precision_is_rounded_once(dtype):
    """PyTorch 2.13 returns wrong numbers for these dtypes on the CPU, so the judge is its result in float32."""
    theirs = torch.linalg.matrix_exp(torch.tensor([[0.5, 1.0], [-1.0, 0.25]])).to(getattr(torch, dtype))
    x = torchlike.tensor([[0.5, 1.0], [-1.0, 0.25]], dtype=getattr(torchlike, dtype), requires_grad=True)
    made = torchlike.linalg.matrix_exp(x)
    assert made.dtype == x.dtype and made.tolist() == theirs.tolist()
    assert torchlike.autograd.grad(made.sum(), x)[0].isfinite().all()


def test_the_exponential_of_large_rotations():
    """Matrices of a batch are squared a different number of times. JAX's own function returns NaN for the last one."""

    def turned(torch):
        a = torch.tensor([[0.0, 1.0, -0.5], [-1.0, 0.0, 2.0], [0.5, -2.0, 0.0]], dtype=torch.float64)
        x = (a * torch.tensor([0.0, 0.1, 3.0, 100.0, 1e6], dtype=torch.float64)[:, None, None]).requires_grad_()
        y = torch.linalg.matrix_exp(x)
        (g,) = torch.autograd.grad((y * a).sum(), x)
        return [y.detach(), g.contiguous()]

    both(turned, rtol=1e-8, atol=1e-8)
