"""PyTorch's error messages about matrix products and decompositions."""

from __future__ import annotations

import itertools
import math
from typing import Any

from torchlike._errors import warned
from torchlike._errors.arguments import wrong_type
from torchlike._errors.dtypes import c_name, expected_scalar_type, scalar_name
from torchlike._errors.shapes import (
    dim_out_of_range,
    expand_mismatch,
    expand_rank,
    in_place_shape,
    no_matrix,
    not_broadcastable,
)


def check_matmul(a: Any, b: Any) -> None:
    """Check that two avals can be multiplied as matrices."""
    if not a.ndim or not b.ndim:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D")
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise _inner_mismatch(a, b)
    if a.dtype is not b.dtype:
        if b.ndim == 1:
            raise dot_dtypes(a.dtype, b.dtype) if a.ndim == 1 else mv_dtypes(b.dtype, a.dtype, b.dtype)
        raise (expected_scalar_type if a.ndim > 2 and b.ndim > 2 else product_dtypes)(a.dtype, b.dtype)


def _inner_mismatch(a: Any, b: Any) -> RuntimeError:
    if a.ndim == 1 and b.ndim == 1:
        return dot_sizes(a.shape[0], b.shape[0])
    rows = math.prod(a.shape[:-1])
    if b.ndim == 1:
        return RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{a.shape[-1]}), vec ({b.shape[0]})")
    if b.ndim > 2 and a.ndim != 2:
        batch = math.prod(b.shape[:-2] if a.ndim == 1 else a.shape[:-2])
        return RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {a.shape[-1]}] "
            f"but got: [{batch}, {b.shape[-2]}]."
        )
    return mat_shapes(rows, a.shape[-1], b.shape[-2], b.shape[-1])


def attention_shapes(batch: tuple, a: tuple, b: tuple) -> RuntimeError:
    """Return the error for a matrix product in attention, which treats the leading dims as one batch dim."""
    if not batch:
        return mat_shapes(a[0], a[1], b[0], b[1])
    count = 1
    for n in batch:
        count *= n
    return second_batch((count, a[1]), (count, b[0]))


def mat_shapes(n: int, k: int, k2: int, m: int) -> RuntimeError:
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {k2}x{m})")


def mat_dtypes(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(f"mat1 and mat2 must have the same dtype, but got {scalar_name(a)} and {scalar_name(b)}")


def product_dtypes(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_name(a)} != {c_name(b)}")


def batch_shapes(a: Any, b: Any) -> RuntimeError:
    return second_batch((a.shape[0], a.shape[2]), b.shape[:2])


def second_batch(wanted: Any, got: Any) -> RuntimeError:
    """Return the error for a batch of matrices whose first two sizes do not fit those of the other batch."""
    return RuntimeError(
        f"Expected size for first two dimensions of batch2 tensor to be: {list(wanted)} but got: {list(got)}."
    )


def addmm_dtypes(name: str, a: Any, b: Any) -> RuntimeError:
    return RuntimeError(f"{name} and mat2 must have the same dtype, but got {scalar_name(a)} and {scalar_name(b)}")


def baddbmm_dtypes(x: Any, a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"Input dtypes must be the same, got: input {c_name(x)}, batch1: {c_name(a)}, batch2: {c_name(b)}"
    )


def bad_in_place(given: Any, due: Any) -> RuntimeError:
    return RuntimeError(
        f"Bad in-place call: input tensor size {list(given)} and output tensor size {list(due)} should match"
    )


def addr_sizes(x: Any, v1: Any, v2: Any) -> RuntimeError:
    shapes = [list(a.shape) for a in (x, v1, v2)]
    return RuntimeError("size mismatch, input: {}, v1: {}, v2: {}".format(*shapes))


def mv_ranks(x: int, a: int, v: int) -> RuntimeError:
    return RuntimeError(f"vector + matrix @ vector expected, got {x}, {a}, {v}")


def mv_sizes(n: int, a: Any, v: Any) -> RuntimeError:
    return RuntimeError(f"size mismatch, got input ({n}), mat ({a.shape[0]}x{a.shape[1]}), vec ({v.shape[0]})")


def mv_dtypes(x: Any, a: Any, v: Any) -> RuntimeError:
    names = ", ".join(map(scalar_name, (x, a)))
    return RuntimeError(f"addmv input tensors must have the same dtype, but got {names}, and {scalar_name(v)}")


def dot_dtypes(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"dot : expected both vectors to have same dtype, but found {scalar_name(a)} and {scalar_name(b)}"
    )


def dot_sizes(n: int, m: int) -> RuntimeError:
    return RuntimeError(
        f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of "
        f"elements, but got {n} and {m} elements respectively"
    )


class LinAlgError(RuntimeError):
    """Raised if a decomposition or solution does not exist, for example the inverse of a singular matrix."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"  # PyTorch's name


def check_matrix_sizes(name: str, a: Any, square: bool) -> None:
    """Check that the argument of a decomposition contains matrices (square ones if required)."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if square and a.shape[-1] != a.shape[-2]:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} matrices"
        )


