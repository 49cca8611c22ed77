"""Rules for matrix decompositions. They call the LAPACK routines of SciPy, which JAX also uses on the CPU.

An interpreted program therefore has the same results as a compiled one, including the signs of vectors. `numpy.linalg`
uses another build of LAPACK.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._engine.interpreter.loops import as_rule_function
from torchlike._engine.interpreter.rules import Equation, rule


class NotConverged(Exception):
    """The decomposition of one matrix failed. `code` is LAPACK's."""

    def __init__(self, name: str, code: int) -> None:
        self.name, self.code = name, code


# A function of one matrix from each input. It returns LAPACK's results, followed by whether they are valid.
OfMatrices = Callable[..., tuple]


def decomposition(name: str) -> Callable[[Callable[[Equation], OfMatrices]], None]:
    """Register a rule for a primitive.

    The decorated function returns the computation for one matrix, and the rule applies it to a batch. Invalid results
    become NaN, as in JAX.
    """

    def declare(make: Callable[[Equation], OfMatrices]) -> None:
        @rule(name)
        def made(e: Equation) -> Callable:
            batch = e.inputs[0].shape[:-2]
            each = _of_nothing(e) if any(0 in x.shape for x in e.inputs) else _over_batch(e, make(e), batch)
            return as_rule_function(
                e, each, math.prod(batch) if batch else None
            )  # the cost model counts a batch of matrices as a loop

    return declare


def _over_batch(e: Equation, function: OfMatrices, batch: tuple[int, ...]) -> Callable[..., list[np.ndarray]]:
    def run(*arrays: np.ndarray) -> list[np.ndarray]:
        made = [np.empty(o.shape, o.dtype) for o in e.outputs]
        for number, place in enumerate(np.ndindex(*batch)):
            try:
                *found, is_good = function(*[x[place] for x in arrays])
            except NotConverged as failure:
                raise _errors.linalg.not_converged(failure.name, number if batch else None, failure.code) from None
            for whole, part in zip(made, found):
                whole[place] = part if is_good or whole.dtype.kind not in "fc" else np.nan
        return made

    return run


def _of_nothing(e: Equation) -> Callable[..., list[np.ndarray]]:
    """Return the function for matrices without elements.

    Their orthogonal factors are identity matrices, and their permutations are the identity.
    """
    rank = len(e.inputs[0].shape)
    same = lambda o: np.eye(*o.shape[-2:]) if len(o.shape) == rank else np.arange(o.shape[-1])
    return lambda *arrays: [np.broadcast_to(same(o), o.shape).astype(o.dtype) for o in e.outputs]


def _routine(e: Equation, *names: str) -> Callable:
    """Return LAPACK's routine for the equation's dtype. The last name is that of the routine for complex numbers."""
    from scipy.linalg import lapack  # imported here because the import is slow

    dtype = np.dtype(e.inputs[0].dtype)
    found: Any = lapack.get_lapack_funcs(names[-1 if dtype.kind == "c" else 0], dtype=dtype)
    return found


# A LAPACK routine takes a work buffer. With a smaller buffer than the optimal size, it computes in another order and
# rounds differently. JAX passes the optimal size, so these functions do too.


def _with_memory(e: Equation, *names: str, sizes: tuple[int, ...], **options: Any) -> Callable:
    *wanted, _ = _routine(e, *[f"{name}_lwork" for name in names])(*sizes, **options)
    memory = dict(zip(("lwork", "liwork", "lrwork"), map(_size, wanted)))
    return partial(_routine(e, *names), **options, **memory)


def _asking(routine: Callable) -> Callable:
    """Return a routine that queries its own optimal work size (`lwork=-1`) before each run."""

    def run(*arrays: np.ndarray) -> tuple:
        *_, work, _ = routine(*arrays, lwork=-1)
        return routine(*arrays, lwork=_size(work[0]))

    return run


def _size(wanted: Any) -> int:
    """Return LAPACK's work size as an int. LAPACK returns it as a float, and a float32 may have been rounded down."""
    return int(np.nextafter(np.float32(wanted.real), np.float32(np.inf))) + 1


@decomposition("cholesky")
def _cholesky(e: Equation) -> OfMatrices:
    routine = _routine(e, "potrf")

    def factor(a: np.ndarray) -> tuple:
        low, info = routine(a, lower=1, clean=0)
        return low, info == 0

    return factor


@decomposition("eigh")
def _eigh(e: Equation) -> OfMatrices:
    n = e.inputs[0].shape[-1]
    if e.params["subset_by_index"] not in (None, (0, n)):
        raise e.refuse("of a subset of the values")
    routine = _with_memory(e, "syevd", "heevd", sizes=(n,), compute_v=1, lower=int(e.params["lower"]))

    def decompose(a: np.ndarray) -> tuple:
        values, vectors, info = routine(a)
        if info > 0:
            raise NotConverged("eigh", info)
        return vectors, values, info == 0

    return decompose


