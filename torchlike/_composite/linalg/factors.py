"""Functions of `torchlike.linalg`: LU and Householder factors, systems with error codes, tensors as matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchlike import _errors, return_types
from torchlike._composite.linalg.linalg import inv, inverse, solve
from torchlike._composite.random.random import randn
from torchlike._dtypes import bool_, int32, int64
from torchlike._dtypes.memory_format import contiguous_format
from torchlike._engine import to_numpy
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.out_rules import EXACT, ROWS, ROWS_UNLESS_EMPTY, Into, safely
from torchlike._tensor import factories, public_calls
from torchlike._tensor.autocast import casting
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.factories import all_examples
from torchlike._tensor.tensor import Tensor

# -- LU ----------------------------------------------------------------------------------------------------------------


def _check_pivot(name: str, pivot: bool) -> None:
    if not pivot:
        raise RuntimeError(f"{name}: LU without pivoting is not implemented on the CPU")


def first_zero(packed: Tensor) -> Tensor:
    """Return the position of the first zero on the diagonal of U, counted from 1, or 0 if there is none."""
    zero = rows["diagonal"](packed.detach(), 0, -2, -1) == 0
    if not zero.shape[-1]:
        return factories.zeros(tuple(zero.shape[:-1]), dtype=int32, device=packed.device)
    return rows["where"](zero.any(-1), rows["argmax"](zero.to(int32), -1) + 1, 0).to(int32)


def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """Return the LU decomposition P L U = A in compact form.

    Checking for errors flushes the pending trace and blocks.

    Args:
      A: matrices, (..., m, n).
      pivot: exchange rows. The CPU requires it.

    Returns:
      L and U in one matrix, and the pivots: for each row, the row that it was exchanged with, counted from 1.

    Raises:
      RuntimeError: U has a zero on its diagonal.
    """
    _check_pivot("linalg.lu_factor", pivot)
    packed, pivots = rows["lu_factor"](A)
    _refuse_zero(packed)
    return return_types.linalg_lu_factor((packed, pivots))


def _refuse_zero(packed: Tensor) -> None:
    if packed.device.type == "meta":
        return
    packed = all_examples(packed)
    found = to_numpy(first_zero(packed)._value).reshape(-1)
    for place in np.flatnonzero(found):
        raise _errors.linalg.zero_pivot(int(place) if packed.ndim > 2 else None, int(found[place]))


def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Return the results of `lu_factor`, and the position of the first zero on the diagonal of U as `info`.

    If `info` is not 0, raise an error only if `check_errors` is True.

    Args:
      A: matrices, (..., m, n).
      pivot: exchange rows. The CPU requires it.
      check_errors: raise an error if a matrix is singular.
    """
    _check_pivot("linalg.lu_factor", pivot)
    packed, pivots = rows["lu_factor"](A)
    info = first_zero(packed)
    if check_errors and info.any():
        raise _errors.linalg.singular("torch.linalg.lu_factor_ex", None, int(info.max()))
    return return_types.linalg_lu_factor_ex((packed, pivots, info))


def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """Return the LU decomposition of a matrix: P, L and U with P L U = A.

    Args:
      A: matrices, (..., m, n).
      pivot: exchange rows. The CPU requires it.
    """
    _check_pivot("linalg.lu_factor", pivot)
    packed, pivots = rows["lu_factor"](A)
    return return_types.linalg_lu((rows["_permutation"](packed, pivots), *rows["lu_unpack"](packed)))


def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Return P, L and U, given the results of `lu_factor`.

    `unpack_data` and `unpack_pivots` select the results; the others are empty.

    Args:
      LU_data, LU_pivots: the results of `lu_factor`.
      unpack_data: return L and U.
      unpack_pivots: return P.

    >>> A = torchlike.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> P, L, U = torchlike.lu_unpack(*torchlike.linalg.lu_factor(A))
    >>> torchlike.allclose(P @ L @ U, A)
    True
    """
    if unpack_pivots and LU_pivots.dtype is not int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: "
            "this function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    none = lambda: factories.empty(0, dtype=LU_data.dtype, device=LU_data.device)
    lower, upper = rows["lu_unpack"](LU_data) if unpack_data else (none(), none())
    order = rows["_permutation"](LU_data, LU_pivots) if unpack_pivots else none()
    return return_types.lu_unpack((order, lower, upper))


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """Return X with A X = B, given the results of `lu_factor` for A.

    If `left` is False, solve X A = B instead. If `adjoint` is True, A* takes the place of A.

    Args:
      LU, pivots: the results of `lu_factor`.
      B: right-hand sides, (..., n, k).
      left: solve A X = B, else X A = B.
      adjoint: solve with the conjugate transpose of A.
    """
    return rows["lu_solve"](LU, pivots, B, left, adjoint)


@casting(FULL_ON_CPU)
def old_lu(A: Tensor, pivot: bool = True, get_infos: Any = False) -> Any:
    """Return L and U in one matrix, and the pivots.

    With `get_infos`, also return the position of the first zero on the diagonal of U.

    Args:
      A: matrices, (..., m, n).
      pivot: exchange rows. The CPU requires it.
      get_infos: also return the error codes.
    """
    _errors.deprecated.say("lu")
    found = lu_factor_ex(A, pivot=pivot)
    return tuple(found) if get_infos else tuple(found[:2])


@casting(FULL_ON_CPU)
def old_lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Return X with A X = input, given the results of `lu` for A.

    Args:
      input: right-hand sides, (..., n, k).
      LU_data, LU_pivots: the results of `lu`.
    """
    _errors.deprecated.say("lu_solve")
    return lu_solve(LU_data, LU_pivots, input)


