"""Functions of `torchlike.linalg`: the rank, the pseudoinverse, least squares and the condition number."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _errors, return_types
from torchlike._composite.linalg.factors import first_zero
from torchlike._composite.linalg.linalg import host_matrices, matrix_norm
from torchlike._dtypes import INTEGER, float64, int64
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.out_rules import ROWS_UNLESS_EMPTY, Into, safely
from torchlike._tensor import factories, public_calls
from torchlike._tensor.autocast import casting, rounded
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.factories import all_examples
from torchlike._tensor.tensor import Tensor


def _tolerances(name: str, A: Tensor, atol: Any, rtol: Any) -> tuple[Tensor, Tensor]:
    """Return both tolerances as tensors.

    The default of `rtol` is 0 if `atol` is positive. Otherwise it is the epsilon of the dtype times the larger of A's
    two sizes.
    """
    for which, given in (("atol", atol), ("rtol", rtol)):
        if isinstance(given, Tensor) and given.is_complex():
            raise _errors.linalg.complex_tolerance(name, which, given)
    if rtol is None:
        rtol = max(A.shape[-2:]) * float(np.finfo(A.dtype.numpy).eps) if _is_matrix(A) else 0.0
        if isinstance(atol, Tensor):
            rtol = rows["where"](atol > 0, 0.0, rtol)
        elif atol is not None and atol > 0:
            rtol = 0.0
    atol = 0.0 if atol is None else atol
    as_tensor = lambda x: x if isinstance(x, Tensor) else factories.tensor(x, dtype=float64, device=A.device)
    return as_tensor(atol), as_tensor(rtol)


def _is_matrix(A: Tensor) -> bool:
    """Return whether the operator accepts `A`."""
    return A.ndim >= 2 and A.dtype.category > INTEGER and A.dtype.itemsize >= 4


@casting(FULL_ON_CPU)
def matrix_rank(A: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """Return the number of singular values above max(atol, rtol * the largest singular value).

    Args:
      A: (..., m, n).
      tol: the former name of `atol`; sets `rtol` to 0.
      hermitian: whether A is Hermitian; its eigenvalues are used then.
      atol: the absolute tolerance, 0 by default.
      rtol: the relative tolerance. The default is 0 if `atol` is positive, otherwise max(m, n) times the epsilon of the
        dtype.
    """
    if tol is not None:
        atol, rtol = tol, 0.0
    limits = _tolerances("matrix_rank", A, atol, rtol)
    return rows["matrix_rank"](A, *limits, hermitian)


def pinv(A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Tensor:
    """Return the Moore-Penrose pseudoinverse.

    Singular values of at most max(atol, rtol * the largest singular value) count as zero.

    Args:
      A: (..., m, n).
      rcond: the former name of `rtol`; sets `atol` to 0.
      hermitian: whether A is Hermitian; only half of it is read then.
      atol: the absolute tolerance, 0 by default.
      rtol: the relative tolerance. The default is 0 if `atol` is positive, otherwise max(m, n) times the epsilon of the
        dtype.
    """
    if rcond is not None:
        atol, rtol = 0.0, rcond
    return rounded(rows["pinv"](A, *_tolerances("pinv", A, atol, rtol), hermitian))


@casting(FULL_ON_CPU)
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Return the Moore-Penrose pseudoinverse.

    Singular values of at most `rcond` times the largest one count as zero.

    Args:
      rcond: the relative bound below which singular values count as zero.
    """
    return pinv(input, rcond)


# -- least squares -----------------------------------------------------------------------------------------------------


