"""Decompositions, inverses and solutions of linear systems, of matrices in the last two dims."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._layout import contiguous_strides, normal
from torchlike._ops import _rules
from torchlike._ops._declare import Array, constant, declare, namespace
from torchlike._ops._rules import Call, Typed, broadcast


def _typing(call: Call, columns: bool) -> Typed:
    """The general rule; LAPACK's column order for results that are matrices."""
    typed = _rules.general(call, _rules.common)
    if columns:
        rank = call.arrays[0].ndim
        typed.strides = [_by_columns(o.shape) if o.ndim == rank else None for o in typed.outputs]
    return typed


def _by_columns(shape: tuple[int, ...]) -> tuple[int, ...] | None:
    *batch, rows, columns = shape
    steps = contiguous_strides((*batch, columns, rows))
    return normal(tuple(shape), (*steps[:-2], steps[-1], steps[-2]))


def factorization(*, columns: bool = True, **options) -> Callable:
    """A row over matrices; its forward keeps what backward needs."""
    options.setdefault("where", ())
    return declare("operator", functools.partial(_typing, columns=columns), **options)


def _square(name: str, *, square: bool = True) -> Callable[[Call], None]:
    def check(call: Call) -> None:
        _errors.linalg.check_matrix(f"linalg.{name}", call.arrays[0], square)

    return check


def _turned(x):
    return jnp.swapaxes(x, -1, -2)


def _hermitian(x, lower: bool = True):
    """The Hermitian matrix of which one half is given; the gradient is spread evenly over both halves."""
    half = jnp.tril(x, -1) if lower else jnp.triu(x, 1)
    diagonal = jnp.real(jnp.diagonal(x, axis1=-2, axis2=-1))[..., None] * jnp.eye(x.shape[-1], dtype=x.dtype)
    mean = (x + jnp.conj(_turned(x))) / 2
    return constant(half + jnp.conj(_turned(half)) + diagonal) + (mean - constant(mean))


# -- inverses and systems ----------------------------------------------------------------------------------------------


@factorization(
    check=_square("inv"), shape=lambda call: [call.A.shape], node="LinalgInvExBackward0", remembers=("result",)
)
def inv(A: Array):
    """The inverse of a square matrix."""
    return namespace(A).linalg.inv(A)


@factorization(check=_square("det"), shape=lambda call: [call.A.shape[:-2]], columns=False,
               where=("linalg", "torch", "Tensor"), node="LinalgDetBackward0",
               remembers=("inputs", "result"))  # fmt: skip
def det(A: Array):
    """The determinant of a square matrix."""
    return namespace(A).linalg.det(A)


def _slogdet_shape(call: Call) -> list:
    return [(call.A.shape[:-2], call.A.dtype), (call.A.shape[:-2], call.A.dtype.to_real())]


@factorization(check=_square("slogdet"), shape=_slogdet_shape, columns=False, node="LinalgSlogdetBackward0")
def slogdet(A: Array):
    """The sign of the determinant and the logarithm of its absolute value."""
    return namespace(A).linalg.slogdet(A)


def _vector_right_side(a, b) -> bool:
    """Whether B holds vectors, not matrices, by NumPy's old rule that PyTorch kept."""
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and tuple(b.shape) == tuple(a.shape[:-1]))


def _check_solve(call: Call) -> None:
    a, b = call.A, call.B
    _errors.linalg.check_matrix("linalg.solve", a, True)
    rows = b.shape[-1] if _vector_right_side(a, b) else b.shape[-2]
    if a.shape[-1] != rows:
        shape = f"{rows}x{1 if _vector_right_side(a, b) else b.shape[-1]}"
        raise _errors.linalg.incompatible_system("linalg.solve", a, shape)


def _solve_shape(call: Call) -> list:
    a, b = call.A, call.B
    if _vector_right_side(a, b):
        return [b.shape]
    batch = broadcast([a.shape[:-2], b.shape[:-2]])
    return [(*batch, *b.shape[-2:])]


@factorization(check=_check_solve, shape=_solve_shape, node="LinalgSolveExBackward0", remembers=("A", "result"))
def solve(A: Array, B: Array):
    """X with A X = B."""
    xp = namespace(A)
    if not _vector_right_side(A, B):
        return xp.linalg.solve(A, B)
    return xp.linalg.solve(A, B[..., None])[..., 0]


def _check_triangular(call: Call) -> None:
    a, b = call.A, call.B
    _errors.linalg.check_matrix("linalg.solve_triangular", a, True)
    if b.ndim < 2:
        raise RuntimeError("linalg.solve_triangular: The input tensor B must have at least 2 dimensions.")
    if a.shape[-1] != b.shape[-2 if call.left else -1]:
        raise _errors.linalg.incompatible_system(
            "linalg.solve_triangular", a, f"{b.shape[-2]}x{b.shape[-1]}", call.left
        )