def check_matrix(name: str, a: Any, square: bool, loops: bool = False) -> None:
    """Check that the argument of a decomposition contains matrices (square ones if required) of a supported dtype.

    Floating-point dtypes of fewer than 32 bits are supported only if `loops` is True.
    """
    check_matrix_sizes(name, a, square)
    if a.dtype.category < 2:
        raise inexact(name, a.dtype)
    if a.dtype.itemsize < 4 and not loops:
        raise low_precision(name, a.dtype)


def low_precision(name: str, dtype: Any) -> RuntimeError:
    return RuntimeError(f"{name}: Low precision dtypes not supported. Got {scalar_name(dtype)}")


def incompatible_system(name: str, a: Any, b: str, left: bool = True) -> RuntimeError:
    equation = "AX = B" if left else "XA = B"
    return RuntimeError(
        f"{name}: Incompatible shapes of A and B for the equation {equation} ({a.shape[-2]}x{a.shape[-1]} and {b})"
    )


def singular(name: str, batch: int | None, order: int) -> LinAlgError:
    where = "" if batch is None else f"(Batch element {batch}): "
    if name in ("linalg.inv", "inv"):
        return LinAlgError(
            f"{name}: {where}The diagonal element {order} is zero, the inversion could not be completed "
            "because the input matrix is singular."
        )
    return LinAlgError(f"{name}: {where}The solver failed because the input matrix is singular.")


def zero_pivot(batch: int | None, order: int) -> RuntimeError:
    where = "" if batch is None else f"(Batch element {batch}): "
    return RuntimeError(
        f"torch.linalg.lu_factor: {where}U[{order},{order}] is zero and using it on lu_solve would result in a "
        "division by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
        "linalg.lu_factor_ex(A, pivot)"
    )


def not_positive_definite(batch: int | None, order: int) -> LinAlgError:
    where = "" if batch is None else f"(Batch element {batch}): "
    return LinAlgError(
        f"linalg.cholesky: {where}The factorization could not be completed because the input is not "
        f"positive-definite (the leading minor of order {order} is not positive-definite)."
    )


def not_converged(name: str, batch: int | None, code: int = 1) -> LinAlgError:
    where = "" if batch is None else f"(Batch element {batch}): "
    why = {
        "svd": "contained non-finite values",
        "eigh": f"is ill-conditioned or has too many repeated eigenvalues (error code: {code})",
    }[name]
    return LinAlgError(f"linalg.{name}: {where}The algorithm failed to converge because the input matrix {why}.")