def geqrf(input: Tensor) -> Any:
    """Return the QR decomposition in LAPACK's compact form.

    Returns:
      A matrix with R on and above the diagonal and the Householder vectors of Q below it, and the reflectors' factors.
    """
    return return_types.geqrf(rows["geqrf"](input))


# -- systems -----------------------------------------------------------------------------------------------------------


@casting(FULL_ON_CPU)
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """Return the inverse, and the position of the first zero on the diagonal of U (of the LU decomposition) as `info`.

    If `info` is not 0, raise an error only if `check_errors` is True.

    Args:
      A: square matrices, (..., n, n).
      check_errors: raise an error if a matrix is singular.
    """
    result = inv(A) if check_errors else rows["inv"](A)
    return return_types.linalg_inv_ex((result, first_zero(rows["lu_factor"](A.detach())[0])))


def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """Return X with A X = B, and the position of the first zero on the diagonal of U (of A = P L U) as `info`.

    If `info` is not 0, raise an error only if `check_errors` is True.

    Args:
      A: square matrices, (..., n, n).
      B: right-hand sides, (..., n, k) or vectors (..., n).
      left: solve A X = B, else X A = B.
      check_errors: raise an error if a matrix is singular.
    """
    result = solve(A, B, left=left) if check_errors else rows["solve"](A, B, left)
    return return_types.linalg_solve_ex((result, first_zero(rows["lu_factor"](A.detach())[0])))


@casting(FULL_ON_CPU)
def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """Return X with A X = b, or A^T X = b if `transpose` is True, for a triangular A. Also return a copy of A.

    Args:
      b: right-hand sides, (..., n, k).
      A: triangular matrices, (..., n, n).
      upper: A is upper triangular, else lower.
      transpose: solve with the transpose of A.
      unitriangular: take the diagonal of A for ones. It is not read.
    """
    _errors.deprecated.say("triangular_solve")
    _errors.systems.check_triangular_solve(b, A)
    factor = A.mT if transpose else A
    found = rows["solve_triangular"](factor, b, upper=upper != transpose, unitriangular=unitriangular)
    batch = tuple(found.shape[:-2])
    copy = rows["expand"](A, (*batch, *A.shape[-2:])).mT.clone(memory_format=contiguous_format).mT
    return return_types.triangular_solve((found, copy))


@casting(FULL_ON_CPU)
def tensorinv(input: Tensor, ind: int = 2) -> Tensor:
    """Return the inverse of a tensor as a linear map.

    The tensor is treated as a matrix whose rows are its first `ind` dims and whose columns are the other dims.

    Args:
      input: a tensor. The product of its first `ind` sizes equals the product of the other sizes.
      ind: the number of leading dims, above 0.
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    first, rest = tuple(input.shape[:ind]), tuple(input.shape[ind:])
    if ind > input.ndim:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {input.ndim}")
    size = math.prod(first)
    if size != math.prod(rest):
        raise _errors.linalg.no_square_tensor("self", first, rest, "ind")
    return inverse(input.reshape(size, size), "inv").reshape((*rest, *first))


@casting(FULL_ON_CPU)
def tensorsolve(input: Tensor, other: Tensor, dims: tuple[int, ...] | None = None) -> Tensor:
    """Return X with tensordot(A, X, X.ndim) = B.

    `dims` are moved to the end of A first.

    Args:
      input: a tensor. The product of the sizes of B equals the product of the sizes of X.
      other: the right-hand side.
      dims: the dims of A to move. Default: none.
    """
    if dims is not None:
        input = input.movedim(tuple(dims), tuple(range(input.ndim - len(dims), input.ndim)))
    shape = tuple(input.shape[other.ndim :])
    size = math.prod(shape)
    for first in (tuple(input.shape[: other.ndim]), tuple(other.shape)):
        if math.prod(first) != size:
            raise _errors.linalg.no_square_tensor("self", first, shape, "other.ndim")
    return solve(input.reshape(size, size), other.reshape(-1)).reshape(shape)


def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Return the Vandermonde matrix: the powers 0 to N - 1 of each element, along a new last dim.

    The default of `N` is the size of the last dim.

    Args:
      x: vectors, (..., n).
      N: the number of columns, above 1.
    """
    if x.dtype.itemsize < 2 + 2 * x.dtype.is_floating_point and (x.dtype.is_floating_point or x.dtype is bool_):
        raise _errors.systems.vander_dtype(x.dtype)
    if not x.ndim:
        x = x.unsqueeze(0)
    N = x.shape[-1] if N is None else N
    if N <= 1:
        raise RuntimeError("N must be greater than 1.")
    dtype = x.dtype if x.dtype.is_floating_point or x.dtype.is_complex else int64
    if not N:
        return factories.ones((*x.shape, N), dtype=dtype, device=x.device)
    x = x.to(dtype)
    ones = factories.ones((*x.shape, 1), dtype=dtype, device=x.device)
    repeated = rows["expand"](x.unsqueeze(-1), (*x.shape, N - 1))
    return rows["cat"]([ones, rows["cumprod"](repeated, -1)], -1)


