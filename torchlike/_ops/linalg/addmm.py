"""Products of vectors and matrices that are added to a tensor."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from torchlike import _errors
from torchlike._dtypes import FLOAT8_SIGNED, INTEGER
from torchlike._ops.elementwise.float8 import wide
from torchlike._ops.linalg.products import rows_times
from torchlike._ops.schema import flops
from torchlike._ops.schema.autocast_policies import LOWER, LOWER_ELSEWHERE
from torchlike._ops.schema.checks import EMPTY, NUMBERS
from torchlike._ops.schema.declare import EXACT, Array, Scalar, namespace, operator
from torchlike._ops.schema.namespace import unrounded
from torchlike._ops.schema.out_rules import CASTABLE, Into
from torchlike._ops.schema.typing_rules import Call, result_type


def _factor(alpha, terms: int):
    """Return the factor of a product: `alpha`, or 1 if the product has no terms to sum.

    A product without terms is 0. The factor 1 keeps it 0 even if `alpha` is NaN.
    """
    return alpha if terms else 1


def _add_product(input, product, beta, alpha):
    """Return beta * input + alpha * product. If `beta` is 0, the values of `input` are ignored, even NaN."""
    product = product if isinstance(alpha, int) else alpha.astype(product.dtype) * product
    input = wide(input)
    if isinstance(beta, int):
        return input + product
    xp = namespace(product)
    beta = beta.astype(product.dtype)
    return xp.where(beta == 0, xp.zeros_like(product), beta * input) + product


def _old_orders(first: str, second: str) -> tuple[tuple[str, ...], ...]:
    """Return the deprecated argument orders of the function, followed by those of the method."""
    factors = (first, second)
    return (
        ("beta", "input", "alpha", *factors),
        ("beta", "input", *factors),
        ("input", "beta", "alpha", *factors),
        ("input", "beta", *factors),
    )


def _check_broadcast(call: Call, product: tuple) -> None:
    """Check that `input` can be broadcast to the shape of the product."""
    given = tuple(call.input.shape)
    if len(given) > len(product):
        raise _errors.shapes.expand_rank(call.input, product)
    lead = len(product) - len(given)
    for dim in range(len(product) - 1, lead - 1, -1):
        if given[dim - lead] not in (1, product[dim]):
            raise _errors.shapes.expand_mismatch(product[dim], given[dim - lead], dim, product, given)


def _broadcast_shape_rule(shape):
    """Return a rule for the shape of the result: that of the product, to which `input` must be broadcastable."""

    def found(call: Call) -> list:
        product = tuple(shape(call))
        _check_broadcast(call, product)
        return [product]

    return found


def _in_place_check(shape):
    """Return a check of in-place calls. It raises PyTorch's error unless the tensor has the shape of the product."""

    def check(call: Call) -> None:
        if tuple(call.input.shape) != tuple(shape(call)):
            raise _errors.linalg.bad_in_place(call.input.shape, shape(call))

    return check


def _check_addmm(call: Call) -> None:
    a, b = call.mat1, call.mat2
    _check_dtypes(call.input, a, b)
    for name, x in (("mat1", a), ("mat2", b)):
        if x.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {x.ndim}-D tensor")
    if a.shape[1] != b.shape[0]:
        raise _errors.linalg.mat_shapes(a.shape[0], a.shape[1], b.shape[0], b.shape[1])


def _check_dtypes(added, a, b) -> None:
    for name, x in (("self", added), ("mat1", a)):
        if x.dtype is not b.dtype:
            raise _errors.linalg.addmm_dtypes(name, x.dtype, b.dtype)


def _addmm_shape(call: Call) -> tuple:
    return call.mat1.shape[0], call.mat2.shape[1]


@operator(
    autocast=LOWER,
    shape=_broadcast_shape_rule(_addmm_shape),
    check=_check_addmm,
    fits=_in_place_check(_addmm_shape),
    saves=("mat1", "mat2"),
    flops=flops.between("mat1", "mat2", "addmm", "mm"),
    opmath=False,
    old_orders=_old_orders("mat1", "mat2"),
    inplace=True,
    out=EXACT._replace(overloads=True),
    loop="addmm_impl_cpu_",
    float8=FLOAT8_SIGNED,
    takes=(*NUMBERS, EMPTY),
)
def addmm(input: Array, mat1: Array, mat2: Array, *, beta: Scalar = 1, alpha: Scalar = 1):
    """Return beta * input + alpha * (mat1 @ mat2).

    If `beta` is 0, the values of `input` are ignored, even NaN.

    Args:
      input: a shape that broadcasts to (n, m).
      mat1: (n, k).
      mat2: (k, m).
      beta: the factor of `input`.
      alpha: the factor of the product.

    Returns:
      (n, m).

    >>> torchlike.addmm(torchlike.ones(2, 2), torchlike.eye(2), torchlike.eye(2))
    tensor([[2., 1.],
            [1., 2.]])
    """
    return _add_product(input, rows_times(*unrounded(mat1, mat2)), beta, _factor(alpha, mat1.shape[1]))