def check_linear(call: Any) -> None:
    """Check the shapes and dtypes of a linear layer."""
    a, w = call.input, call.weight
    if not (a.ndim and w.ndim):
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {a.ndim}D and {w.ndim}D")
    if w.ndim > 2:
        raise no_matrix("t", w.ndim)
    if a.dtype is not w.dtype and call.bias is not None:
        raise mat_dtypes(a.dtype, w.dtype)
    if a.shape[-1] != w.shape[-1]:
        rows = 1
        for n in a.shape[:-1]:
            rows *= n
        raise mat_shapes(rows, a.shape[-1] if a.ndim else 1, w.shape[-1], w.shape[0])
    if a.dtype is not w.dtype:
        raise product_dtypes(a.dtype, w.dtype)
    if call.bias is not None:
        if call.bias.dtype is not w.dtype:
            raise addmm_dtypes("self", call.bias.dtype, w.dtype)
        _check_bias(call.bias, a, w)


def _check_bias(bias: Any, a: Any, w: Any) -> None:
    """Check the bias of a linear layer: a vector, or any tensor that broadcasts to the result."""
    shape, size = tuple(bias.shape), (*a.shape[:-1], *w.shape[:-1])
    is_vector = len(shape) == 1 or (len(shape) == 2 and shape.count(1) == 1)
    if w.ndim == 1 and (a.ndim > 1 or is_vector):
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor")
    if is_vector:  # PyTorch flattens the input to a matrix
        size = (math.prod(a.shape[:-1]), *w.shape[:-1])
    extra = len(shape) - len(size)
    if extra > 0:
        raise expand_rank(bias, size) if a.ndim == 2 else in_place_shape(size, shape)
    for dim in range(-1, -len(shape) - 1, -1):
        if shape[dim] not in (1, size[dim]):
            place = len(size) + dim
            if is_vector or a.ndim == 2:
                raise expand_mismatch(size[dim], shape[dim], place, size, shape)
            raise not_broadcastable(size[dim], shape[dim], place)


def check_reflectors(name: str, vectors: Any, tau: Any) -> None:
    """Check the vectors and factors of a product of Householder reflectors."""
    if vectors.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    _check_tau(tau)
    for wide, size in (("input.shape[-2]", vectors.shape[-2]), ("input.shape[-1]", vectors.shape[-1])):
        name_of_other, other = (
            ("input.shape[-1]", vectors.shape[-1]) if wide.endswith("-2]") else ("tau.shape[-1]", tau.shape[-1])
        )
        if size < other:
            raise RuntimeError(f"{name}: {wide} must be greater than or equal to {name_of_other}")
    _check_batches(name, vectors, ("tau", tau, 1))


def _check_batches(name: str, vectors: Any, *others: tuple[str, Any, int]) -> None:
    """Check the number of dims and the batch dims of operands against those of the reflectors.

    Each of `others` is a name, an operand, and the number of dims that the operand has fewer than the reflectors.
    """
    for label, x, fewer in others:
        if vectors.ndim - x.ndim != fewer:
            wanted = "one dimension less than" if fewer else "the same number of dimensions as"
            raise RuntimeError(
                f"{name}: Expected {label} to have {wanted} input, but got {label}.ndim equal to "
                f"{x.ndim} and input.ndim is equal to {vectors.ndim}"
            )
    for label, x, fewer in others:
        batch = tuple(x.shape[: x.ndim + fewer - 2])
        if batch != tuple(vectors.shape[:-2]):
            raise RuntimeError(
                f"{name}: Expected batch dimensions of {label} to be equal to input.shape[:-2], but got {list(batch)}"
            )


def _check_tau(tau: Any) -> None:
    if not tau.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")