@casting(FULL_ON_CPU)
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """Return X that minimizes |A X - B|, with the squared residuals, the rank of A and its singular values.

    The results that the LAPACK routine `driver` (by default "gelsy") does not compute are empty. The solution always
    uses the singular values of A; those of at most `rcond` times the largest one count as zero.

    The driver "gels" reads the rank of A, which flushes the pending trace. For tall matrices "gelsd" and "gelss" read
    it too, because the residuals are empty unless all matrices have full rank.

    Args:
      A: matrices, (..., m, n).
      B: right-hand sides, (..., m, k), or vectors (..., m).
      rcond: the relative bound below which singular values count as zero. Default: the epsilon of the dtype
        times max(m, n).
      driver: "gels", "gelsy", "gelsd" or "gelss".

    Raises:
      LinAlgError: with the driver "gels", the triangular factor of A has a zero on its diagonal.

    >>> A, B = torchlike.tensor([[1.0], [1.0]]), torchlike.tensor([[1.0], [3.0]])
    >>> torchlike.linalg.lstsq(A, B).solution.round()
    tensor([[2.]])
    """
    driver = "gelsy" if driver is None else driver
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    tall = A.ndim >= 2 and A.shape[-2] > A.shape[-1] and driver != "gelsy"
    solution, residuals = rows["lstsq"](A, B, rcond, tall)
    rank = matrix_rank(A, rtol=rcond)
    none = factories.empty(0, dtype=residuals.dtype, device=A.device)
    if driver == "gels":
        _refuse_rank(A, rank)
        rank = none.to(int64)
    elif tall and not _is_full(A, rank):
        residuals = rows["lstsq"](A, B, rcond, False)[1]
    values = rows["svdvals"](A.detach()) if driver in ("gelsd", "gelss") else none
    return return_types.linalg_lstsq((solution, residuals, rank, values))


def _is_full(A: Tensor, rank: Tensor) -> bool:
    return A.is_meta or bool((all_examples(rank) == min(A.shape[-2:])).all())


def _refuse_rank(A: Tensor, rank: Tensor) -> None:
    from scipy.linalg import lapack

    if _is_full(A, rank):
        return
    A = all_examples(A)
    for place, matrix in enumerate(host_matrices(A)):
        (solve,) = lapack.get_lapack_funcs(("gels",), (matrix,))
        *_, info = solve(matrix, np.zeros((max(matrix.shape), 1), matrix.dtype))
        if info > 0:
            raise _errors.linalg.not_of_full_rank(place if A.ndim > 2 else None, info)


# -- conditions --------------------------------------------------------------------------------------------------------

_BY_VALUES, _BY_INVERSE = (None, 2, -2), ("fro", "nuc", 1, -1, float("inf"), float("-inf"))


@casting(FULL_ON_CPU)
def cond(A: Tensor, p: Any = None) -> Tensor:
    """Return the condition number, norm(A) * norm(inverse of A), where `p` is the order of the norm.

    For `p` of None and 2, it is the ratio of the largest to the smallest singular value; for -2, the inverse ratio. For
    other orders, it is inf if A is singular.

    Args:
      A: matrices, (..., m, n); square ones unless `p` is None, 2 or -2.
      p: the order of the norm: None, "fro", "nuc", 2, -2, 1, -1, inf or -inf.
    """
    _errors.linalg.check_cond(A, p, (*_BY_VALUES, *_BY_INVERSE))
    if not A.numel():
        result = factories.zeros(tuple(A.shape[:-2]), dtype=A.dtype.to_real(), device=A.device)
    elif p in _BY_VALUES:
        values = rows["svdvals"](A)
        largest, smallest = rows["amax"](values, -1), rows["amin"](values, -1)
        result = rows["true_divide"](smallest, largest) if p == -2 else rows["true_divide"](largest, smallest)
    else:
        singular = first_zero(rows["lu_factor"](A.detach())[0]) > 0
        product = rows["mul"](matrix_norm(A, p), matrix_norm(rows["inv"](A), p))
        result = rows["where"](singular, float("inf"), product)
    return result


_INTO = {
    "matrix_rank": Into(cast=safely("torch.linalg.matrix_rank"), called="aten::", overloads=True),
    "pinv": Into(cast=safely("linalg.pinv"), overloads=True),
    "lstsq": Into(
        cast=safely("torch.linalg.lstsq", "solution", "solution", "rank", "singular_values"), order=ROWS_UNLESS_EMPTY
    ),
    "cond": Into(cast=safely("linalg.cond"), called=None, overloads=True),
}
LINALG = public_calls.named({f.__name__: f for f in (matrix_rank, pinv, lstsq, cond)}, "linalg_", out=_INTO)
FUNCTIONS, METHODS = public_calls.functions(pinverse), public_calls.methods(pinverse)
