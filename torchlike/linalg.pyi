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

def cholesky(A: _Tensor, *, upper: _bool = ..., out: _Any = ...) -> _Tensor:
    """L with L L* = A; raises LinAlgError where A is not positive-definite (an observation: pending work runs)."""
    ...

def cholesky_ex(A: _Tensor, *, upper: _bool = ..., check_errors: _bool = ..., out: _Any = ...) -> _Any:
    """`cholesky` that says in `info` which leading minor failed, where one did; L is then NaN."""
    ...

def cond(A: _Tensor, p: _Any = ..., *, out: _Any = ...) -> _Tensor:
    """The condition number: norm(A) * norm(inverse of A), inf where there is none; by singular values for p None, 2
    or -2."""
    ...

def cross(input: _Tensor, other: _Tensor, *, dim: _int = ..., out: _Any = ...) -> _Tensor:
    """The cross product of vectors of three elements along `dim`."""
    ...

def det(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The determinant of a square matrix."""
    ...

def diagonal(A: _Tensor, *, offset: _int = ..., dim1: _int = ..., dim2: _int = ...) -> _Tensor:
    """The diagonal of each matrix of the last two dims, as a view."""
    ...

def eig(A: _Tensor, *, out: _Any = ...) -> _Any:
    """Eigenvalues and eigenvectors, complex, of a square matrix."""
    ...

def eigh(A: _Tensor, UPLO: _str = ..., *, out: _Any = ...) -> _Any:
    """Eigenvalues in ascending order and eigenvectors of a Hermitian matrix."""
    ...

def eigvals(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The eigenvalues, complex, of a square matrix."""
    ...

def eigvalsh(A: _Tensor, UPLO: _str = ..., *, out: _Any = ...) -> _Tensor:
    """The eigenvalues of a Hermitian matrix in ascending order."""
    ...

def householder_product(input: _Tensor, tau: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The first columns of the product of the reflectors that lie below the diagonal."""
    ...

def inv(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The inverse of a square matrix; raises LinAlgError for a singular one (an observation: pending work runs)."""
    ...

def inv_ex(A: _Tensor, *, check_errors: _bool = ..., out: _Any = ...) -> _Any:
    """`inv` that says in `info` where the first zero on the diagonal of U is, instead of raising."""
    ...

def ldl_factor(A: _Tensor, *, hermitian: _bool = ..., out: _Any = ...) -> _Any:
    """L and the block diagonal D of A = L D L^T (L D L* if `hermitian`) in one matrix, and the rows exchanged; raises
    where D has a zero on its diagonal (an observation: pending work runs). Half of A is read."""
    ...

def ldl_factor_ex(A: _Tensor, *, hermitian: _bool = ..., check_errors: _bool = ..., out: _Any = ...) -> _Any:
    """`ldl_factor` that says in `info` where the first zero on the diagonal of D is, instead of raising."""
    ...

def ldl_solve(LD: _Tensor, pivots: _Tensor, B: _Tensor, *, hermitian: _bool = ..., out: _Any = ...) -> _Tensor:
    """X with A X = B, from what `ldl_factor` made of A."""
    ...

def lstsq(A: _Tensor, B: _Tensor, rcond: _float | None = ..., *, driver: _str | None = ..., out: _Any = ...) -> _Any:
    """X that makes |A X - B| least, with the squares of that, the rank of A and its singular values, as far as the
    LAPACK routine named (`driver`, by default "gelsy") gives them; the others are empty."""
    ...

def lu(A: _Tensor, *, pivot: _bool = ..., out: _Any = ...) -> _Any:
    """P, L and U with P L U = A."""
    ...

def lu_factor(A: _Tensor, *, pivot: _bool = ..., out: _Any = ...) -> _Any:
    """L and U of P L U = A in one matrix, and the rows exchanged with each row, counted from 1; raises RuntimeError
    where U has a zero on its diagonal (an observation: pending work runs)."""
    ...

def lu_factor_ex(A: _Tensor, *, pivot: _bool = ..., check_errors: _bool = ..., out: _Any = ...) -> _Any:
    """`lu_factor` that says in `info` where the first zero on the diagonal of U is."""
    ...

def lu_solve(
    LU: _Tensor, pivots: _Tensor, B: _Tensor, *, left: _bool = ..., adjoint: _bool = ..., out: _Any = ...
) -> _Tensor:
    """X with A X = B, from what `lu_factor` made of A."""
    ...

def matmul(input: _Tensor, other: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The matrix product; (..., n, k) @ (..., k, m) -> (..., n, m), vectors as in NumPy."""
    ...

def matrix_exp(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The exponential of a square matrix, the sum of A**n / n!."""
    ...

def matrix_norm(
    A: _Tensor, ord: _Any = ..., dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...
) -> _Tensor:
    """A norm of matrices: "fro", "nuc", 2 and -2 by singular values, 1 and inf by column and row sums."""
    ...

def matrix_power(A: _Tensor, n: _int, *, out: _Any = ...) -> _Tensor:
    """A multiplied with itself n times; of a negative n the inverse, that often."""
    ...

def matrix_rank(
    A: _Tensor, tol: _Any = ..., hermitian: _bool = ..., *, atol: _Any = ..., rtol: _Any = ..., out: _Any = ...
) -> _Tensor:
    """How many singular values are above max(atol, rtol * the largest); `tol` is an older name of an `atol` alone."""
    ...

def multi_dot(tensors: _Any, *, out: _Any = ...) -> _Tensor:
    """The product of several matrices (the first and the last may be vectors)."""
    ...

def norm(
    A: _Tensor, ord: _Any = ..., dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...
) -> _Tensor:
    """A vector norm over one dim, a matrix norm over two; without `ord` the 2-norm of all elements."""
    ...

def pinv(
    A: _Tensor, rcond: _Any = ..., hermitian: _bool = ..., *, atol: _Any = ..., rtol: _Any = ..., out: _Any = ...
) -> _Tensor:
    """The Moore-Penrose inverse: singular values of at most max(atol, rtol * the largest) count as zero; `rcond` is an
    older name of an `rtol` alone. Of a Hermitian matrix half is read."""
    ...

def qr(A: _Tensor, mode: _str = ..., *, out: _Any = ...) -> _Any:
    """Q with orthonormal columns and upper triangular R, Q R = A."""
    ...

def slogdet(A: _Tensor, *, out: _Any = ...) -> _Any:
    """The sign of the determinant and the logarithm of its absolute value."""
    ...

def solve(A: _Tensor, B: _Tensor, *, left: _bool = ..., out: _Any = ...) -> _Tensor:
    """X with A X = B (X A = B unless `left`); raises LinAlgError where A is singular (an observation)."""
    ...

def solve_ex(A: _Tensor, B: _Tensor, *, left: _bool = ..., check_errors: _bool = ..., out: _Any = ...) -> _Any:
    """`solve` that says in `info` where the first zero on the diagonal of U is, instead of raising."""
    ...

def solve_triangular(
    A: _Tensor, B: _Tensor, *, upper: _bool, left: _bool = ..., unitriangular: _bool = ..., out: _Any = ...
) -> _Tensor:
    """X with A X = B (or X A = B unless `left`), for a triangular A; its other half is not looked at."""
    ...

def svd(A: _Tensor, full_matrices: _bool = ..., *, driver: _str | None = ..., out: _Any = ...) -> _Any:
    """U, S and Vh with U diag(S) Vh = A; S in descending order."""
    ...

def svdvals(A: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The singular values in descending order."""
    ...

def tensorinv(A: _Tensor, ind: _int = ..., *, out: _Any = ...) -> _Tensor:
    """The inverse of a tensor taken for a matrix of its first `ind` dims and the others."""
    ...

def tensorsolve(A: _Tensor, B: _Tensor, dims: _Any = ..., *, out: _Any = ...) -> _Tensor:
    """X with tensordot(A, X, X.ndim) = B."""
    ...

def vander(x: _Tensor, *, N: _int | None = ...) -> _Tensor:
    """The powers 0 ... N - 1 of each element, along a new last dim."""
    ...

def vecdot(x: _Tensor, y: _Tensor, *, dim: _int = ..., out: _Any = ...) -> _Tensor:
    """The sum of conj(x) * y over `dim`."""
    ...

def vector_norm(
    x: _Tensor, ord: _Any = ..., dim: _Any = ..., keepdim: _bool = ..., *, dtype: _Any = ..., out: _Any = ...
) -> _Tensor:
    """(sum of |x|**ord)**(1/ord); inf and -inf are the largest and smallest |x|, 0 counts the nonzero elements."""
    ...