def check_ormqr(vectors: Any, tau: Any, other: Any, left: bool) -> None:
    """Check the shapes of `ormqr`."""
    for name, x in (("input", vectors), ("other", other)):
        if x.ndim < 2:
            raise RuntimeError(f"torch.ormqr: {name} must have at least 2 dimensions.")
    side = -2 if left else -1
    rows = other.shape[side]
    if rows != vectors.shape[-2]:
        raise RuntimeError(f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2]")
    _check_tau(tau)
    if tau.shape[-1] != min(rows, vectors.shape[-1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")
    _check_batches("torch.ormqr", vectors, ("tau", tau, 1), ("other", other, 0))


def no_square_tensor(name: str, first: tuple[int, ...], rest: tuple[int, ...], at: str) -> RuntimeError:
    left, right = math.prod(rest), math.prod(first)
    return RuntimeError(
        f"Expected {name} to satisfy the requirement prod({name}.shape[{at}:]) == "
        f"prod({name}.shape[:{at}]), but got {left} != {right}"
    )


def check_norm_dtype(given: Any, dtype: Any) -> None:
    """Check that a vector norm can be computed in `dtype`."""
    name, kind = scalar_name(dtype), "complex" if given.is_complex else "real"
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"linalg.vector_norm: dtype should be floating point or complex, but got {name}")
    if given.is_complex != dtype.is_complex:
        raise RuntimeError(f"linalg.vector_norm: dtype should be {kind} for {kind} inputs, but got {name}")
    if dtype is not given and dtype.itemsize <= given.itemsize:
        raise RuntimeError(
            f"linalg.vector_norm: the dtype of the input ({scalar_name(given)}) should be convertible "
            f"without narrowing to the specified dtype ({name})"
        )


def complex_tolerance(name: str, which: str, given: Any) -> RuntimeError:
    return RuntimeError(
        f"torch.linalg.{name}: {which} tensor of complex type is not supported. Got {scalar_name(given.dtype)}"
    )


def not_of_full_rank(batch: int | None, order: int) -> LinAlgError:
    where = "" if batch is None else f"(Batch element {batch}): "
    return LinAlgError(
        f"torch.linalg.lstsq: {where}The least squares solution could not be computed because the input "
        f"matrix does not have full rank (error code: {order})."
    )


def check_lstsq(call: Any) -> None:
    """Check both sides of `linalg.lstsq`."""
    a, b, name = call.A, call.B, "torch.linalg.lstsq: "
    if a.ndim < 2:
        raise RuntimeError(f"{name}input must have at least 2 dimensions.")
    if b.ndim < 1:
        raise RuntimeError(f"{name}other must have at least 1 dimension.")
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"{name}Expected input and other to have the same dtype, but got input's dtype "
            f"{scalar_name(a.dtype)} and other's dtype {scalar_name(b.dtype)}"
        )
    if a.dtype.category < 2 or a.dtype.itemsize < 4:
        raise RuntimeError("This function doesn't handle types other than float and double")
    if not 0 <= a.ndim - b.ndim <= 1:
        raise RuntimeError(
            f"{name}input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1"
        )
    vector = b.ndim == 1 or tuple(b.shape) == tuple(a.shape[:-1])
    side = -1 if b.ndim == 1 else -2
    batches = zip(reversed(a.shape[:-2]), reversed(b.shape[:-1]))  # PyTorch's rule for a B with one dim less
    for dim, (n, m) in enumerate(batches if a.ndim > b.ndim and not vector else ()):
        if n != m and 1 not in (n, m):
            raise not_broadcastable(n, m, a.ndim - 3 - dim)
    if a.shape[-2] != b.shape[-1 if vector else -2]:
        raise RuntimeError(f"{name}input.size(-2) should match other.size({side})")


def check_cond(a: Any, p: Any, orders: tuple) -> None:
    """Check the arguments of `linalg.cond`."""
    if isinstance(p, str):
        check_matrix_sizes(f"linalg.cond(ord={p})", a, True)
    elif a.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p not in orders:
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if p not in (None, 2, -2):
        check_matrix_sizes(f"linalg.cond(ord={p})", a, True)


def no_ldl_factor(name: str, order: int) -> LinAlgError:
    """Return the error for a singular factor. PyTorch reports an internal error here."""
    return LinAlgError(f"{name}: the block diagonal factor is singular: its element {order} is zero.")