def _size(x, dim: int) -> int:
    if not x.ndim:
        raise _errors.shapes.dim_of_scalar(dim)
    if dim >= x.ndim:
        raise _errors.shapes.dim_out_of_range(dim, x.ndim)
    return x.shape[dim]


def _baddbmm_shape(call: Call) -> tuple:
    return _size(call.batch1, 0), _size(call.batch1, 1), _size(call.batch2, 2)


def _addbmm_shape(call: Call) -> tuple:
    return _size(call.batch1, 1), _size(call.batch2, 2)


def _check_ranks(call: Call) -> None:
    for name, x in (("batch1", call.batch1), ("batch2", call.batch2)):
        if x.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")


def _check_baddbmm(call: Call) -> None:
    a, b = call.batch1, call.batch2
    _check_broadcast(call, _baddbmm_shape(call))
    if call.input.dtype is not a.dtype:
        raise _errors.linalg.baddbmm_dtypes(call.input.dtype, a.dtype, b.dtype)
    _check_ranks(call)
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise _errors.linalg.batch_shapes(a, b)
    if a.dtype is not b.dtype:
        raise _errors.dtypes.expected_scalar_type(a.dtype, b.dtype)


@operator(
    autocast=LOWER,
    shape=_broadcast_shape_rule(_baddbmm_shape),
    check=_check_baddbmm,
    fits=_in_place_check(_baddbmm_shape),
    saves=("batch1", "batch2"),
    opmath=False,
    inplace=True,
    loop="baddbmm",
    takes=NUMBERS,
    out=EXACT._replace(overloads=True),
    old_orders=_old_orders("batch1", "batch2"),
    flops=flops.between("batch1", "batch2", "baddbmm", "bmm"),
)
def baddbmm(input: Array, batch1: Array, batch2: Array, *, beta: Scalar = 1, alpha: Scalar = 1):
    """Return beta * input + alpha * (batch1 @ batch2), for batches of matrices.

    If `beta` is 0, the values of `input` are ignored, even NaN.

    Args:
      input: a shape that broadcasts to (b, n, m).
      batch1: (b, n, k).
      batch2: (b, k, m).
      beta: the factor of `input`.
      alpha: the factor of the product.

    Returns:
      (b, n, m).

    >>> torchlike.baddbmm(torchlike.ones(1, 2, 2), torchlike.ones(1, 2, 2), torchlike.ones(1, 2, 2))
    tensor([[[3., 3.],
             [3., 3.]]])
    """
    return _add_product(input, rows_times(*unrounded(batch1, batch2)), beta, _factor(alpha, batch1.shape[2]))


def _check_addbmm(call: Call) -> None:
    a, b = call.batch1, call.batch2
    _check_broadcast(call, _addbmm_shape(call))
    _check_ranks(call)
    if a.shape[0] != b.shape[0]:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {a.shape[0]} and {b.shape[0]}")
    if a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"Incompatible matrix sizes for bmm ({a.shape[1]}x{a.shape[2]} and {b.shape[1]}x{b.shape[2]})"
        )
    _check_dtypes(call.input, a, b)


@operator(
    out=Into(_errors.outs.of_batches, quiet=True),
    autocast=LOWER,
    shape=_broadcast_shape_rule(_addbmm_shape),
    check=_check_addbmm,
    saves=("batch1", "batch2"),
    opmath=False,
    inplace=True,
    loop="addmm_impl_cpu_",
    float8=FLOAT8_SIGNED,
    takes=NUMBERS,
    old_orders=_old_orders("batch1", "batch2"),
)
def addbmm(input: Array, batch1: Array, batch2: Array, *, beta: Scalar = 1, alpha: Scalar = 1):
    """Return beta * input + alpha * (the sum over the batch of batch1 @ batch2).

    If `beta` is 0, the values of `input` are ignored, even NaN.

    Args:
      input: a shape that broadcasts to (n, m).
      batch1: (b, n, k).
      batch2: (b, k, m).
      beta: the factor of `input`.
      alpha: the factor of the sum.

    Returns:
      (n, m).
    """
    if namespace(batch1) is not np:
        return _add_product(input, jnp.einsum("bnk,bkm->nm", batch1, batch2), beta, _factor(alpha, batch1.shape[2]))
    return _sum_over_batch(input, batch1, batch2, beta, alpha)


