# Made by `python -m tools.make_stubs`; tests/house/test_stubs.py keeps it fresh.
import builtins as _builtins
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any as _Any

from torchlike._dtypes import dtype as _dtype
from torchlike._tensor.tensor import Tensor as _Tensor

_bool = _builtins.bool
_int = _builtins.int
_float = _builtins.float
_complex = _builtins.complex
_str = _builtins.str
_tuple = _builtins.tuple
_list = _builtins.list
_dict = _builtins.dict
_object = _builtins.object
_Number = _bool | _int | _float | _complex

class LinAlgError(RuntimeError): ...

def cholesky(input: _Tensor, *, upper: _bool = ..., out: _Any = ...) -> _Tensor:
    """Return the Cholesky factor L with L L* = A, or its conjugate transpose if `upper` is True."""
    ...

def cholesky_ex(input: _Tensor, *, upper: _bool = ..., check_errors: _bool = ..., out: _Any = ...) -> _Any:
    """Return the Cholesky factor, and an error code `info`, without raising an error unless `check_errors` is True."""
    ...

def cond(A: _Tensor, p: _Any = ..., *, out: _Any = ...) -> _Tensor:
    """Return the condition number, norm(A) * norm(inverse of A), where `p` is the order of the norm."""
    ...

def cross(input: _Tensor, other: _Tensor, *, dim: _int = ..., out: _Any = ...) -> _Tensor:
    """Return the cross product of vectors of three elements along `dim`."""
    ...