def check_ldl_solve(call: Any) -> None:
    """Check the arguments of `linalg.ldl_solve`."""
    a, pivots, b, name = call.LD, call.pivots, call.B, "torch.linalg.ldl_solve"
    check_matrix_sizes(name, a, True)
    if b.ndim < 2:
        raise dim_out_of_range(-2, b.ndim)
    if a.shape[-1] != b.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {a.shape[-2]} by {a.shape[-1]} but "
            f"each b matrix is {b.shape[-2]} by {b.shape[-1]}"
        )
    if pivots.dtype.category != 1:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {scalar_name(pivots.dtype)}")
    if tuple(pivots.shape) != tuple(a.shape[:-1]):
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {scalar_name(b.dtype)} and A "
            f"of type {scalar_name(a.dtype)} instead."
        )


def no_pseudoinverse(a: Any) -> RuntimeError:
    return RuntimeError(
        f"linalg.pinv({scalar_name(a.dtype)}{{{list(a.shape)}}}): expected a tensor with 2 or more "
        "dimensions of float, double, cfloat or cdouble types"
    )


def check_int_mm(a: Any, b: Any, out: Any) -> None:
    """Check the operands of a product of 8-bit integers."""
    say = "int_mm_out_cpu: Expected"
    for name, x in (("self", a), ("mat2", b)):
        if x.ndim < 2 and name == "mat2":
            raise dim_out_of_range(1, max(x.ndim, 1))
        if x.ndim != 2:
            raise RuntimeError(f"{say} {name} to be of dimension 2 but got {x.ndim}")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got {a.shape[1]} and {b.shape[0]}"
        )
    if a.dtype.name not in ("int8", "uint8"):
        raise RuntimeError(f"{say} self dtype to be int8 or uint8 but got {c_name(a.dtype)}")
    if b.dtype.name != "int8":
        raise RuntimeError(f"{say} mat2 dtype to be of type int8 but got {c_name(b.dtype)}")
    if out is not None and out.dtype.name != "int32":
        raise RuntimeError(f"{say} result dtype to be of type kInt but got {c_name(out.dtype)}")


def check_multi_dot(tensors: Any) -> None:
    """Check the matrices of `linalg.multi_dot`."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    ends = (0, len(tensors) - 1)
    for place, name in zip(ends, ("first", "last")):
        if tensors[place].ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {name} tensor must be 1D or 2D but got {tensors[place].ndim}D")
    for place, x in enumerate(tensors):
        if place not in ends and x.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {place} must be 2D but got {x.ndim}D")
        if x.dtype is not tensors[0].dtype:
            raise RuntimeError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{c_name(tensors[0].dtype)} and tensor {place} {c_name(x.dtype)}"
            )
    for place, (a, b) in enumerate(itertools.pairwise(tensors)):
        if a.shape[-1] != b.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {place} and {place + 1} with shapes {list(a.shape)} and "
                f"{list(b.shape)} cannot be multiplied"
            )


_REMOVED = {
    "solve": " `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments "
    "reversed and does not return the LU factorization.\n\nTo get the LU factorization see `torch.lu`, which can be "
    "used with `torch.lu_solve` or `torch.lu_unpack`.\nX = torch.solve(B, A).solution should be replaced with:\n"
    "X = torch.linalg.solve(A, B)",
    "symeig": " The default behavior has changed from using the upper triangular portion of the matrix by default to "
    "using the lower triangular portion.\n\nL, _ = torch.symeig(A, upper=upper) should be replaced with:\n"
    "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\n"
    "L, V = torch.symeig(A, eigenvectors=True) should be replaced with:\n"
    "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')",
    "eig": " `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors "
    "mimicking complex tensors.\n\nL, _ = torch.eig(A) should be replaced with:\nL_complex = torch.linalg.eigvals(A)"
    "\n\nand\n\nL, V = torch.eig(A, eigenvectors=True) should be replaced with:\n"
    "L_complex, V_complex = torch.linalg.eig(A)",
    "lstsq": " `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed "
    "arguments and does not return the QR decomposition in the returned tuple (although it returns other information "
    "about the problem).\n\nTo get the QR decomposition consider using `torch.linalg.qr`.\n\nThe returned solution in "
    "`torch.lstsq` stored the residuals of the solution in the last m - n columns of the returned value whenever "
    "m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the returned named tuple.\n\n"
    "The unpacking of the solution, as in\nX, _ = torch.lstsq(B, A).solution[:A.size(1)]\nshould be replaced with:\n"
    "X = torch.linalg.lstsq(A, B).solution",
    "matrix_rank": "\nPlease use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was "
    "renamed in `torch.linalg.matrix_rank()` to 'hermitian'.",
}


def removed(name: str) -> RuntimeError:
    """Return the error for a removed function that `torch.linalg` replaces."""
    return RuntimeError(f"This function was deprecated since version 1.9 and is now removed.{_REMOVED[name]}")


def check_order(function: str, ord: Any) -> None:
    """Check that the order of a norm is not complex and, for `vector_norm`, that it is a number."""
    if isinstance(ord, complex):
        raise RuntimeError(f"linalg.{function}: Expected a non-complex scalar as the order of norm.")
    if function == "vector_norm" and not isinstance(ord, int | float):
        raise wrong_type("linalg_vector_norm", "ord", 2, "Number", ord)


def check_identity(ord: float, shape: tuple[int, ...], dims: tuple[int, ...] | None) -> None:
    """Raise PyTorch's error if a vector norm without an identity is computed over no elements."""
    if not ord < 0 and not math.isinf(ord):
        return
    say = f"linalg.vector_norm cannot compute the {ord:g} norm on "
    if dims is None and 0 in shape:
        raise RuntimeError(f"{say}an empty tensor because the operation does not have an identity")
    for dim in dims or ():
        if shape and not shape[dim]:
            nothing = "because this dimension is empty and the operation does not have an identity"
            raise RuntimeError(f"{say}the dimension {dim}{nothing}")