@factorization(numpy=False, check=_check_triangular, shape=lambda call: [
    (*broadcast([call.A.shape[:-2], call.B.shape[:-2]]), *call.B.shape[-2:])], where=("linalg",),
    node="LinalgSolveTriangularBackward0", remembers=("A", "result"))  # fmt: skip
def solve_triangular(A: Array, B: Array, *, upper: bool, left: bool = True, unitriangular: bool = False):
    """X with A X = B (or X A = B unless `left`), for a triangular A; its other half is not looked at."""
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    a, b = (jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (A, B))
    return jax.lax.linalg.triangular_solve(a, b, left_side=left, lower=not upper, unit_diagonal=unitriangular)


@factorization(shape=lambda call: [(*broadcast([call.L.shape[:-2], call.B.shape[:-2]]), *call.B.shape[-2:])],
               where=("torch", "Tensor"), numpy=False)  # fmt: skip
def cholesky_solve(B: Array, L: Array, upper: bool = False):
    """X with A X = B, from the Cholesky factor L of A."""
    batch = np.broadcast_shapes(L.shape[:-2], B.shape[:-2])
    low = jnp.conj(_turned(L)) if upper else L
    low, b = (jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (low, B))
    half = jax.lax.linalg.triangular_solve(low, b, left_side=True, lower=True)
    return jax.lax.linalg.triangular_solve(low, half, left_side=True, lower=True, transpose_a=True, conjugate_a=True)


@factorization(numpy=False, shape=lambda call: [call.L.shape], where=("torch", "Tensor"))
def cholesky_inverse(L: Array, upper: bool = False):
    """The inverse of A, from its Cholesky factor."""
    one = jnp.broadcast_to(jnp.eye(L.shape[-1], dtype=L.dtype), L.shape)
    return cholesky_solve.kernel(one, L, upper)


def _pinv_shape(call: Call) -> list:
    *batch, rows, columns = call.A.shape
    return [(*batch, columns, rows)]


@factorization(check=_square("pinv", square=False), shape=_pinv_shape, columns=False, node="LinalgPinvBackward0")
def pinv(A: Array, rtol: float | None = None):
    """The Moore-Penrose inverse; singular values of at most `rtol` times the largest count as zero."""
    if rtol is None:
        rtol = max(A.shape[-2:]) * float(jnp.finfo(A.dtype).eps)
    return namespace(A).linalg.pinv(A, rtol=rtol)


def _lstsq_shape(call: Call) -> list:
    return [(*call.A.shape[:-2], call.A.shape[-1], *call.B.shape[call.A.ndim - 1 :])]


@factorization(numpy=False, check=_square("lstsq", square=False), shape=_lstsq_shape)
def lstsq(A: Array, B: Array):
    """X that makes |A X - B| least."""
    one = lambda a, b: jnp.linalg.lstsq(a, b)[0]
    for _ in range(A.ndim - 2):
        one = jax.vmap(one)
    return one(A, B)


@factorization(numpy=False, check=_square("matrix_exp"), shape=lambda call: [call.A.shape], columns=False,
               where=("torch", "Tensor", "linalg"), node="LinalgMatrixExpBackward0")  # fmt: skip
def matrix_exp(A: Array):
    """The exponential of a square matrix, the sum of A**n / n!."""
    return jax.scipy.linalg.expm(A)


# -- factors -----------------------------------------------------------------------------------------------------------


@factorization(numpy=False, check=_square("cholesky"), shape=lambda call: [call.A.shape],
               node="LinalgCholeskyExBackward0", remembers=("result",))  # fmt: skip
def cholesky(A: Array, upper: bool = False):
    """L with L L* = A, or its conjugate transpose; NaN where A is not positive-definite. Only half of A is read."""
    if upper:
        A = jnp.conj(_turned(A))
    low = jnp.tril(jax.lax.linalg.cholesky(_hermitian(A), symmetrize_input=False))
    return jnp.conj(_turned(low)) if upper else low


def _qr_shape(call: Call) -> list:
    *batch, m, n = call.A.shape
    k = min(m, n) if call.mode != "complete" else m
    if call.mode == "r":
        return [(0,), (*batch, min(m, n), n)]
    return [(*batch, m, k), (*batch, k, n)]


def _check_qr(call: Call) -> None:
    _errors.linalg.check_matrix("linalg.qr", call.A, False)
    if call.mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{call.mode}' but expected one of 'reduced' (default), 'r', "
                           "or 'complete'")  # fmt: skip


