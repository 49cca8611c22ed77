"""The Moore-Penrose pseudoinverse, the matrix rank, and least squares."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops.linalg import finite
from torchlike._ops.linalg.linalg import adjoint, factorization, is_vector_side, square_check
from torchlike._ops.schema.declare import Array, namespace
from torchlike._ops.schema.typing_rules import Call, broadcast


def _pinv_shape(call: Call) -> list:
    *batch, rows, columns = call.A.shape
    return [(*broadcast([tuple(batch), call.atol.shape, call.rtol.shape]), columns, rows)]


def _check_pinv(call: Call) -> None:
    if call.A.ndim < 2 or call.A.dtype.category < _dtypes.FLOATING:
        raise _errors.linalg.no_pseudoinverse(call.A)
    square_check("eigh" if call.hermitian else "svd", square=call.hermitian)(call)


@factorization(
    check=_check_pinv,
    shape=_pinv_shape,
    columns=False,
    node="LinalgPinvBackward0",
    where=(),
    keeps=("atol", "rtol"),
    remembers=("A", "result"),
)
def pinv(A: Array, atol: Array, rtol: Array, hermitian: bool = False):
    """Return the Moore-Penrose pseudoinverse.

    Singular values of at most max(atol, rtol * the largest singular value) count as zero.
    """
    return (_pseudo.fun if namespace(A) is np else _pseudo)(A, atol, rtol, hermitian)


@functools.partial(jax.custom_jvp, nondiff_argnums=(3,))
def _pseudo(A, atol, rtol, hermitian):
    xp = namespace(A)
    if hermitian:
        values, v = finite.eigh(A)
        size, u = xp.abs(values), v
    else:
        u, values, vh = finite.svd(A, full_matrices=False)
        size, v = values, adjoint(vh)
    kept = _count(xp, size, atol, rtol)
    inverse = xp.where(kept, 1 / xp.where(kept, values, 1), 0).astype(A.dtype)
    return (v * inverse[..., None, :]) @ adjoint(u)


@_pseudo.defjvp
def _pseudo_jvp(hermitian, primals, changes):
    found = _pseudo(*primals, hermitian)
    return found, _pseudo_change(primals[0], found, changes[0])


def _pseudo_change(A, P, dA):
    """Return the derivative of the Moore-Penrose pseudoinverse P of A, for changes that keep the rank of A."""
    turned = adjoint(dA)
    beside = P @ (adjoint(P) @ turned)
    below = turned @ adjoint(P)
    return beside - (beside @ A) @ P + (below - P @ (A @ below)) @ P - P @ dA @ P


def _count(xp, size, atol, rtol):
    """Return a mask of the singular values that do not count as zero."""
    largest = xp.max(size, axis=-1, keepdims=True, initial=0)
    return size > xp.maximum(atol[..., None], rtol[..., None] * largest)


def _check_rank(call: Call) -> None:
    square_check("eigh" if call.hermitian else "matrix_rank", square=call.hermitian)(call)


def _rank_shape(call: Call) -> list:
    return [(broadcast([call.A.shape[:-2], call.atol.shape, call.rtol.shape]), _dtypes.int64)]


@factorization(
    check=_check_rank, columns=False, differentiable=False, where=(), keeps=("atol", "rtol"), shape=_rank_shape
)
def matrix_rank(A: Array, atol: Array, rtol: Array, hermitian: bool = False):
    """Return the number of singular values above max(atol, rtol * the largest singular value)."""
    xp = namespace(A)
    size = xp.abs(finite.eigh(A)[0]) if hermitian else finite.svd(A, full_matrices=False, compute_uv=False)
    return xp.sum(_count(xp, size, atol, rtol), axis=-1)


# -- least squares -----------------------------------------------------------------------------------------------------


def _lstsq_shape(call: Call) -> list:
    a, b = call.A, call.B
    vector = is_vector_side(a, b)
    batch = broadcast([a.shape[:-2], b.shape[: -1 if vector else -2]])
    columns = () if vector else b.shape[-1:]
    residuals = (*batch, *(columns or (1,))) if call.residuals else (0,)
    return [((*batch, a.shape[-1], *columns), a.dtype), (residuals, a.dtype.to_real())]


@factorization(
    numpy=False,
    check=_errors.linalg.check_lstsq,
    shape=_lstsq_shape,
    where=(),
    node="LinalgLstsqBackward0",
    remembers=("inputs", "first"),
)
def lstsq(A: Array, B: Array, rcond: float | None = None, residuals: bool = False):
    """Return X that minimizes |A X - B|, and the squared residual of each column.

    The residuals are empty if `residuals` is False.
    """
    vector = is_vector_side(A, B)
    b = B[..., None] if vector else B
    batch = np.broadcast_shapes(A.shape[:-2], b.shape[:-2])
    a, b = (jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (A, b))
    found = _least(a, b, rcond)
    rest = jnp.sum(jnp.square(jnp.abs(a @ found - b)), axis=-2) if residuals else jnp.zeros(0, A.real.dtype)
    return (found[..., 0] if vector else found), rest


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _least(A, B, rcond):
    if 0 in (*A.shape, *B.shape):
        return jnp.zeros((*A.shape[:-2], A.shape[-1], B.shape[-1]), A.dtype)
    is_good = ~jnp.isinf(A).any((-2, -1), keepdims=True)  # see `finite`
    A = jnp.where(is_good, A, 0)
    one = lambda a, b: jnp.linalg.lstsq(a, b, rcond)[0]
    for _ in range(A.ndim - 2):
        one = jax.vmap(one)
    return jnp.where(is_good, one(A, B), jnp.nan)


@_least.defjvp
def _least_jvp(rcond, primals, changes):
    (A, B), (dA, dB) = primals, changes
    P = _pseudo(A, jnp.zeros(()), jnp.asarray(max(A.shape[-2:]) * jnp.finfo(A.dtype).eps, A.real.dtype), False)
    return _least(A, B, rcond), P @ dB + _pseudo_change(A, P, dA) @ B
