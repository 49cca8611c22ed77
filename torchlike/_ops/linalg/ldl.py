"""LDL factorization of symmetric and Hermitian matrices, which may be indefinite, by LAPACK on the host."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from torchlike import _dtypes, _errors
from torchlike._ops.linalg.linalg import OF_ELEMENTS, factorization
from torchlike._ops.schema.declare import Array, namespace
from torchlike._ops.schema.out_rules import EXACT
from torchlike._ops.schema.typing_rules import Call, broadcast


def _on_host(compute: Callable, outputs: list[tuple], *arrays):
    """Apply `compute` to each matrix of a batch on the host; compiled programs call back into Python."""
    batch = outputs[0][0][:-2]

    def every(*given):
        rows = [
            np.broadcast_to(x, (*batch, *x.shape[-k:])).reshape(math.prod(batch), *x.shape[-k:])
            for x, k in zip(map(np.asarray, given), ranks)
        ]
        made = [np.zeros((math.prod(batch), *shape[len(batch) :]), dtype) for shape, dtype in outputs]
        for place, parts in enumerate(zip(*rows)):
            for into, found in zip(made, compute(*parts)):
                into[place] = found
        return tuple(x.reshape(shape) for x, (shape, _) in zip(made, outputs))

    ranks = [1 if x.dtype.kind == "i" else 2 for x in arrays]
    if namespace(arrays[0]) is np:
        return every(*arrays)
    specs = tuple(jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in outputs)
    return jax.pure_callback(every, specs, *arrays, vmap_method="sequential")


def _routine(name: str, hermitian: bool, like: np.ndarray) -> Any:
    from scipy.linalg import lapack

    kind = "he" if hermitian and like.dtype.kind == "c" else "sy"
    return lapack.get_lapack_funcs(kind + name, (like,))


def _check_factor(call: Call) -> None:
    _errors.linalg.check_matrix("torch.linalg.ldl_factor_ex", call.A, True, True)


def _factor_shape(call: Call) -> list:
    shape = call.A.shape
    return [(shape, call.A.dtype), (shape[:-1], _dtypes.int32), (shape[:-2], _dtypes.int32)]


@factorization(
    check=_check_factor,
    shape=_factor_shape,
    where=(),
    node="torch::autograd::NotImplemented",
    refused="aten::linalg_ldl_factor_ex",
    loop="ldl_factor_kernel_cpu",
    takes=OF_ELEMENTS,
)
def ldl_factor(A: Array, hermitian: bool = False):
    """Return the factorization A = L D L^T, or A = L D L* if `hermitian` is True, where D is block diagonal.

    Only the lower half of A is read.

    Returns:
      L and D packed into one matrix, the pivots (the exchanged rows), and the position of the first zero on the
      diagonal of D, counted from 1, or 0 if there is none.
    """

    def compute(matrix):
        if not matrix.size:
            return matrix, (), 0
        packed, pivots, info = _routine("trf", hermitian, matrix)(matrix, lower=True)
        return np.tril(packed), pivots, info

    batch, n = A.shape[:-2], A.shape[-1]
    outputs = [(A.shape, A.dtype), ((*batch, n), np.dtype("int32")), (batch, np.dtype("int32"))]
    return _on_host(compute, outputs, A)


def _solve_shape(call: Call) -> list:
    return [(*broadcast([call.LD.shape[:-2], call.B.shape[:-2]]), *call.B.shape[-2:])]


@factorization(
    out=EXACT._replace(called="aten::linalg_ldl_solve"),
    check=_errors.linalg.check_ldl_solve,
    shape=_solve_shape,
    where=("linalg",),
    keeps=("pivots",),
    differentiable=False,
    loop="ldl_solve_kernel_cpu",
)
def ldl_solve(LD: Array, pivots: Array, B: Array, *, hermitian: bool = False):
    """Return X with A X = B, given the factorization of A by `ldl_factor`.

    Args:
      LD: (..., n, n), the packed factors.
      pivots: (..., n), the pivots.
      B: (..., n, k).
      hermitian: whether A is Hermitian rather than symmetric.

    Returns:
      (..., n, k).
    """

    def compute(packed, exchanged, b):
        return [_routine("trs", hermitian, packed)(packed, exchanged, b, lower=True)[0] if b.size else b]

    shape = (*np.broadcast_shapes(LD.shape[:-2], B.shape[:-2]), *B.shape[-2:])
    return _on_host(compute, [(shape, B.dtype)], LD, pivots.astype("int32"), B)[0]
