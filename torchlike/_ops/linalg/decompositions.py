"""Decompositions of matrices in the last two dims, and their derivatives."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _errors
from torchlike._ops.linalg import finite
from torchlike._ops.linalg.linalg import OF_ELEMENTS, adjoint, factorization, square_check
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.declare import Array
from torchlike._ops.schema.out_rules import EXACT, ROWS, ROWS_UNLESS_EMPTY, Into, safely
from torchlike._ops.schema.typing_rules import Call, broadcast


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _hermitian(x, lower: bool = True):
    """Return the Hermitian matrix with the lower or the upper half of `x`.

    The gradient with respect to `x` is spread evenly over both halves.
    """
    half = jnp.tril(x, -1) if lower else jnp.triu(x, 1)
    diagonal = jnp.real(jnp.diagonal(x, axis1=-2, axis2=-1))[..., None] * jnp.eye(x.shape[-1], dtype=x.dtype)
    return half + adjoint(half) + diagonal


@_hermitian.defjvp
def _hermitian_jvp(lower, primals, tangents):
    return _hermitian(*primals, lower), (tangents[0] + adjoint(tangents[0])) / 2


# -- Cholesky factors --------------------------------------------------------------------------------------------------


def _solve_lower(x, y, **options):
    """Return X with L X = Y (or X L = Y) for a lower triangular L."""
    return jax.lax.linalg.triangular_solve(x, y, lower=True, **options)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _lower(A, upper):
    """Return L with L L* = A; only one half of A is read."""
    return jnp.tril(jax.lax.linalg.cholesky(adjoint(A) if upper else A, symmetrize_input=False))


@_lower.defjvp
def _lower_jvp(upper, primals, tangents):
    # L^-1 dA L^-* is Hermitian if dA is. As in PyTorch, its two halves are averaged, and its diagonal is halved without
    # taking the real part.
    low = _lower(*primals, upper)
    half = _solve_lower(low, tangents[0], left_side=True)
    both = _solve_lower(low, half, left_side=False, transpose_a=True, conjugate_a=True)
    below = jnp.tril(both) + adjoint(jnp.triu(both, 1))
    return low, low @ (below / 2)


@factorization(
    autocast=FULL_ON_CPU,
    numpy=False,
    check=square_check("cholesky", loops=True),
    takes=OF_ELEMENTS,
    shape=lambda call: [call.A.shape],
    node="LinalgCholeskyExBackward0",
    remembers=("result",),
)
def cholesky(A: Array, upper: bool = False):
    """Return the Cholesky factor L with L L* = A, or its conjugate transpose if `upper` is True.

    Only the lower half of A is read, or the upper half if `upper` is True. The result is NaN where A is not
    positive-definite.
    """
    low = _lower(A, upper)
    return adjoint(low) if upper else low


def _product_tangent(L, change, upper):
    """Return the tangent of L L* (or L* L), given the tangent `change` of L."""
    half = adjoint(L) @ change if upper else change @ adjoint(L)
    return half + adjoint(half)


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _by_factor(B, L, upper):
    low = adjoint(L) if upper else L
    half = _solve_lower(low, B, left_side=True)
    return _solve_lower(low, half, left_side=True, transpose_a=True, conjugate_a=True)


@_by_factor.defjvp
def _by_factor_jvp(upper, primals, tangents):
    (B, L), (dB, dL) = primals, tangents
    found = _by_factor(B, L, upper)
    # A second solve by the factor would have a derivative only for half of L. PyTorch's gradient covers all of L.
    return found, _inverse(L, upper) @ (dB - _product_tangent(L, dL, upper) @ found)


@factorization(
    out=Into(cast=safely("cholesky_solve"), order=ROWS),
    autocast=FULL_ON_CPU,
    check=_errors.systems.check_cholesky_solve,
    shape=lambda call: [(*broadcast([call.B.shape[:-2], call.L.shape[:-2]]), *call.B.shape[-2:])],
    where=("torch", "Tensor"),
    numpy=False,
    remembers=("inputs", "result"),
)
def cholesky_solve(B: Array, L: Array, upper: bool = False):
    """Return X with A X = B, given the Cholesky factor L of A.

    Args:
      B: (..., n, k).
      L: (..., n, n), with A = L L*, or A = L* L if `upper` is True.
      upper: whether L is upper triangular.

    Returns:
      (..., n, k).

    >>> L = torchlike.tensor([[2.0, 0.0], [1.0, 1.0]])
    >>> torchlike.cholesky_solve(torchlike.tensor([[4.0], [2.0]]), L)
    tensor([[1.],
            [0.]])
    """
    batch = np.broadcast_shapes(L.shape[:-2], B.shape[:-2])
    L, B = (jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (L, B))
    return _by_factor(B, L, upper)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _inverse(L, upper):
    return _by_factor(jnp.broadcast_to(jnp.eye(L.shape[-1], dtype=L.dtype), L.shape), L, upper)


@_inverse.defjvp
def _inverse_jvp(upper, primals, tangents):
    (L,), (dL,) = primals, tangents
    found = _inverse(L, upper)
    return found, -found @ _product_tangent(L, dL, upper) @ found


def _check_cholesky_inverse(call: Call) -> None:
    _errors.linalg.check_matrix_sizes("cholesky_inverse", call.L, True)


@factorization(
    out=Into(cast=safely("cholesky_inverse"), order=ROWS_UNLESS_EMPTY),
    autocast=FULL_ON_CPU,
    numpy=False,
    check=_check_cholesky_inverse,
    shape=lambda call: [call.L.shape],
    where=("torch", "Tensor"),
    loop="cholesky_inverse_out_cpu",
    remembers=("inputs", "result"),
)
def cholesky_inverse(L: Array, upper: bool = False):
    """Return the inverse of A, given the Cholesky factor L of A.

    Args:
      L: (..., n, n), with A = L L*, or A = L* L if `upper` is True.
      upper: whether L is upper triangular.

    >>> torchlike.cholesky_inverse(torchlike.tensor([[1.0, 0.0], [1.0, 1.0]]))
    tensor([[ 2., -1.],
            [-1.,  1.]])
    """
    return _inverse(L, upper)


# -- factors -----------------------------------------------------------------------------------------------------------


def _qr_shape(call: Call) -> list:
    *batch, m, n = call.A.shape
    k = min(m, n) if call.mode != "complete" else m
    if call.mode == "r":
        return [(0,), (*batch, min(m, n), n)]
    return [(*batch, m, k), (*batch, k, n)]


def _check_qr(call: Call) -> None:
    _errors.linalg.check_matrix("linalg.qr", call.A, False, True)
    if call.mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{call.mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )


@factorization(
    autocast=FULL_ON_CPU,
    numpy=False,
    check=_check_qr,
    shape=_qr_shape,
    residuals=True,
    loop="geqrf_cpu",
    node="LinalgQrBackward0",
    remembers=("results",),
)
def qr(A: Array, mode: str = "reduced"):
    """Return Q with orthonormal columns and an upper triangular R such that Q R = A.

    `mode` is "reduced", "complete" (a square Q) or "r" (an empty Q).
    """
    if mode == "r":
        return jnp.zeros((0,), A.dtype), jnp.linalg.qr(A, "r")
    if mode == "complete" and A.shape[-2] <= A.shape[-1]:
        mode = "reduced"
    return jnp.linalg.qr(A, mode)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _svd(A, whole):
    return finite.svd(A, full_matrices=whole)


@_svd.defjvp
def _svd_jvp(whole, primals, tangents):
    # dA rotates the columns of U and V within the space that they span (given by P = U* dA V), and out of that space.
    # The singular vectors beyond the smaller dim are not unique. As in PyTorch, no gradient passes through them.
    (A,), (dA,) = primals, tangents
    U, S, Vh = found = _svd(A, whole)
    k = S.shape[-1]
    u, v = U[..., :k], adjoint(Vh[..., :k, :])
    row, column = S[..., None, :], S[..., :, None]
    P = adjoint(u) @ dA @ v
    diagonal = jnp.eye(k, dtype=bool)
    gaps = jnp.where(diagonal, 1, (row - column) * (row + column))
    rest = jnp.where(diagonal, 0, P)
    du = u @ ((rest * row + adjoint(rest * row)) / gaps)
    dv = v @ ((column * rest + adjoint(column * rest)) / gaps)
    if jnp.iscomplexobj(A):
        phase = 1j * jnp.imag(jnp.diagonal(P, axis1=-2, axis2=-1))[..., None, :] / (2 * row)
        du, dv = du + u * phase, dv - v * phase
    if A.shape[-2] > k:
        du = du + _orthogonal_part(u, dA @ v) / row
    if A.shape[-1] > k:
        dv = dv + _orthogonal_part(v, adjoint(dA) @ u) / row
    dS = jnp.real(jnp.diagonal(P, axis1=-2, axis2=-1)).astype(S.dtype)
    return found, (_pad_columns(du, U), dS, adjoint(_pad_columns(dv, adjoint(Vh))))


def _orthogonal_part(basis, x):
    """Return the component of x that is orthogonal to the columns of `basis`."""
    return x - basis @ (adjoint(basis) @ x)


def _pad_columns(change, whole):
    """Pad a derivative of a matrix's first columns with zeros for the other columns."""
    beyond = whole.shape[-1] - change.shape[-1]
    return jnp.pad(change, [(0, 0)] * (change.ndim - 1) + [(0, beyond)]).astype(whole.dtype) if beyond else change


