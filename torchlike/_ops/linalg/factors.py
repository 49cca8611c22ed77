"""Factorizations in LAPACK's compact form: LU with pivots, and Householder reflectors."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops.linalg.linalg import LAPACK, factorization, matrix_typing
from torchlike._ops.linalg.linalg import adjoint as conjugate_transpose
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.declare import Array, declare, namespace
from torchlike._ops.schema.out_rules import ROWS_UNLESS_EMPTY, Into, safely
from torchlike._ops.schema.typing_rules import Call, Typed, broadcast

# -- LU ----------------------------------------------------------------------------------------------------------------


def _check_lu(call: Call) -> None:
    _errors.linalg.check_matrix("torch.lu_factor", call.A, False, True)


def _lu_shape(call: Call) -> list:
    *batch, m, n = call.A.shape
    return [(call.A.shape, call.A.dtype), ((*batch, min(m, n)), _dtypes.int32)]


@factorization(
    numpy=False,
    check=_check_lu,
    shape=_lu_shape,
    node="LinalgLuFactorExBackward0",
    remembers=("results",),
    loop="lu_cpu",
)
def lu_factor(A: Array):
    """Return the LU decomposition P L U = A in compact form.

    Returns:
      A matrix with L below the diagonal and U above it, and the pivots: for each row, the row that it was exchanged
      with, counted from 1.
    """
    packed, pivots, _ = jax.lax.linalg.lu(A)
    return packed, pivots + 1


def _unpack_shape(call: Call) -> list:
    *batch, m, n = call.LU_data.shape
    k = min(m, n)
    return [(*batch, m, k), (*batch, k, n)]


@factorization(numpy=False, shape=_unpack_shape, columns=False, node="LuUnpackBackward0")
def lu_unpack(LU_data: Array):
    """Return L and U of a compact LU decomposition."""
    return _triangles(LU_data, min(LU_data.shape[-2:]))


def _permutation_shape(call: Call) -> list:
    m = call.LU_data.shape[-2]
    return [((*call.LU_pivots.shape[:-1], m, m), call.LU_data.dtype)]


@factorization(numpy=False, shape=_permutation_shape, columns=False, keeps=("LU_pivots",), differentiable=False)
def _permutation(LU_data: Array, LU_pivots: Array):
    """Return the permutation matrix P of a compact LU decomposition, with the dtype of `LU_data`."""
    m = LU_data.shape[-2]
    return jax.nn.one_hot(_order(LU_pivots, m), m, dtype=LU_data.dtype, axis=-2)


def _triangles(packed, k):
    lower = jnp.tril(packed[..., :k], -1) + jnp.eye(packed.shape[-2], k, dtype=packed.dtype)
    return lower, jnp.triu(packed[..., :k, :])


def _order(pivots, m):
    """Return the row order that results from the exchanges in `pivots`."""
    if not pivots.shape[-1]:
        return jnp.broadcast_to(jnp.arange(m), (*pivots.shape[:-1], m))
    return jax.lax.linalg.lu_pivots_to_permutation(pivots.astype("int32") - 1, m)


def _solve_shape(call: Call) -> list:
    return [(*broadcast([call.LU.shape[:-2], call.B.shape[:-2]]), *call.B.shape[-2:])]


def _solve_typing(call: Call) -> Typed:
    """Apply the rule of factorizations. The result of a system X A = B is row-major."""
    return matrix_typing(call, columns=call.left)


@declare(
    "operator",
    _solve_typing,
    where=(),
    takes=LAPACK,
    numpy=False,
    check=_errors.systems.check_lu_solve,
    shape=_solve_shape,
    keeps=("pivots",),
    node="LinalgLuSolveBackward0",
    remembers=("LU", "pivots"),
    loop="linalg.lu_solve_cpu",
)
def lu_solve(LU: Array, pivots: Array, B: Array, left: bool = True, adjoint: bool = False):
    """Return X with A X = B, given the compact LU decomposition of A.

    If `left` is False, solve X A = B instead. If `adjoint` is True, use A* in place of A.
    """
    if not left:
        return conjugate_transpose(_solve(LU, pivots, conjugate_transpose(B), not adjoint))
    return _solve(LU, pivots, B, adjoint)


def _solve(packed, pivots, b, adjoint):
    batch = np.broadcast_shapes(packed.shape[:-2], b.shape[:-2])
    packed, b = (jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (packed, b))
    order = jnp.broadcast_to(_order(pivots, packed.shape[-1]), (*batch, packed.shape[-1]))[..., None]
    solve = jax.lax.linalg.triangular_solve
    if adjoint:
        half = solve(packed, b, left_side=True, lower=False, transpose_a=True, conjugate_a=True)
        whole = solve(packed, half, left_side=True, lower=True, transpose_a=True, conjugate_a=True, unit_diagonal=True)
        return jnp.take_along_axis(whole, jnp.argsort(order, axis=-2), axis=-2)
    half = solve(packed, jnp.take_along_axis(b, order, axis=-2), left_side=True, lower=True, unit_diagonal=True)
    return solve(packed, half, left_side=True, lower=False)


# -- Householder reflectors --------------------------------------------------------------------------------------------


def _geqrf_shape(call: Call) -> list:
    *batch, m, n = call.input.shape
    return [call.input.shape, (*batch, min(m, n))]


def _check_geqrf(call: Call) -> None:
    if call.input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")


@factorization(autocast=FULL_ON_CPU, check=_check_geqrf, shape=_geqrf_shape, refused="geqrf")
def geqrf(input: Array):
    """Return the QR decomposition of a matrix in LAPACK's compact form.

    Args:
      input: (..., m, n).

    Returns:
      A matrix (..., m, n) with R on and above the diagonal and the Householder vectors below it, and the reflectors'
      factors tau, (..., min(m, n)).
    """
    xp = namespace(input)
    packed, tau = xp.linalg.qr(input, "raw")
    return xp.swapaxes(packed, -1, -2), tau


def _apply_reflectors(vectors, tau, c, adjoint):
    """Return Q c, or Q* c if `adjoint` is True, where Q is the product of the reflectors I - tau v v*."""
    xp, (m, k) = namespace(c), (vectors.shape[-2], tau.shape[-1])
    row = xp.arange(m)
    for i in range(k) if adjoint else range(k - 1, -1, -1):
        v = xp.where(row < i, 0, xp.where(row == i, 1, vectors[..., :, i])).astype(c.dtype)[..., None]  # (m, 1)
        factor = tau[..., i, None, None]
        c = c - (xp.conj(factor) if adjoint else factor) * (v @ (xp.conj(xp.swapaxes(v, -1, -2)) @ c))
    return c


def _check_product(call: Call) -> None:
    _errors.linalg.check_reflectors("torch.linalg.householder_product", call.input, call.tau)
    _errors.systems.check_tau_dtype(call.tau, call.input)


@factorization(
    out=Into(cast=safely("torch.linalg.householder_product"), order=ROWS_UNLESS_EMPTY),
    autocast=FULL_ON_CPU,
    check=_check_product,
    shape=lambda call: [call.input.shape],
    where=("linalg",),
    loop="orgqr_cpu",
    node="LinalgHouseholderProductBackward0",
    remembers=("inputs", "result"),
)
def householder_product(input: Array, tau: Array):
    """Return the first n columns of a product of Householder reflectors.

    Args:
      input: (..., m, n), with the Householder vectors below the diagonal.
      tau: (..., k), the reflectors' factors.

    Returns:
      (..., m, n).
    """
    xp, (m, n) = namespace(input), input.shape[-2:]
    start = xp.broadcast_to(xp.eye(m, n, dtype=input.dtype), input.shape)
    return _apply_reflectors(input, tau, start, False)


def _check_ormqr(call: Call) -> None:
    _errors.linalg.check_ormqr(call.input, call.tau, call.other, call.left)
    _errors.systems.check_ormqr_dtypes(call.input, tau=call.tau, other=call.other)


@factorization(
    out=Into(_errors.outs.reflected, order=ROWS_UNLESS_EMPTY),
    autocast=FULL_ON_CPU,
    check=_check_ormqr,
    shape=lambda call: [call.other.shape],
    where=("torch", "Tensor"),
    remembers=("inputs", "result"),
)
def ormqr(input: Array, tau: Array, other: Array, left: bool = True, transpose: bool = False):
    """Return Q `other`, where Q is a product of Householder reflectors.

    Args:
      input: (..., m, k), with the Householder vectors below the diagonal.
      tau: (..., k), the reflectors' factors.
      other: the matrix to multiply.
      left: if False, return `other` Q instead.
      transpose: if True, use Q* in place of Q.
    """
    if left:
        return _apply_reflectors(input, tau, other, transpose)
    return conjugate_transpose(_apply_reflectors(input, tau, conjugate_transpose(other), not transpose))