def det(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the determinant of a square matrix."""
    ...

def diagonal(A: _Tensor, *, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> _Tensor:
    """Return the diagonals of the matrices in the last two dims, as a view."""
    ...

def eig(A: _Tensor, *, out: _Any = ...) -> _Any:
    """Return the complex eigenvalues and eigenvectors of a square matrix."""
    ...

def eigh(input: _Tensor, UPLO: _str = ..., *, out: _Any = ...) -> _Any:
    """Return the eigenvalues, in ascending order, and the eigenvectors of a Hermitian matrix."""
    ...

def eigvals(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the complex eigenvalues of a square matrix."""
    ...

def eigvalsh(input: _Tensor, UPLO: _str = ..., *, out: _Any = ...) -> _Tensor:
    """Return the eigenvalues of a Hermitian matrix in ascending order."""
    ...

def householder_product(input: _Tensor, tau: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the first n columns of a product of Householder reflectors."""
    ...

def inv(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse of a square matrix."""
    ...

def inv_ex(A: _Tensor, *, check_errors: _bool = ..., out: _Any = ...) -> _Any:
    """Return the inverse, and the position of the first zero on the diagonal of U (of the LU decomposition) as `info`."""
    ...

def ldl_factor(input: _Tensor, *, hermitian: _bool = ..., out: _Any = ...) -> _Any:
    """Return the factorization A = L D L^T, or A = L D L* if `hermitian` is True, where D is block diagonal."""
    ...

def ldl_factor_ex(input: _Tensor, *, hermitian: _bool = ..., check_errors: _bool = ..., out: _Any = ...) -> _Any:
    """Return the results of `ldl_factor`, and the position of the first zero on the diagonal of D as `info`."""
    ...

def ldl_solve(LD: _Tensor, pivots: _Tensor, B: _Tensor, *, hermitian: _bool = ..., out: _Any = ...) -> _Tensor:
    """Return X with A X = B, given the factorization of A by `ldl_factor`."""
    ...

def lstsq(A: _Tensor, B: _Tensor, rcond: _float | None = ..., *, driver: _str | None = ..., out: _Any = ...) -> _Any:
    """Return X that minimizes |A X - B|, with the squared residuals, the rank of A and its singular values."""
    ...

def lu(A: _Tensor, *, pivot: _bool = ..., out: _Any = ...) -> _Any:
    """Return the LU decomposition of a matrix: P, L and U with P L U = A."""
    ...

def lu_factor(A: _Tensor, *, pivot: _bool = ..., out: _Any = ...) -> _Any:
    """Return the LU decomposition P L U = A in compact form."""
    ...

def lu_factor_ex(A: _Tensor, *, pivot: _bool = ..., check_errors: _bool = ..., out: _Any = ...) -> _Any:
    """Return the results of `lu_factor`, and the position of the first zero on the diagonal of U as `info`."""
    ...

def lu_solve(
    LU: _Tensor, pivots: _Tensor, B: _Tensor, *, left: _bool = ..., adjoint: _bool = ..., out: _Any = ...
) -> _Tensor:
    """Return X with A X = B, given the results of `lu_factor` for A."""
    ...

def matmul(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the matrix product: (..., n, k) @ (..., k, m) -> (..., n, m)."""
    ...

def matrix_exp(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the exponential of a square matrix, the sum over n of A**n / n!."""
    ...

def matrix_norm(
    input: _Tensor,
    ord: _Number | _str = ...,
    dim: _tuple[_int, ...] = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: _Any = ...,
) -> _Tensor:
    """Return a norm of matrices."""
    ...

def matrix_power(input: _Tensor, n: _int, *, out: _Any = ...) -> _Tensor:
    """Return the n-th power of a square matrix. If n is negative, return the power -n of its inverse."""
    ...

def matrix_rank(
    A: _Tensor, tol: _Any = ..., hermitian: _bool = ..., *, atol: _Any = ..., rtol: _Any = ..., out: _Any = ...
) -> _Tensor:
    """Return the number of singular values above max(atol, rtol * the largest singular value)."""
    ...

def multi_dot(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """Return the product of several matrices, multiplied in the cheapest order."""
    ...

def norm(
    input: _Tensor,
    ord: _Number | _str | None = ...,
    dim: _tuple[_int, ...] | _int | None = ...,
    keepdim: _bool = ...,
    *,
    dtype: _dtype | None = ...,
    out: _Any = ...,
) -> _Tensor:
    """Return a vector norm over one dim, or a matrix norm over two dims."""
    ...

def pinv(
    A: _Tensor, rcond: _Any = ..., hermitian: _bool = ..., *, atol: _Any = ..., rtol: _Any = ..., out: _Any = ...
) -> _Tensor:
    """Return the Moore-Penrose pseudoinverse."""
    ...

def qr(A: _Tensor, mode: _str = ..., *, out: _Any = ...) -> _Any:
    """Return Q with orthonormal columns and an upper triangular R such that Q R = A."""
    ...

def slogdet(A: _Tensor, *, out: _Any = ...) -> _Any:
    """Return the sign of the determinant and the logarithm of its absolute value."""
    ...

def solve(A: _Tensor, B: _Tensor, *, left: _bool = ..., out: _Any = ...) -> _Tensor:
    """Return X with A X = B, or with X A = B if `left` is False."""
    ...

def solve_ex(A: _Tensor, B: _Tensor, *, left: _bool = ..., check_errors: _bool = ..., out: _Any = ...) -> _Any:
    """Return X with A X = B, and the position of the first zero on the diagonal of U (of A = P L U) as `info`."""
    ...

def solve_triangular(
    input: _Tensor, B: _Tensor, *, upper: _bool, left: _bool = ..., unitriangular: _bool = ..., out: _Any = ...
) -> _Tensor:
    """Return X with A X = B for a triangular A. The other triangle of A is not read."""
    ...

def svd(A: _Tensor, full_matrices: _bool = ..., *, driver: _str | None = ..., out: _Any = ...) -> _Any:
    """Return U, S and Vh with U diag(S) Vh = A. The singular values S are in descending order."""
    ...

def svdvals(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the singular values of A in descending order."""
    ...

def tensorinv(input: _Tensor, ind: _int = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse of a tensor as a linear map."""
    ...

def tensorsolve(input: _Tensor, other: _Tensor, dims: _tuple[_int, ...] | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return X with tensordot(A, X, X.ndim) = B."""
    ...

def vander(x: _Tensor, *, N: _int | None = ...) -> _Tensor:
    """Return the Vandermonde matrix: the powers 0 to N - 1 of each element, along a new last dim."""
    ...

def vecdot(x: _Tensor, y: _Tensor, *, dim: _int = ..., out: _Any = ...) -> _Tensor:
    """Return the sum of conj(x) * y over `dim`."""
    ...

def vector_norm(
    input: _Tensor, ord: _Any = ..., dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...
) -> _Tensor:
    """Return the vector norm (sum of |x|**ord)**(1/ord) over `dim` (default: all dims)."""
    ...