def _sum_over_batch(found, batch1, batch2, beta, alpha):
    """Sum over the batch as PyTorch does on the CPU: products in high precision, with each partial sum rounded."""
    dtype = found.dtype
    exact = lambda x: x.astype(np.result_type(dtype, np.float64)) if dtype.kind not in "iub" else x
    if not batch1.size:
        return _add_product(found, np.zeros((batch1.shape[1], batch2.shape[2]), dtype), beta, 1)
    for i, (a, b) in enumerate(zip(batch1, batch2)):
        found = _add_product(exact(found), np.matmul(exact(a), exact(b)), 1 if i else beta, alpha).astype(dtype)
    return found


def _check_addmv(call: Call) -> None:
    x, a, v = call.arrays
    if a.ndim != 2 or v.ndim != 1 or x.ndim > 1:
        raise _errors.linalg.mv_ranks(x.ndim, a.ndim, v.ndim)
    if a.shape[1] != v.shape[0] or x.numel not in (1, a.shape[0]):
        raise _errors.linalg.mv_sizes(_size(x, 0), a, v)
    if not x.dtype is a.dtype is v.dtype:
        raise _errors.linalg.mv_dtypes(x.dtype, a.dtype, v.dtype)


@operator(
    autocast=LOWER_ELSEWHERE,
    shape=lambda call: [call.mat.shape[:1]],
    check=_check_addmv,
    fits=_in_place_check(lambda call: call.mat.shape[:1]),
    saves=("mat", "vec"),
    opmath=False,
    inplace=True,
    loop="addmv_impl_cpu",
    takes=NUMBERS,
    old_orders=_old_orders("mat", "vec"),
)
def addmv(input: Array, mat: Array, vec: Array, *, beta: Scalar = 1, alpha: Scalar = 1):
    """Return beta * input + alpha * (mat @ vec).

    If `beta` is 0, the values of `input` are ignored, even NaN.

    Args:
      input: a shape that broadcasts to (n,).
      mat: (n, k).
      vec: (k,).
      beta: the factor of `input`.
      alpha: the factor of the product.

    Returns:
      (n,).
    """
    return _add_product(input, namespace(mat).matmul(*unrounded(mat, vec)), beta, _factor(alpha, mat.shape[1]))


def _check_addr(call: Call) -> None:
    for name, x in (("vec1", call.vec1), ("vec2", call.vec2)):
        if x.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {x.ndim}-D")
    category = result_type(call.arrays, []).category
    for name in ("beta", "alpha"):
        if call.arguments[name] is bool and category:
            raise _errors.arithmetic.bool_factor(name)
        if call.arguments[name] is float and category <= INTEGER:
            raise _errors.arithmetic.fractional_factor(name)


def _addr_fits(call: Call) -> None:
    if call.input.ndim != 2:
        raise RuntimeError(f"2D tensor expected, got {call.input.ndim}D tensor for input")
    if call.input.shape != call.vec1.shape + call.vec2.shape:
        raise _errors.linalg.addr_sizes(call.input, call.vec1, call.vec2)


@operator(
    out=CASTABLE,
    autocast=LOWER_ELSEWHERE,
    shape=_broadcast_shape_rule(lambda call: call.vec1.shape + call.vec2.shape),
    check=_check_addr,
    fits=_addr_fits,
    saves=("vec1", "vec2"),
    opmath=False,
    inplace=True,
    overlaps=False,
    old_orders=_old_orders("vec1", "vec2"),
)
def addr(input: Array, vec1: Array, vec2: Array, *, beta: Scalar = 1, alpha: Scalar = 1):
    """Return beta * input + alpha * outer(vec1, vec2).

    If `beta` is 0, the values of `input` are ignored, even NaN.

    Args:
      input: a shape that broadcasts to (n, m).
      vec1: (n,).
      vec2: (m,).
      beta: the factor of `input`.
      alpha: the factor of the outer product.

    Returns:
      (n, m).
    """
    first = vec1 if isinstance(alpha, int) else alpha.astype(vec1.dtype) * vec1
    return _add_product(input, first[:, None] * vec2[None, :], beta, 1)