def _svd_shape(call: Call) -> list:
    *batch, m, n = call.A.shape
    k = min(m, n)
    rows, columns = (m, n) if call.full_matrices else (k, k)
    dtype = call.A.dtype
    return [((*batch, m, rows), dtype), ((*batch, k), dtype.to_real()), ((*batch, columns, n), dtype)]


@factorization(
    autocast=FULL_ON_CPU,
    numpy=False,
    check=square_check("svd", square=False, loops=True),
    loop="linalg_svd_cpu",
    takes=OF_ELEMENTS,
    shape=_svd_shape,
    residuals=True,
    node="LinalgSvdBackward0",
    remembers=("results",),
)
def svd(A: Array, full_matrices: bool = True):
    """Return U, S and Vh with U diag(S) Vh = A, the singular values S in descending order."""
    return _svd(A, full_matrices and A.shape[-1] != A.shape[-2])


@factorization(
    out=EXACT._replace(called="_linalg_svd"),
    autocast=FULL_ON_CPU,
    numpy=False,
    check=square_check("svdvals", square=False, loops=True),
    loop="linalg_svd_cpu",
    takes=OF_ELEMENTS,
    columns=False,
    node="LinalgSvdBackward0",
    shape=lambda call: [((*call.A.shape[:-2], min(call.A.shape[-2:])), call.A.dtype.to_real())],
    where=("linalg",),
    remembers=("result",),
)
def svdvals(A: Array):
    """Return the singular values of A in descending order.

    Args:
      A: (..., m, n).

    Returns:
      (..., min(m, n)), real.
    """
    return finite.svd(A, full_matrices=False, compute_uv=False)


