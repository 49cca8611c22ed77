"""Functions of `torchlike.linalg` that select operators, raise for singular matrices, or combine other functions."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchlike import _errors, return_types
from torchlike._dtypes import FLOATING, int32
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes.recorder import current
from torchlike._engine import to_numpy
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.declare import Scalar as Number
from torchlike._ops.schema.out_rules import EXACT, ROWS, ROWS_UNLESS_EMPTY, Into, safely
from torchlike._tensor import factories, public_calls
from torchlike._tensor.autocast import casting
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.factories import all_examples
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.underived import derived_from

LinAlgError = _errors.linalg.LinAlgError
matmul = rows["matmul"]


def _host(t: Tensor) -> np.ndarray:
    return to_numpy(t._value)


def host_matrices(A: Tensor) -> np.ndarray:
    """Return a batch of matrices on the host, with its leading dims flattened to one."""
    return _host(A).reshape(math.prod(A.shape[:-2]), *A.shape[-2:])


# -- inverses and systems: PyTorch raises for singular matrices, so these functions read the result -------------------


def inv(A: Tensor) -> Tensor:
    """Return the inverse of a square matrix.

    Checking for errors flushes the pending trace and blocks.

    Args:
      A: square matrices, (..., n, n).

    Raises:
      LinAlgError: A is singular.

    >>> torchlike.linalg.inv(torchlike.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inverse(A, "linalg.inv")


def inverse(A: Tensor, name: str) -> Tensor:
    """Return the inverse of a square matrix; error messages use the function name `name`."""
    result = rows["inv"](A)
    _refuse_singular(A, result, name)
    return result


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """Return X with A X = B, or with X A = B if `left` is False.

    Checking for errors flushes the pending trace and blocks.

    Args:
      A: square matrices, (..., n, n).
      B: right-hand sides, (..., n, k) or vectors (..., n).
      left: solve A X = B, else X A = B.

    Raises:
      LinAlgError: A is singular.

    >>> torchlike.linalg.solve(torchlike.tensor([[2.0, 0.0], [0.0, 4.0]]), torchlike.tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    result = rows["solve"](A, B, left)
    _refuse_singular(A, result, "torch.linalg.solve")
    return result


def _refuse_singular(A: Tensor, result: Tensor, name: str) -> None:
    A, result = all_examples(A), all_examples(result)
    if result.device.type == "meta" or np.isfinite(_host(result)).all():
        return
    from scipy.linalg import lapack

    matrices = host_matrices(A)
    (factor,) = lapack.get_lapack_funcs(("getrf",), (matrices,))
    for place, matrix in enumerate(matrices):
        info = factor(matrix)[2] if np.isfinite(matrix).all() else 0
        if info > 0:
            raise _errors.linalg.singular(name, place if A.ndim > 2 else None, info)


def cholesky(input: Tensor, *, upper: bool = False) -> Tensor:
    """Return the Cholesky factor L with L L* = A, or its conjugate transpose if `upper` is True.

    Checking for errors flushes the pending trace and blocks.

    Args:
      input: Hermitian positive-definite matrices, (..., n, n).
      upper: return the upper triangular factor.

    Raises:
      LinAlgError: A is not positive-definite.

    >>> torchlike.linalg.cholesky(torchlike.tensor([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    result = rows["cholesky"](input, upper)
    if result.device.type != "meta" and not np.isfinite(_host(all_examples(result))).all():
        _refuse_indefinite(all_examples(input))
    return result


def _minors(A: Tensor) -> list[int]:
    """Return for each matrix the order of the first leading minor that is not positive-definite, or 0."""
    from scipy.linalg import lapack

    matrices = host_matrices(A)
    (factor,) = lapack.get_lapack_funcs(("potrf",), (matrices,))
    order = lambda m: int(factor(m, lower=True)[1]) if np.isfinite(m).all() else _minor(m)
    return [order(m) if m.size else 0 for m in matrices]


def _minor(A: np.ndarray) -> int:
    """Return the order of the first leading minor of A that is not positive, or 0.

    This function serves matrices with elements that are not finite, for which LAPACK implementations differ.
    """
    L = np.zeros_like(A)
    with np.errstate(all="ignore"):
        for j in range(len(A)):
            pivot = (A[j, j] - (abs(L[j, :j]) ** 2).sum()).real
            if not pivot > 0:
                return j + 1
            L[j, j] = np.sqrt(pivot)
            L[j + 1 :, j] = (A[j + 1 :, j] - L[j + 1 :, :j] @ L[j, :j].conj()) / L[j, j]
    return 0


def _refuse_indefinite(A: Tensor) -> None:
    for place, order in enumerate(_minors(A)):
        if order > 0:
            raise _errors.linalg.not_positive_definite(place if A.ndim > 2 else None, order)


@casting(FULL_ON_CPU)
def cholesky_ex(input: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Return the Cholesky factor, and an error code `info`, without raising an error unless `check_errors` is True.

    `info` is the order of the first leading minor that is not positive-definite, or 0 if there is none. If it is not 0,
    L is NaN.

    Args:
      input: Hermitian positive-definite matrices, (..., n, n).
      upper: return the upper triangular factor.
      check_errors: raise an error if a matrix is not positive-definite.

    >>> torchlike.linalg.cholesky_ex(torchlike.tensor([[4.0, 2.0], [2.0, 5.0]])).L
    tensor([[2., 0.],
            [1., 2.]])
    """
    result = cholesky(input, upper=upper) if check_errors else rows["cholesky"](input, upper)
    every = all_examples(input)
    info = factories.tensor(
        np.array(_minors(every), np.int32).reshape(every.shape[:-2]), dtype=int32, device=input.device
    )
    info = factories.one_example(info, input)
    return return_types.linalg_cholesky_ex((result, info))


# -- factors -----------------------------------------------------------------------------------------------------------


def qr(A: Tensor, mode: str = "reduced") -> Any:
    """Return Q with orthonormal columns and an upper triangular R such that Q R = A.

    Args:
      A: matrices, (..., m, n).
      mode: "reduced", "complete" (a square Q) or "r" (an empty Q).

    >>> Q, R = torchlike.linalg.qr(torchlike.ones(3, 2))
    >>> Q.shape, R.shape
    (torch.Size([3, 2]), torch.Size([2, 2]))
    """
    return return_types.linalg_qr(rows["qr"](A, mode))


def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """Return U, S and Vh with U diag(S) Vh = A. The singular values S are in descending order.

    If `full_matrices` is False, only the first min(m, n) singular vectors are returned.

    Args:
      A: matrices, (..., m, n).
      full_matrices: return square U and Vh.
      driver: PyTorch's choice of a CUDA routine. It must be None for matrices on the CPU.

    >>> U, S, Vh = torchlike.linalg.svd(torchlike.tensor([[3.0, 0.0], [0.0, 4.0]]))
    >>> S
    tensor([4., 3.])
    """
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    return return_types.linalg_svd(rows["svd"](A, full_matrices))


def eigh(input: Tensor, UPLO: str = "L") -> Any:
    """Return the eigenvalues, in ascending order, and the eigenvectors of a Hermitian matrix.

    Only the half of A that `UPLO` names ("L" or "U") is read.

    Args:
      input: Hermitian matrices, (..., n, n).
      UPLO: "L" for the lower half, "U" for the upper.

    >>> torchlike.linalg.eigh(torchlike.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    return return_types.linalg_eigh(rows["eigh"](input, UPLO))


def eig(A: Tensor) -> Any:
    """Return the complex eigenvalues and eigenvectors of a square matrix.

    Except during a capture, checking for infs and NaNs flushes the pending trace and blocks.

    Args:
      A: square matrices, (..., n, n).
    """
    if A.ndim > 1 and A.dtype.category >= FLOATING and current().capture is None and not _is_finite(A):
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    return return_types.linalg_eig(rows["eig"](A))


def _is_finite(A: Tensor) -> bool:
    return A.is_meta or bool(np.isfinite(_host(all_examples(A))).all())


def slogdet(A: Tensor) -> Any:
    """Return the sign of the determinant and the logarithm of its absolute value.

    Args:
      A: square matrices, (..., n, n).

    >>> torchlike.linalg.slogdet(torchlike.tensor([[2.0, 0.0], [0.0, -3.0]]))
    torch.return_types.linalg_slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(1.7918))
    """
    return return_types.linalg_slogdet(rows["slogdet"](A))


def old_slogdet(input: Tensor) -> Any:
    """Return the sign of the determinant and the logarithm of its absolute value."""
    return return_types.slogdet(rows["slogdet"](input))


def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant, or NaN where a real determinant is negative.

    >>> torchlike.logdet(torchlike.tensor([[2.0, 0.0], [0.0, 3.0]]))
    tensor(1.7918)
    """
    sign, size = rows["slogdet"](input)
    if input.is_complex():
        return rows["add"](rows["log"](sign), size)
    return rows["where"](rows["eq"](sign, -1.0), float("nan"), size)


def matrix_power(input: Tensor, n: int) -> Tensor:
    """Return the n-th power of a square matrix. If n is negative, return the power -n of its inverse.

    Args:
      input: square matrices, (..., n, n).
      n: the exponent.

    >>> torchlike.linalg.matrix_power(torchlike.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    _errors.linalg.check_matrix_sizes("linalg.matrix_power", input, True)
    if n == 0:
        eye = factories.tensor(np.eye(input.shape[-1]), dtype=input.dtype, device=input.device)
        powers = derived_from(
            (input,), rows["expand"](eye, tuple(input.shape)).clone(), "torch::autograd::CopyBackwards"
        )
        return powers
    base, result = (input if n > 0 else inv(input)), None
    n = abs(n)
    while n:
        if n & 1:
            result = base if result is None else matmul(result, base)
        n >>= 1
        base = matmul(base, base) if n else base
    return rows["clone"](input) if result is input or result is None else result


def multi_dot(tensors: Any) -> Tensor:
    """Return the product of several matrices, multiplied in the cheapest order.

    Args:
      tensors: at least two matrices. The first and the last may also be vectors.
    """
    if isinstance(tensors, Tensor):
        raise _errors.arguments.wrong_type("linalg_multi_dot", "tensors", 1, "tuple of Tensors", tensors)
    _errors.linalg.check_multi_dot(tensors)
    sizes = [tensors[0].shape[0] if tensors[0].ndim > 1 else 1, *[x.shape[-1] for x in tensors[:-1]]]
    sizes.append(tensors[-1].shape[1] if tensors[-1].ndim > 1 else 1)
    return _product(tensors, _best_cuts(sizes), 0, len(tensors) - 1)


def _product(tensors: Sequence[Tensor], cuts: dict[tuple[int, int], int], first: int, last: int) -> Tensor:
    """Return the product of the matrices from `first` to `last`."""
    if first == last:
        return tensors[first]
    cut = cuts[first, last]
    return matmul(_product(tensors, cuts, first, cut), _product(tensors, cuts, cut + 1, last))


def _best_cuts(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Return, for each part of a chain of matrices, the position at which to split it for the cheapest product.

    Matrix i has the shape (sizes[i], sizes[i + 1]). This is the dynamic program for matrix chain multiplication.
    """
    count = len(sizes) - 1
    costs = {(i, i): 0 for i in range(count)}
    cuts = {}

    def cost(first: int, last: int, cut: int) -> int:
        return costs[first, cut] + costs[cut + 1, last] + sizes[first] * sizes[cut + 1] * sizes[last + 1]

    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            # In a tie, PyTorch multiplies three matrices from the left, and more matrices from the right.
            tried = range(first, last) if count > 3 else range(last - 1, first - 1, -1)
            cuts[first, last] = min(tried, key=functools.partial(cost, first, last))
            costs[first, last] = cost(first, last, cuts[first, last])
    return cuts


# -- norms -------------------------------------------------------------------------------------------------------------


def matrix_norm(
    input: Tensor,
    ord: Number | str = "fro",
    dim: tuple[int, ...] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Dtype | None = None,
) -> Tensor:
    """Return a norm of matrices.

    `ord` is "fro", "nuc", 2 or -2 (singular values), 1 or -1 (column sums), or inf or -inf (row sums).

    Args:
      input: matrices.
      ord: the order of the norm.
      dim: the dims of the rows and columns.
      keepdim: keep both dims with size 1.

    >>> torchlike.linalg.matrix_norm(torchlike.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(5.)
    """
    _errors.linalg.check_order("matrix_norm", ord)
    if ord not in ("fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf")):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    _errors.linalg.check_matrix_norm(input, tuple(dim))
    if ord in ("nuc", 2, -2) and input.dtype.itemsize < 4:
        raise _errors.linalg.low_precision("linalg.matrix_norm", input.dtype)
    input = input if dtype is None else input.to(dtype)
    rows_dim, columns_dim = (d % input.ndim for d in dim)
    if ord == "fro":
        return rows["vector_norm"](input, 2, (rows_dim, columns_dim), keepdim)
    if ord in (1, -1, float("inf"), float("-inf")):
        first, second = (rows_dim, columns_dim) if abs(ord) == 1 else (columns_dim, rows_dim)
        sums = rows["vector_norm"](input, 1, first, keepdim)
        second -= second > first and not keepdim
        return (rows["amin"] if ord < 0 else _largest)(sums, second, keepdim)
    else:
        values = rows["svdvals"](input.movedim((rows_dim, columns_dim), (-2, -1)))
        picked = (rows["sum"] if ord == "nuc" else rows["amin"] if ord < 0 else _largest)(values, -1)
        result = picked.unsqueeze(-1).unsqueeze(-1).movedim((-2, -1), (rows_dim, columns_dim))
    return result if keepdim else result.squeeze((rows_dim, columns_dim))


def _largest(sizes: Tensor, dim: int, keepdim: bool = False) -> Tensor:
    """Return the maximum along a dim, or 0 without a gradient if the dim is empty."""
    if not sizes.shape[dim]:
        return rows["sum"](sizes.detach(), dim, keepdim)
    return rows["amax"](sizes, dim, keepdim)


def norm(
    input: Tensor,
    ord: Number | str | None = None,
    dim: tuple[int, ...] | int | None = None,
    keepdim: bool = False,
    *,
    dtype: Dtype | None = None,
) -> Tensor:
    """Return a vector norm over one dim, or a matrix norm over two dims.

    If neither `ord` nor `dim` is given, return the 2-norm of all elements.

    Args:
      input: a tensor.
      ord: the order of the norm: see `vector_norm` and `matrix_norm`. Default: 2, or "fro" for matrices.
      dim: one dim for a vector norm, or two for a matrix norm. Default: all dims.

    >>> torchlike.linalg.norm(torchlike.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if isinstance(dim, int):
        dim = (dim,)
    if isinstance(ord, str) and (dim is not None or input.ndim in (1, 2)):
        return matrix_norm(input, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    if ord is None or (dim is not None and len(dim) == 1):
        order = 2 if ord is None else ord
        return rows["vector_norm"](input, order, dim, keepdim, dtype=dtype)
    if dim is not None:
        return matrix_norm(input, ord, dim, keepdim, dtype=dtype)
    if input.ndim == 1:
        return rows["vector_norm"](input, ord, None, keepdim, dtype=dtype)
    if input.ndim != 2:
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {input.ndim}D."
        )
    return matrix_norm(input, ord, (-2, -1), keepdim, dtype=dtype)


# -- deprecated functions ----------------------------------------------------------------------------------------------


def old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """Return U, S and V with U diag(S) V* = input.

    If `compute_uv` is False, U and V are zeros.

    Args:
      input: matrices, (..., m, n).
      some: return only the first min(m, n) columns of U and V.
      compute_uv: compute U and V.
    """
    u, s, vh = rows["svd"](input, compute_uv and not some)
    v = vh.transpose(-2, -1)
    if not compute_uv:  # zeros of the full size, as in PyTorch
        zeros = lambda x: factories.zeros((*x.shape[:-1], x.shape[-2]), dtype=x.dtype, device=x.device)
        u, v = zeros(u), zeros(v).mT
    return return_types.svd((u, s, v.conj() if v.is_complex() else v))


def old_qr(input: Tensor, some: bool = True) -> Any:
    """Return Q and R with Q R = input.

    Args:
      input: matrices, (..., m, n).
      some: return a reduced Q, else a square one.
    """
    _errors.deprecated.say("qr")
    return return_types.qr(rows["qr"](input, "reduced" if some else "complete"))


def old_cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """Return L with L L* = input, or L* if `upper` is True.

    Args:
      input: Hermitian positive-definite matrices, (..., n, n).
      upper: return the upper triangular factor.
    """
    _errors.deprecated.say("cholesky")
    return cholesky(input, upper=upper)


_IDENTITY = Into(cast=safely("matrix_power"), called="aten::")


def _power_into(input: Tensor, n: int) -> Into:
    return EXACT._replace(called=None) if n else _IDENTITY


_INTO: dict[str, Any] = {
    "inv": EXACT._replace(called="linalg_inv_ex"),
    "solve": EXACT._replace(called="_linalg_solve_ex"),
    "cholesky": EXACT._replace(called="linalg_cholesky_ex"),
    "cholesky_ex": EXACT._replace(called="linalg_cholesky_ex"),
    "qr": EXACT._replace(called="linalg_qr"),
    "svd": EXACT._replace(called="_linalg_svd"),
    "eigh": EXACT._replace(called="_linalg_eigh"),
    "eig": Into(cast=safely("torch.linalg.eig", "eigenvalues", "eigenvectors"), order=ROWS_UNLESS_EMPTY),
    "slogdet": EXACT._replace(called="_linalg_slogdet"),
    "matrix_power": _power_into,
    "multi_dot": Into(_errors.outs.of_chain, called="mm"),
    "matrix_norm": Into(_errors.outs.norm("matrix_norm"), called=None, overloads=True),
    "norm": Into(_errors.outs.norm("norm"), called=None, overloads=True),
}
LINALG = public_calls.named(
    {
        f.__name__: f
        for f in (
            inv,
            solve,
            cholesky,
            cholesky_ex,
            qr,
            svd,
            eigh,
            eig,
            slogdet,
            matrix_power,
            multi_dot,
            matrix_norm,
            norm,
        )
    },
    "linalg_",
    out=_INTO,
)
_OLD = {
    "inverse": inv,
    "logdet": logdet,
    "slogdet": old_slogdet,
    "matrix_power": matrix_power,
    "svd": old_svd,
    "qr": old_qr,
    "cholesky": old_cholesky,
}
_INTO_OLD = {name: _INTO[name] for name in ("slogdet", "matrix_power", "svd", "qr")}
_INTO_OLD |= {"inverse": _INTO["inv"], "cholesky": Into(cast=safely("cholesky"), order=ROWS)}
FUNCTIONS, METHODS = public_calls.named(_OLD, out=_INTO_OLD), public_calls.named(_OLD, itself=1)
