"""Inverses, determinants, linear systems and the matrix exponential, for matrices in the last two dims."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import _errors
from torchlike._dtypes import COMPLEX, FLOATING, float32, float64
from torchlike._dtypes.strides import contiguous_strides, normal
from torchlike._engine.xla.target import for_cpu
from torchlike._ops.linalg import finite
from torchlike._ops.linalg.exponential import exponential
from torchlike._ops.schema import typing_rules
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU
from torchlike._ops.schema.checks import EMPTY
from torchlike._ops.schema.declare import Array, declare, namespace
from torchlike._ops.schema.namespace import widened
from torchlike._ops.schema.out_rules import EXACT, Into
from torchlike._ops.schema.typing_rules import Call, Typed, broadcast


def matrix_typing(call: Call, columns: bool) -> Typed:
    """Apply the general typing rule, with LAPACK's column-major order for results that are matrices."""
    typed = typing_rules.general(call, typing_rules.common)
    if columns:
        rank = max(a.ndim for a in call.arrays)  # batches broadcast
        typed.strides = [_column_major(o.shape) if o.ndim == rank else None for o in typed.outputs]
    return typed


def _column_major(shape: tuple[int, ...]) -> tuple[int, ...] | None:
    *batch, rows, columns = shape
    steps = contiguous_strides((*batch, columns, rows))
    return normal(tuple(shape), (*steps[:-2], steps[-1], steps[-2]))


LAPACK = (float32, float64, COMPLEX)
OF_ELEMENTS = (*LAPACK, EMPTY)  # for operators whose dtype PyTorch checks only if there are elements


def factorization(*, columns: bool = True, **options) -> Callable:
    """Declare an operator on matrices, which by default accepts LAPACK's dtypes."""
    options = {"where": (), "takes": LAPACK} | options
    return declare("operator", functools.partial(matrix_typing, columns=columns), **options)


def square_check(name: str, *, square: bool = True, loops: bool = False) -> Callable[[Call], None]:
    """Return a check of the shape and dtype of a matrix.

    With `loops`, low-precision dtypes are rejected by PyTorch's inner loop, which runs only if there are elements.
    """

    def check(call: Call) -> None:
        _errors.linalg.check_matrix(f"linalg.{name}", call.arrays[0], square, loops)

    return check


def adjoint(x):
    """Return the conjugate transpose of the last two dims."""
    xp = namespace(x)
    return xp.conj(xp.swapaxes(x, -1, -2))


# -- inverses and systems ----------------------------------------------------------------------------------------------


@factorization(
    autocast=FULL_ON_CPU,
    check=square_check("inv"),
    shape=lambda call: [call.A.shape],
    node="LinalgInvExBackward0",
    remembers=("result",),
)
def inv(A: Array):
    """Return the inverse of a square matrix."""
    return finite.without_nan(namespace(A).linalg.inv(A), A)


@factorization(
    out=EXACT._replace(called="_linalg_det"),
    check=square_check("det", loops=True),
    shape=lambda call: [call.A.shape[:-2]],
    columns=False,
    loop="lu_cpu",
    takes=OF_ELEMENTS,
    where=("linalg", "torch", "Tensor"),
    node="LinalgDetBackward0",
    chooses=lambda plan: 0 in plan.inputs[0].shape,
    remembers=("inputs", "result"),
)
def det(A: Array):
    """Return the determinant of a square matrix.

    Args:
      A: (..., n, n).

    Returns:
      (...).

    >>> torchlike.linalg.det(torchlike.tensor([[2.0, 0.0], [0.0, 3.0]]))
    tensor(6.)
    """
    if not A.shape[-1]:
        return A.sum((-2, -1)) + A.dtype.type(1)  # JAX has no gradient for the determinant of a 0x0 matrix
    return namespace(A).linalg.det(A)


def _slogdet_shape(call: Call) -> list:
    return [(call.A.shape[:-2], call.A.dtype), (call.A.shape[:-2], call.A.dtype.to_real())]


@factorization(
    check=square_check("slogdet"),
    shape=_slogdet_shape,
    columns=False,
    node="LinalgSlogdetBackward0",
    remembers=("inputs", "first"),
)
def slogdet(A: Array):
    """Return the sign of the determinant and the logarithm of its absolute value."""
    return namespace(A).linalg.slogdet(A)


def is_vector_side(a, b) -> bool:
    """Return whether B holds vectors rather than matrices, by NumPy's former rule, which PyTorch has kept."""
    return b.ndim == 1 or (a.ndim - 1 == b.ndim and tuple(b.shape) == tuple(a.shape[:-1]))


