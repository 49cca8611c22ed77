"""Decompositions of matrices that may contain NaN or infinity.

LAPACK leaves them undefined: the singular value decomposition of some matrices with infinity never ends, and the
eigenvalues of some matrices with NaN are finite. Here the results of such a matrix are NaN. If it contains NaN and its
singular values are wanted, NumPy raises PyTorch's error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._ops.schema.declare import namespace


def svd(A: Any, **options: Any) -> Any:
    """Return `linalg.svd(A, **options)`."""
    if namespace(A) is np and np.isnan(A).any():
        first = int(np.isnan(A).any((-2, -1)).argmax())
        raise _errors.linalg.not_converged("svd", first if A.ndim > 2 else None)
    return _finite("svd", A, namespace(A).isinf(A), options)  # the interpreter's rule for `svd` raises if there is NaN


def eigh(A: Any) -> Any:
    """Return `linalg.eigh(A)` of a Hermitian matrix."""
    xp = namespace(A)
    return _finite("eigh", A, ~xp.isfinite(A), {} if xp is np else {"symmetrize_input": False})


def _finite(name: str, A: Any, bad: Any, options: dict[str, Any]) -> Any:
    """Return the decomposition, with NaN for each matrix that has a bad element."""
    xp, bad = namespace(A), bad.any((-2, -1))
    found = getattr(xp.linalg, name)(xp.where(_like(bad, A), A.dtype.type(0), A), **options)
    hidden = lambda x: xp.where(_like(bad, x), x.dtype.type(np.nan), x)
    return tuple(map(hidden, found)) if isinstance(found, tuple) else hidden(found)


def without_nan(found: Any, A: Any) -> Any:
    """Return `found`, computed from A by an LU decomposition, or NaN for each matrix A that contains NaN.

    The pivots of such a matrix depend on how LAPACK compares NaN, and may leave parts of the result finite.
    """
    xp = namespace(A)
    return xp.where(_like(xp.isnan(A).any((-2, -1)), found), found.dtype.type(np.nan), found)


def _like(flags: Any, x: Any) -> Any:
    """Return one flag for each matrix with as many dims as `x`."""
    return flags.reshape((1,) * (x.ndim - flags.ndim - 2) + flags.shape + (1,) * min(2, x.ndim - flags.ndim))