def check_scaled(a: Any, b: Any, scale_a: Any, scale_b: Any, bias: Any, scale_result: Any) -> None:
    """Check the operands of a product of scaled matrices."""
    for place, (name, x) in enumerate((("scale_a", scale_a), ("scale_b", scale_b)), 3):
        if not hasattr(x, "_storage"):
            raise wrong_type("_scaled_mm", name, place, "Tensor", x)
    for name, x in (("mat1", a), ("mat2", b)):
        if x.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"mat_a and mat_b shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
        )
    _check_scales(a, b, scale_a, scale_b)
    if bias is not None and bias.numel() != b.shape[1]:
        raise RuntimeError(f"Bias must be size {b.shape[1]} but got {bias.numel()}")
    if scale_result is not None and (scale_result.numel() != 1 or scale_result.dtype.name != "float32"):
        raise RuntimeError("scale_result must be a float scalar")


def _check_scales(a: Any, b: Any, scale_a: Any, scale_b: Any) -> None:
    narrow = all(x.dtype.is_floating_point and x.dtype.itemsize == 1 for x in (a, b))
    floats = all(x.dtype.name == "float32" for x in (scale_a, scale_b))
    rows, columns = (a.shape[0], 1), (1, b.shape[1])
    by_row = (tuple(scale_a.shape), tuple(scale_b.shape)) == (rows, columns)
    if not (narrow and floats and (by_row or scale_a.numel() == scale_b.numel() == 1)):
        said = [
            f"mat_{n}.dtype()={scalar_name(x.dtype)}, scale_{n}.dtype()={scalar_name(s.dtype)}, "
            f"scale_{n}.size()={list(s.shape)}{{}} scale_{n}.stride()={list(s.stride())}"
            for n, x, s in (("a", a, scale_a), ("b", b, scale_b))
        ]
        raise ValueError(
            "Invalid scaling configuration.\n"
            "- For TensorWise scaling, a and b should be float8, scales should be float and singletons.\n"
            "- For RowWise scaling, a and b should be float8, scales should be float, scale_a should be "
            f"({rows[0]}, 1) and scale_b should be (1, {columns[1]}), and both should be contiguous.\n"
            f"Got {said[0].format(',')}, {said[1].format(' and')}"
        )
    if by_row and scale_a.stride(1) != 1:
        raise ValueError(f"expected scale_a.stride(1) to be 1, but got {scale_a.stride(1)}")
    if by_row and scale_b.stride(1) != 1:
        raise ValueError(f"expected scale_b.stride(1) to be 1, but got {scale_b.stride(1)}")