@decomposition("eig")
def _eig(e: Equation) -> OfMatrices:
    left, right = (int(e.params[f"compute_{side}_eigenvectors"]) for side in ("left", "right"))
    routine = _with_memory(e, "geev", sizes=e.inputs[0].shape[-1:], compute_vl=left, compute_vr=right)

    def decompose(a: np.ndarray) -> tuple:
        *values, vl, vr, info = routine(a)
        if len(values) == 1:
            return values[0], *[vl] * left, *[vr] * right, info == 0
        turning = values[1] != 0
        return values[0] + 1j * values[1], *[_unpacked(v, turning) for v in [vl] * left + [vr] * right], info == 0

    return decompose


def _unpacked(vectors: np.ndarray, turning: np.ndarray) -> np.ndarray:
    """Return the complex eigenvectors of a real matrix.

    LAPACK stores the vectors of a conjugate pair of eigenvalues as two real columns: the real part and the imaginary
    part.
    """
    found, pairs = vectors.astype(np.result_type(vectors, np.complex64)), np.flatnonzero(turning)
    one, other = pairs[::2], pairs[1::2]
    found[:, one] = vectors[:, one] + 1j * vectors[:, other]
    found[:, other] = found[:, one].conj()
    return found


@decomposition("svd")
def _svd(e: Equation) -> OfMatrices:
    sizes, whole, vectors = e.inputs[0].shape[-2:], int(e.params["full_matrices"]), int(e.params["compute_uv"])
    by_default = e.params["algorithm"] is None or e.params["algorithm"].name == "DEFAULT"
    if e.params["subset_by_index"] not in (None, (0, min(sizes))) or not by_default:
        raise e.refuse("of a subset of the values, or with another algorithm")
    routine = _with_memory(e, "gesdd", sizes=sizes, full_matrices=whole, compute_uv=vectors)

    def decompose(a: np.ndarray) -> tuple:
        u, s, vt, info = routine(a)
        if info > 0 or np.isnan(a).any():
            raise NotConverged("svd", info)
        return s, *[u, vt] * vectors, info == 0

    return decompose


@decomposition("geqrf")
def _geqrf(e: Equation) -> OfMatrices:
    routine = _asking(_routine(e, "geqrf"))
    return lambda a: (*routine(a)[:2], True)


@decomposition("householder_product")
def _householder_product(e: Equation) -> OfMatrices:
    routine = _asking(_routine(e, "orgqr", "ungqr"))
    return lambda a, tau: (routine(a, tau)[0], True)


@decomposition("qr")
def _qr(e: Equation) -> OfMatrices:
    if e.params.flag("pivoting"):
        raise e.refuse("with pivoting")
    reflect, multiply = _asking(_routine(e, "geqrf")), _asking(_routine(e, "orgqr", "ungqr"))
    (m, n), columns = e.inputs[0].shape[-2:], e.outputs[0].shape[-1]

    def factor(a: np.ndarray) -> tuple:
        packed, tau, *_ = reflect(a)
        wide = np.zeros((m, columns), a.dtype, "F")
        wide[:, : min(n, columns)] = packed[:, :columns]
        return multiply(wide, tau)[0], np.triu(packed[:columns]), True

    return factor


@decomposition("lu")
def _lu(e: Equation) -> OfMatrices:
    routine, rows = _routine(e, "getrf"), e.inputs[0].shape[-2]

    def factor(a: np.ndarray) -> tuple:
        packed, pivots, info = routine(a)
        return packed, pivots, _exchanged(pivots, rows), info >= 0

    return factor


def _exchanged(pivots: np.ndarray, rows: int) -> np.ndarray:
    """Return the permutation of rows that results from LAPACK's row exchanges."""
    order = np.arange(rows)
    for i, j in enumerate(pivots):
        order[[i, j]] = order[[j, i]]
    return order


@rule("lu_pivots_to_permutation")
def _permutation(e: Equation) -> Callable:
    rows, (out,) = e.params["permutation_size"], e.outputs

    many = math.prod(out.shape[:-1])

    def order(pivots: np.ndarray) -> list[np.ndarray]:
        flat = pivots.reshape(many, pivots.shape[-1])
        return [np.array([_exchanged(each, rows) for each in flat], out.dtype).reshape(out.shape)]

    return as_rule_function(e, order, many if len(out.shape) > 1 else None)


@decomposition("triangular_solve")
def _triangular_solve(e: Equation) -> OfMatrices:
    from scipy.linalg import blas

    (solve,) = blas.get_blas_funcs(["trsm"], dtype=np.dtype(e.inputs[0].dtype))
    left, lower, transposed, conjugate, unit = (
        int(e.params[name]) for name in ("left_side", "lower", "transpose_a", "conjugate_a", "unit_diagonal")
    )

    def by_blas(a: np.ndarray, b: np.ndarray) -> tuple:
        if conjugate and not transposed:
            a = a.conj()
        return solve(1, a, b, side=1 - left, lower=lower, trans_a=transposed * (1 + conjugate), diag=unit), True

    return by_blas