# -- low-rank approximation by random projection (Halko, Martinsson and Tropp 2009) ------------------------------------


def _range(A: Tensor, q: int, niter: int, M: Tensor | None) -> Tensor:
    """Return orthonormal columns that approximately span the leading singular vectors of A - M."""
    R = randn(A.shape[-1], q, dtype=A.dtype, device=A.device)
    times = lambda a, m, x: a @ x if m is None else a @ x - m @ x
    turned, shift = A.mH, None if M is None else M.mH
    Q = rows["qr"](times(A, M, R))[0]
    for _ in range(niter):
        Q = rows["qr"](times(turned, shift, Q))[0]
        Q = rows["qr"](times(A, M, Q))[0]
    return Q


def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> tuple[Tensor, ...]:
    """Return U, S and V of an approximate decomposition A - M = U diag(S) V* with the q largest singular values.

    Args:
      A: (..., m, n).
      q: the number of singular values, 6 by default.
      niter: the number of subspace iterations.
      M: a tensor that is subtracted from `A`, of a shape that can be expanded to that of `A`.
    """
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    if M is not None:
        M = rows["expand"](M, tuple(A.shape))
    wide = A.shape[-2] < A.shape[-1]
    if wide:
        A, M = A.mH, None if M is None else M.mH
    Q = _range(A, q, niter, M)
    B = Q.mH @ A if M is None else Q.mH @ (A - M)
    U, S, Vh = rows["svd"](B, False)
    U, V = Q @ U, Vh.mH
    return (V, S, U) if wide else (U, S, V)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, ...]:
    """Return an approximate principal component analysis: `svd_lowrank` of A, with the mean of its rows subtracted.

    Args:
      A: (..., m, n), with a sample in each row.
      q: the number of components, min(6, m, n) by default.
      center: whether to subtract the mean.
      niter: the number of subspace iterations.
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if center:
        A = A - rows["mean"](A, -2, True)
    return svd_lowrank(A, q, niter)


_INTO = {
    "lu_factor": EXACT._replace(called="linalg_lu_factor_ex"),
    "lu_factor_ex": EXACT._replace(called="linalg_lu_factor_ex"),
    "lu": EXACT._replace(called="linalg_lu"),
    "lu_solve": EXACT._replace(called="linalg_lu_solve"),
    "inv_ex": EXACT._replace(called="linalg_inv_ex"),
    "solve_ex": EXACT._replace(called="_linalg_solve_ex"),
    "tensorinv": Into(cast=safely("tensorinv"), order=ROWS, called=None),
    "tensorsolve": Into(cast=safely("tensorsolve"), called=None),
}
_INTO_OLD = {
    "lu": Into(cast=lambda result, out: None, quiet=True, order=ROWS, called=None),
    "lu_solve": _INTO["lu_solve"],
    "geqrf": Into(cast=safely("torch.geqrf", "a", "tau"), order=ROWS_UNLESS_EMPTY),
    "triangular_solve": EXACT,
    "lu_unpack": EXACT,
}
LINALG = public_calls.named(
    {f.__name__: f for f in (lu_factor, lu_factor_ex, lu, lu_solve, inv_ex, solve_ex, tensorinv, tensorsolve, vander)},
    "linalg_",
    out=_INTO,
)
_OLD = {"lu": old_lu, "lu_solve": old_lu_solve, "geqrf": geqrf, "triangular_solve": triangular_solve}
METHODS = public_calls.named(_OLD, itself=1)
FUNCTIONS = public_calls.named(
    {**_OLD, "lu_unpack": lu_unpack, "svd_lowrank": svd_lowrank, "pca_lowrank": pca_lowrank}, out=_INTO_OLD
)