def _eigh_shape(call: Call) -> list:
    return [(call.A.shape[:-1], call.A.dtype.to_real()), (call.A.shape, call.A.dtype)]


def _check_half(name: str) -> Callable[[Call], None]:
    """Return a check of a square matrix and of `UPLO`, which names the half of the matrix that is read."""
    is_square = square_check(name, loops=True)

    def check(call: Call) -> None:
        is_square(call)
        if call.UPLO not in ("L", "U", "l", "u"):
            raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {call.UPLO}")

    return check


@factorization(
    autocast=FULL_ON_CPU,
    numpy=False,
    check=_check_half("eigh"),
    loop="linalg_eigh_cpu",
    takes=OF_ELEMENTS,
    shape=_eigh_shape,
    residuals=True,
    node="LinalgEighBackward0",
    remembers=("results",),
)
def eigh(A: Array, UPLO: str = "L"):
    """Return the eigenvalues, in ascending order, and the eigenvectors of a Hermitian matrix.

    Only the half of A that `UPLO` names ("L" or "U") is read.
    """
    return finite.eigh(_hermitian(A, UPLO in "lL"))


@factorization(
    out=EXACT._replace(called="_linalg_eigh"),
    autocast=FULL_ON_CPU,
    numpy=False,
    check=_check_half("eigvalsh"),
    loop="linalg_eigh_cpu",
    takes=OF_ELEMENTS,
    columns=False,
    where=("linalg",),
    remembers=("result",),
    shape=lambda call: [(call.input.shape[:-1], call.input.dtype.to_real())],
    node="LinalgEighBackward0",
)
def eigvalsh(input: Array, UPLO: str = "L"):
    """Return the eigenvalues of a Hermitian matrix in ascending order.

    Args:
      input: (..., n, n).
      UPLO: the half of the matrix that is read, "L" or "U".

    Returns:
      (..., n), real.
    """
    return finite.eigh(_hermitian(input, UPLO in "lL"))[0]


def _eig_shape(call: Call) -> list:
    dtype = call.A.dtype.to_complex()
    return [(call.A.shape[:-1], dtype), (call.A.shape, dtype)]


@factorization(
    autocast=FULL_ON_CPU,
    check=square_check("eig", loops=True),
    loop="linalg_eig_out_cpu",
    shape=_eig_shape,
    node="LinalgEigBackward0",
    numpy=False,
)
def eig(A: Array):
    """Return the complex eigenvalues and eigenvectors of a square matrix."""
    return tuple(_eig(A))


@factorization(
    out=Into(cast=safely("torch.linalg.eigvals", "eigenvalues"), late=True),
    autocast=FULL_ON_CPU,
    numpy=False,
    check=square_check("eigvals", loops=True),
    loop="linalg_eig_out_cpu",
    columns=False,
    where=("linalg",),
    node="LinalgEigBackward0",
    shape=lambda call: [(call.input.shape[:-1], call.input.dtype.to_complex())],
)
def eigvals(input: Array):
    """Return the complex eigenvalues of a square matrix.

    Args:
      input: (..., n, n).

    Returns:
      (..., n), complex, in no particular order.
    """
    return _eig(input)[0]


def _eig(A):
    # JAX differentiates eigenvectors only if this option is set. Like PyTorch's, the derivative assumes distinct
    # eigenvalues. The second derivative of the eigenvalues depends on this derivative of the eigenvectors.
    return jax.lax.linalg.eig(A, compute_left_eigenvectors=False, enable_eigvec_derivs=True)