def check_grouped(call: Any) -> None:
    """Check the operands of a grouped matrix product."""
    a, b, offs = call.mat_a, call.mat_b, call.offs
    for name, x in (("mat_a", a), ("mat_b", b)):
        if x.dtype.name not in ("float32", "bfloat16", "float16"):
            raise RuntimeError(f"Expected {name} to be Float32, BFloat16 or Float16 matrix, got {scalar_name(x.dtype)}")
    if a.dtype is not b.dtype:
        raise product_dtypes(a.dtype, b.dtype)
    for name, x in (("mat_a", a), ("mat_b", b)):
        if x.ndim not in (2, 3):
            raise RuntimeError(f"{name} has to be 2 or 3d")
    if a.shape[-1] != b.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    if (offs is None) != (a.ndim == b.ndim == 3):
        raise RuntimeError("Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d")
    if offs is None and a.shape[0] != b.shape[0]:
        raise RuntimeError("batched dimension has to match")
    if offs is not None and offs.ndim != 1:
        raise RuntimeError("offs has to be 1D")
    if offs is not None and offs.dtype.name != "int32":
        raise RuntimeError("Offsets have to be int32")
    groups = a.shape[0] if a.ndim == 3 else b.shape[0]
    if offs is not None and a.ndim + b.ndim > 4 and offs.shape[0] != groups:
        raise RuntimeError("matrix batch sizes have to match")
    if call.bias is not None:
        raise RuntimeError("Bias not supported yet")
    if call.out_dtype is not None and call.out_dtype is not a.dtype:
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")


def old_norm(name: str, instead: str) -> None:
    """Warn, once per process, about a deprecated norm."""
    warned.once(
        f"at::{name} is deprecated and it is just left for JIT compatibility. It will be removed in a future "
        f"PyTorch release. Please use `linalg.{instead}` instead"
    )


def check_matrix_norm(given: Any, dims: tuple) -> None:
    """Check that a tensor has a supported dtype and that `dims` are two of its dims."""
    if given.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if not (given.dtype.is_floating_point or given.dtype.is_complex):
        raise RuntimeError(
            f"linalg.matrix_norm: Expected a floating point or complex tensor as input. Got {scalar_name(given.dtype)}"
        )
    if len(dims) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    for dim in dims:
        if not -given.ndim <= dim < given.ndim:
            raise dim_out_of_range(dim, given.ndim)
    if dims[0] == dims[1]:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dims[0]}, {dims[1]})")


def inexact(name: str, dtype: Any) -> RuntimeError:
    return RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {scalar_name(dtype)}")


def check_norm_dtype_of_input(given: Any) -> None:
    """Check that the norm of a tensor is defined for its dtype."""
    if not (given.dtype.is_floating_point or given.dtype.is_complex):
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {scalar_name(given.dtype)} instead."
        )


def lobpcg_too_small(m: int, n: int) -> ValueError:
    return ValueError(
        f"LOBPCG algorithm is not applicable when the number of A rows (={m})"
        f" is smaller than 3 x the number of requested eigenpairs (={n})"
    )


def lobpcg_start(got: Any, expected: tuple[int, int]) -> AssertionError:
    return AssertionError(f"X shape mismatch: got {got}, expected {expected}")


def lobpcg_backward(what: str) -> ValueError:
    return ValueError(f"lobpcg.backward does not support {what} yet. Note that lobpcg.forward does though.")