def _check_solve(call: Call) -> None:
    a, b = call.A, call.B
    if a.dtype.category < FLOATING:
        raise _errors.linalg.inexact("linalg.solve", a.dtype)
    _errors.systems.check_same_dtype("linalg.solve", a, b)
    _errors.linalg.check_matrix_sizes("linalg.solve", a, True)
    if not b.ndim:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    is_vector = is_vector_side(a, b)
    rows, columns = (b.shape[-1], 1) if is_vector else b.shape[-2:]
    if a.shape[-1] != (rows if call.left else columns):
        raise _errors.linalg.incompatible_system("linalg.solve", a, f"{rows}x{columns}", call.left)
    if is_vector and not call.left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )


def _solve_shape(call: Call) -> list:
    a, b = call.A, call.B
    if is_vector_side(a, b):
        return [(*a.shape[:-2], b.shape[-1])]
    return [(*broadcast([b.shape[:-2], a.shape[:-2]]), *b.shape[-2:])]


def _solve_typing(call: Call) -> Typed:
    """Apply the general typing rule, with a column-major result for A X = B.

    The result is also column-major if B is a batch of vectors. For X A = B it is row-major.
    """
    typed = typing_rules.general(call, typing_rules.common)
    (x,) = typed.outputs
    typed.strides = [_column_major(x.shape) if call.left and x.ndim > 1 else None]
    return typed


@declare(
    "operator",
    _solve_typing,
    where=(),
    takes=LAPACK,
    loop="lu_cpu",
    autocast=FULL_ON_CPU,
    check=_check_solve,
    shape=_solve_shape,
    node="LinalgSolveExBackward0",
    remembers=("A", "result"),
)
def solve(A: Array, B: Array, left: bool = True):
    """Return X with A X = B, or with X A = B if `left` is False."""
    xp = namespace(A)
    vectors = is_vector_side(A, B)
    if vectors:
        B = xp.broadcast_to(B, (*A.shape[:-2], B.shape[-1]))[..., None]
    transposed = (lambda x: x) if left else (lambda x: xp.swapaxes(x, -1, -2))  # X A = B means A^T X^T = B^T
    found = finite.without_nan(transposed(xp.linalg.solve(transposed(A), transposed(B))), A)
    return found[..., 0] if vectors else found


def _check_triangular(call: Call) -> None:
    a, b = call.input, call.B
    _errors.linalg.check_matrix_sizes("linalg.solve_triangular", a, True)
    _errors.systems.check_right_side("linalg.solve_triangular", a, b, call.left)


@factorization(
    out=Into(_errors.outs.scalar_type),
    numpy=False,
    check=_check_triangular,
    loop="triangular_solve_cpu",
    shape=lambda call: [(*broadcast([call.input.shape[:-2], call.B.shape[:-2]]), *call.B.shape[-2:])],
    where=("linalg",),
    node="LinalgSolveTriangularBackward0",
    remembers=("input", "result"),
)
def solve_triangular(input: Array, B: Array, *, upper: bool, left: bool = True, unitriangular: bool = False):
    """Return X with A X = B for a triangular A. The other triangle of A is not read.

    Args:
      input: (..., n, n).
      B: (..., n, k), or (..., k, n) if `left` is False.
      upper: whether A is upper triangular.
      left: if False, solve X A = B instead.
      unitriangular: if True, take the diagonal of A to be 1 and do not read it.

    Returns:
      X, which has the shape of `B` with broadcast batch dims.

    >>> torchlike.linalg.solve_triangular(torchlike.eye(2), torchlike.ones(2, 1), upper=True)
    tensor([[1.],
            [1.]])
    """
    batch = np.broadcast_shapes(input.shape[:-2], B.shape[:-2])
    a, b = (jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (input, B))
    return jax.lax.linalg.triangular_solve(a, b, left_side=left, lower=not upper, unit_diagonal=unitriangular)


@factorization(
    check=square_check("matrix_exp", loops=True),
    shape=lambda call: [call.input.shape],
    columns=False,
    takes=(),
    where=("torch", "Tensor", "linalg"),
    node="LinalgMatrixExpBackward0",
)
def matrix_exp(input: Array):
    """Return the exponential of a square matrix, the sum over n of A**n / n!.

    Half precision is computed in float32. PyTorch 2.13 returns wrong numbers for it on the CPU.

    Args:
      input: (..., n, n).
    """
    x = widened(input)
    if for_cpu():
        x = x.astype(np.promote_types(x.dtype, np.float64))
    return exponential(x).astype(input.dtype)
