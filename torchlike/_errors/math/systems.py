"""PyTorch's error messages about solving linear systems from factorizations."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import scalar_name
from torchlike._errors.math.linalg import check_matrix_sizes, incompatible_system, inexact


def check_same_dtype(name: str, a: Any, b: Any, label: str = "A") -> None:
    """Check that both sides of a linear system have the same dtype."""
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"{name}: Expected {label} and B to have the same dtype, but found {label} of type "
            f"{scalar_name(a.dtype)} and B of type {scalar_name(b.dtype)} instead"
        )


def check_right_side(name: str, a: Any, b: Any, left: bool) -> None:
    """Check that the sizes of the matrices in B match those in A."""
    if b.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor B must have at least 2 dimensions.")
    if a.shape[-1] != b.shape[-2 if left else -1]:
        raise incompatible_system(name, a, f"{b.shape[-2]}x{b.shape[-1]}", left)


def check_lu_solve(call: Any) -> None:
    """Check the arguments of `linalg.lu_solve`."""
    lu, pivots, b, name = call.LU, call.pivots, call.B, "linalg.lu_solve"
    if lu.dtype.category < 2:
        raise inexact(f"torch.{name}", lu.dtype)
    check_same_dtype(name, lu, b, "LU")
    if scalar_name(pivots.dtype) != "Int":
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_matrix_sizes(f"torch.{name}", lu, True)
    check_right_side(name, lu, b, call.left)
    if not pivots.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if pivots.shape[-1] != lu.shape[-1]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    if tuple(pivots.shape) != tuple(lu.shape[:-1]):
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )


def _check_system(name: str, b: Any, a: Any) -> None:
    """Check the right side and the factor of `cholesky_solve` and `triangular_solve`."""
    if b.dtype is not a.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {scalar_name(b.dtype)} and A "
            f"of type {scalar_name(a.dtype)} instead."
        )
    rows, columns = a.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"A must be batches of square matrices, but they are {rows} by {columns} matrices")
    if b.shape[-2] != rows:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {rows} by {rows} but each b matrix "
            f"is {b.shape[-2]} by {b.shape[-1]}"
        )


def check_cholesky_solve(call: Any) -> None:
    for label, x in (("b", call.B), ("u", call.L)):
        if x.ndim < 2:
            raise RuntimeError(f"{label} should have at least 2 dimensions, but has {x.ndim} dimensions instead")
    _check_system("cholesky_solve", call.B, call.L)


def check_triangular_solve(b: Any, a: Any) -> None:
    for label, x in (("b", b), ("A", a)):
        if x.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {label} to have at least 2 dimensions, but it has "
                f"{x.ndim} dimensions instead"
            )
    _check_system("triangular_solve", b, a)


def check_tau_dtype(tau: Any, vectors: Any) -> None:
    if tau.dtype is not vectors.dtype:
        raise RuntimeError(
            f"torch.linalg.householder_product: tau dtype {scalar_name(tau.dtype)} does not match input "
            f"dtype {scalar_name(vectors.dtype)}"
        )


def check_ormqr_dtypes(vectors: Any, **others: Any) -> None:
    for label, x in others.items():
        if x.dtype is not vectors.dtype:
            raise RuntimeError(
                f"torch.ormqr: Expected input and {label} to have the same dtype, but input "
                f"has dtype{scalar_name(vectors.dtype)} and {label} has dtype {scalar_name(x.dtype)}"
            )


def vander_dtype(dtype: Any) -> RuntimeError:
    return RuntimeError(
        f"linalg.vander supports floating point, complex, and integer tensors, but got {scalar_name(dtype)}"
    )