@factorization(
    numpy=False, check=_check_qr, shape=_qr_shape, residuals=True, node="LinalgQrBackward0", remembers=("results",)
)
def qr(A: Array, mode: str = "reduced"):
    """Q with orthonormal columns and upper triangular R, Q R = A."""
    if mode == "r":
        return jnp.zeros((0,), A.dtype), jnp.linalg.qr(A, "r")
    if mode == "complete" and A.shape[-2] <= A.shape[-1]:
        mode = "reduced"
    return jnp.linalg.qr(A, mode)


def _svd_shape(call: Call) -> list:
    *batch, m, n = call.A.shape
    k = min(m, n)
    rows, columns = (m, n) if call.full_matrices else (k, k)
    dtype = call.A.dtype
    return [((*batch, m, rows), dtype), ((*batch, k), dtype.to_real()), ((*batch, columns, n), dtype)]


@factorization(
    numpy=False,
    check=_square("svd", square=False),
    shape=_svd_shape,
    residuals=True,
    node="LinalgSvdBackward0",
    remembers=("results",),
)
def svd(A: Array, full_matrices: bool = True):
    """U, S and Vh with U diag(S) Vh = A; S in descending order."""
    return jnp.linalg.svd(A, full_matrices=full_matrices and A.shape[-1] != A.shape[-2])


@factorization(numpy=False, check=_square("svdvals", square=False), columns=False, node="LinalgSvdBackward0",
               shape=lambda call: [((*call.A.shape[:-2], min(call.A.shape[-2:])), call.A.dtype.to_real())],
               where=("linalg",), remembers=("result",))  # fmt: skip
def svdvals(A: Array):
    """The singular values in descending order."""
    return jnp.linalg.svd(A, full_matrices=False, compute_uv=False)


def _eigh_shape(call: Call) -> list:
    return [(call.A.shape[:-1], call.A.dtype.to_real()), (call.A.shape, call.A.dtype)]


@factorization(
    numpy=False,
    check=_square("eigh"),
    shape=_eigh_shape,
    residuals=True,
    node="LinalgEighBackward0",
    remembers=("results",),
)
def eigh(A: Array, UPLO: str = "L"):
    """Eigenvalues in ascending order and eigenvectors of a Hermitian matrix, of which one half is read."""
    return jnp.linalg.eigh(_hermitian(A, UPLO in "lL"), symmetrize_input=False)


@factorization(numpy=False, check=_square("eigvalsh"), columns=False, where=("linalg",), node="LinalgEighBackward0",
               shape=lambda call: [(call.A.shape[:-1], call.A.dtype.to_real())], remembers=("result",))  # fmt: skip
def eigvalsh(A: Array, UPLO: str = "L"):
    """The eigenvalues of a Hermitian matrix in ascending order."""
    return jnp.linalg.eigh(_hermitian(A, UPLO in "lL"), symmetrize_input=False)[0]


def _eig_shape(call: Call) -> list:
    dtype = call.A.dtype.to_complex()
    return [(call.A.shape[:-1], dtype), (call.A.shape, dtype)]


@factorization(check=_square("eig"), shape=_eig_shape, node="LinalgEigBackward0", numpy=False)
def eig(A: Array):
    """Eigenvalues and eigenvectors, complex, of a square matrix."""
    return tuple(_eig(A))


@factorization(numpy=False, check=_square("eigvals"), columns=False, where=("linalg",), node="LinalgEigBackward0",
               shape=lambda call: [(call.A.shape[:-1], call.A.dtype.to_complex())])  # fmt: skip
def eigvals(A: Array):
    """The eigenvalues, complex, of a square matrix."""
    return _eig(A)[0]


def _eig(A):
    # JAX asks that the gradient of eigenvectors be wanted: it supposes different eigenvalues, as PyTorch does. The
    # second gradient of the eigenvalues goes through it.
    return jax.lax.linalg.eig(A, compute_left_eigenvectors=False, enable_eigvec_derivs=True)


@factorization(numpy=False, check=_square("matrix_rank", square=False), columns=False, differentiable=False,
               shape=lambda call: [(call.A.shape[:-2], _dtypes.int64)])  # fmt: skip
def matrix_rank(A: Array, atol: float | None, rtol: float | None):
    """How many singular values are above max(atol, rtol * the largest)."""
    values = jnp.linalg.svd(A, full_matrices=False, compute_uv=False)
    default = 0.0 if atol else max(A.shape[-2:]) * float(jnp.finfo(A.dtype).eps)
    share = default if rtol is None else rtol
    least = jnp.maximum(atol or 0.0, share * jnp.max(values, axis=-1, keepdims=True))
    return jnp.sum(values > least, axis=-1)
