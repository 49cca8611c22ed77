"""Products of vectors and matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import BOOL, FLOAT8, FLOAT8_SIGNED, FLOATING
from torchlike._dtypes.strides import contiguous_strides, view_strides
from torchlike._errors.dtypes import scalar_name
from torchlike._ops.elementwise.float8 import wide
from torchlike._ops.linalg.products import rows_times
from torchlike._ops.reduce.row_sums import add_to_rows
from torchlike._ops.schema import flops
from torchlike._ops.schema.autocast_policies import (
    FULL_ON_CPU,
    LOWER,
    LOWER_ELSEWHERE,
    WIDEST_ELSEWHERE,
    Casts,
    Policy,
    widest,
)
from torchlike._ops.schema.checks import EMPTY, NUMBERS
from torchlike._ops.schema.declare import EXACT, HOST_REDUCES, Array, Into, Kept, namespace, operator
from torchlike._ops.schema.namespace import unrounded, widened
from torchlike._ops.schema.node_names import Nodes
from torchlike._ops.schema.out_rules import CASTABLE
from torchlike._ops.schema.typing_rules import Call, broadcast, sum_like, wrap_dim


def _product_shape(call: Call) -> list:
    a, b = call.arrays[0].shape, call.arrays[1].shape
    rows = a[-2:-1] if len(a) > 1 else ()
    columns = b[-1:] if len(b) > 1 else ()
    return [broadcast([a[:-2], b[:-2]]) + tuple(rows) + tuple(columns)]


def _check_matmul(call: Call) -> None:
    _errors.linalg.check_matmul(*call.arrays)
    a, b = call.arrays
    loop = _LOOPS.get((a.ndim, b.ndim), "bmm")
    if a.dtype in FLOAT8 and (loop != "addmm_impl_cpu_" or a.dtype not in FLOAT8_SIGNED):
        raise _errors.dtypes.not_implemented(loop, a.dtype)


_LOOPS = {(1, 1): "dot", (2, 1): "addmv_impl_cpu", **dict.fromkeys([(1, 2), (2, 2), (3, 2)], "addmm_impl_cpu_")}


def _matmul_node(call: Call) -> str:
    first, second = (min(a.ndim, 3) for a in call.arrays)
    return _MATMUL_NODES.get((first, second), "UnsafeViewBackward0")


def _rows(node: str, *inputs: str) -> Nodes:
    """Return the nodes of a product with the rows of all leading dims of `input`."""
    return Nodes("UnsafeViewBackward0", Nodes(node, Nodes("ViewBackward0", "input"), *inputs), passes=True)


_MATMUL_NODES = {
    (1, 1): "DotBackward0",
    (2, 1): "MvBackward0",
    (2, 2): "MmBackward0",
    (1, 2): Nodes("SqueezeBackward4", Nodes("MmBackward0", Nodes("UnsqueezeBackward0", "input"), "other"), passes=True),
    (3, 1): _rows("MvBackward0", "other"),
    (3, 2): _rows("MmBackward0", "other"),
}


def _matmul_keeps(call: Call) -> tuple[str | Kept, ...]:
    """Return the tensors saved for backward, in PyTorch's order.

    If the second factor is a vector (`vec` or `tensor`), PyTorch saves it after `self`. If it is a matrix (`mat2`),
    PyTorch saves it before `self`. Of a matrix and a batch of matrices it saves a view of the matrix, and a copy of the
    batch that is the second factor.
    """
    first, second = (a.ndim for a in call.arrays)
    if second == 1 and first < 3:
        return Kept("input", only_for="other"), Kept("other", only_for="input")
    if second < 3:
        seen = "row" if (first, second) == (1, 2) else "rows"
        return Kept("other", only_for="input"), Kept("input", seen, "other")
    if first < 3:
        return (Kept("input", "T" if first == 2 else "", "other"),)
    batch = np.broadcast_shapes(*[a.shape[:-2] for a in call.arrays])
    saved = ("other", call.other, "input"), ("input", call.input, "other")
    return tuple([Kept(name, "batch", wanted) for name, a, wanted in saved if a.shape[:-2] == batch])


def _matmul_into(input: Any, other: Any) -> Into:
    return Into(_errors.outs.product) if input.ndim == other.ndim == 1 else EXACT


@operator(
    autocast=LOWER,
    shape=_product_shape,
    check=_check_matmul,
    opmath=False,
    where=("torch", "Tensor", "linalg"),
    node=_matmul_node,
    out=_matmul_into,
    float8=FLOAT8,
    flops=flops.matmul,
    remembers=_matmul_keeps,
    takes=(*NUMBERS, EMPTY),
)
def matmul(input: Array, other: Array):
    """Return the matrix product: (..., n, k) @ (..., k, m) -> (..., n, m).

    The batch dims are broadcast. A 1-dim first factor is treated as a row, and a 1-dim second factor as a column. The
    dim of size 1 that this adds is removed from the result.

    Args:
      other: the second factor, of the same dtype.

    >>> torchlike.matmul(torchlike.ones(2, 3), torchlike.ones(3, 4)).shape
    torch.Size([2, 4])
    """
    return rows_times(input, other)


def _check_mm(call: Call) -> None:
    a, b = call.arrays
    for name, x in (("self", a), ("mat2", b)):
        if x.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    if a.shape[1] != b.shape[0]:
        raise _errors.linalg.mat_shapes(a.shape[0], a.shape[1], b.shape[0], b.shape[1])
    if a.dtype is not b.dtype:
        raise _errors.linalg.product_dtypes(a.dtype, b.dtype)
    if a.dtype.category == BOOL:
        raise _errors.dtypes.not_implemented("addmm_impl_cpu_", a.dtype)


def _mm_shape(call: Call) -> list:
    return [(call.arrays[-2].shape[0], call.arrays[-1].shape[1])]


_OF_MATRICES: dict[str, Any] = {
    "autocast": LOWER,
    "opmath": False,
    "out": EXACT._replace(overloads=True),
    "takes": (*NUMBERS, EMPTY),
}


@operator(
    shape=_mm_shape, check=_check_mm, loop="addmm_impl_cpu_", float8=FLOAT8_SIGNED, flops=flops.mm, **_OF_MATRICES
)
def mm(input: Array, mat2: Array):
    """Return the product of two matrices: (n, k), (k, m) -> (n, m).

    Args:
      input: (n, k).
      mat2: (k, m), of the same dtype.

    >>> torchlike.mm(torchlike.eye(2), torchlike.ones(2, 3)).shape
    torch.Size([2, 3])
    """
    return rows_times(input, mat2)


def _check_batches(call: Call) -> None:
    a, b = call.arrays[-2:]
    for place, x in enumerate((a, b), 1):
        if x.ndim != 3:
            raise RuntimeError(f"batch{place} must be a 3D tensor")
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise _errors.linalg.batch_shapes(a, b)
    if a.dtype is not b.dtype:
        raise _errors.dtypes.expected_scalar_type(a.dtype, b.dtype)


def _bmm_shape(call: Call) -> list:
    a, b = call.arrays[-2:]
    return [(a.shape[0], a.shape[1], b.shape[2])]


@operator(shape=_bmm_shape, check=_check_batches, loop="bmm", flops=flops.bmm, **_OF_MATRICES)
def bmm(input: Array, mat2: Array):
    """Return the products of two batches of matrices: (b, n, k), (b, k, m) -> (b, n, m).

    Args:
      input: (b, n, k).
      mat2: (b, k, m), of the same dtype.

    >>> torchlike.bmm(torchlike.ones(2, 3, 4), torchlike.ones(2, 4, 5)).shape
    torch.Size([2, 3, 5])
    """
    return rows_times(input, mat2)


def _check_mv(call: Call) -> None:
    a, v = call.arrays[-2:]
    if a.ndim != 2 or v.ndim != 1:
        raise _errors.linalg.mv_ranks(1, a.ndim, v.ndim)
    if a.shape[1] != v.shape[0]:
        raise _errors.linalg.mv_sizes(a.shape[0], a, v)
    if a.dtype is not v.dtype:
        raise _errors.linalg.mv_dtypes(v.dtype, a.dtype, v.dtype)


@operator(
    out=Into(_errors.outs.of_three),
    autocast=LOWER_ELSEWHERE,
    host=HOST_REDUCES,
    shape=lambda call: [call.arrays[-2].shape[:1]],
    check=_check_mv,
    opmath=False,
    loop="addmv_impl_cpu",
    takes=NUMBERS,
)
def mv(input: Array, vec: Array):
    """Return the product of a matrix and a vector: (n, k), (k,) -> (n,).

    Args:
      input: (n, k).
      vec: (k,), of the same dtype.

    >>> torchlike.mv(torchlike.tensor([[1, 2], [3, 4]]), torchlike.tensor([1, 10]))
    tensor([21, 43])
    """
    return namespace(input).matmul(input, vec)


def _check_dot(call: Call) -> None:
    a, b = call.arrays
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype is not b.dtype:
        raise _errors.linalg.dot_dtypes(a.dtype, b.dtype)
    if a.shape != b.shape:
        raise _errors.linalg.dot_sizes(a.shape[0], b.shape[0])


@operator(
    out=Into(_errors.outs.product),
    autocast=WIDEST_ELSEWHERE,
    host=HOST_REDUCES,
    shape=lambda call: [()],
    check=_check_dot,
    opmath=False,
    loop="dot",
    takes=NUMBERS,
)
def dot(input: Array, tensor: Array):
    """Return the dot product, the sum of the products of the elements of two vectors of equal length.

    Args:
      input: a vector.
      tensor: a vector of the same length and dtype.

    >>> torchlike.dot(torchlike.tensor([1, 2]), torchlike.tensor([3, 4]))
    tensor(11)
    """
    return namespace(input).matmul(input, tensor)


@operator(
    out=Into(_errors.outs.product),
    autocast=WIDEST_ELSEWHERE,
    host=HOST_REDUCES,
    shape=lambda call: [()],
    check=_check_dot,
    opmath=False,
    loop="dot",
    takes=NUMBERS,
)
def vdot(input: Array, other: Array):
    """Return the dot product of two vectors, with the first one conjugated.

    Args:
      other: a vector of the same length and dtype.
    """
    xp = namespace(input)
    return np.vdot(input, other) if xp is np else xp.matmul(xp.conj(input), other)


def _check_outer(call: Call) -> None:
    for name, x in zip(("self", "vec2"), call.arrays):
        if x.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {x.ndim}-D")


@operator(
    out=CASTABLE._replace(called="mul"),
    shape=lambda call: [call.input.shape + call.vec2.shape],
    check=_check_outer,
    aliases=("ger",),
    node="MulBackward0",
    float8=FLOAT8,
    remembers=(Kept("vec2", only_for="input"), Kept("input", "column", "vec2")),
)
def outer(input: Array, vec2: Array):
    """Return the outer product of two vectors: (n,), (m,) -> (n, m).

    Args:
      input: (n,).
      vec2: (m,).

    >>> torchlike.outer(torchlike.tensor([1, 2]), torchlike.tensor([3, 4]))
    tensor([[3, 4],
            [6, 8]])
    """
    return input[:, None] * vec2[None, :]


def _summed_in(dims_of: Callable) -> Policy:
    """Return PyTorch's autocast policy for a contraction over dims.

    PyTorch computes a contraction by a matrix product, which has a lower-precision policy, unless the result is a
    single number.
    """

    def policy(fast: _dtypes.dtype, dtypes: list, args: tuple) -> _dtypes.dtype | None:
        a, b = args[:2]
        if not (a.ndim and b.ndim):
            return None
        left = [
            math.prod(x.shape) // max(math.prod(x.shape[d] for d in dims), 1) for x, dims in zip((a, b), dims_of(*args))
        ]
        return None if left == [1, 1] else fast

    return policy


def _check_inner(call: Call) -> None:
    a, b = call.arrays
    if a.ndim and b.ndim and a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    if a.ndim and b.ndim and a.shape[-1] != b.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(a.shape)} and {list(b.shape)}"
        )


def _inner_shape(call: Call) -> list:
    a, b = call.arrays
    return [a.shape[:-1] + b.shape[:-1] if a.ndim and b.ndim else a.shape + b.shape]


def _inner_remembers(call: Call) -> tuple[str | Kept, ...]:
    first, second = (a.ndim for a in call.arrays)
    if not first or not second:
        return ("inputs",)
    return "inputs", Kept("input", "view"), Kept("other", "T" if second == 2 else "view")


def _inner_into(input: Any, other: Any) -> Into:
    if input.ndim and other.ndim:
        return Into(_errors.outs.contracted, called=None)
    return CASTABLE._replace(called="mul")


@operator(
    out=_inner_into,
    autocast=Casts(_summed_in(lambda a, b: ((-1,), (-1,))), widest),
    shape=_inner_shape,
    remembers=_inner_remembers,
    check=_check_inner,
    opmath=False,
    loop="dot",
    takes=NUMBERS,
)
def inner(input: Array, other: Array):
    """Return the sums of products over the last dim of both tensors: (..., k), (*, k) -> (..., *).

    Args:
      other: a tensor of the same dtype, with the same last size.
    """
    return namespace(input).inner(input, other)


# -- sums over given dims ----------------------------------------------------------------------------------------------


def _check_tensordot(call: Call) -> None:
    of_a, of_b = call.dims
    if call.a.dtype is not call.b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    if len(of_a) != len(of_b):
        raise RuntimeError("both dimension lists should have same length")
    for i, j in zip(of_a, of_b):
        n, m = call.a.shape[wrap_dim(i, call.a.ndim)], call.b.shape[wrap_dim(j, call.b.ndim)]
        if n != m:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {i} and second has "
                f"size {m} in dim {j}"
            )


def _tensordot_shape(call: Call) -> list:
    gone = [{wrap_dim(d, x.ndim) for d in dims} for x, dims in zip(call.arrays, call.dims)]
    return [tuple(n for x, out in zip(call.arrays, gone) for d, n in enumerate(x.shape) if d not in out)]


def _tensordot_remembers(call: Call) -> tuple:
    """Return the factors saved for backward: those that can be viewed as matrices.

    PyTorch copies the other factors and saves the copies.
    """
    found = []
    for name, x, dims, last in zip("ab", call.arrays, call.dims, (True, False)):
        summed = [wrap_dim(d, x.ndim) for d in dims]
        free = [d for d in range(x.ndim) if d not in summed]
        order = [*free, *summed] if last else [*summed, *free]
        strides, sizes = (
            contiguous_strides(tuple(x.shape)),
            [math.prod(x.shape[d] for d in part) for part in (free, summed)],
        )
        matrix = tuple(sizes if last else sizes[::-1])
        if view_strides(tuple(x.shape[d] for d in order), tuple(strides[d] for d in order), matrix) is not None:
            found.append(Kept(name, "view", "b" if name == "a" else "a"))
    return tuple(found)


@operator(
    autocast=Casts(_summed_in(lambda a, b, dims: dims), widest),
    remembers=_tensordot_remembers,
    flops=flops.tensordot,
    where=(),
    opmath=False,
    node="ViewBackward0",
    shape=_tensordot_shape,
    check=_check_tensordot,
)
def tensordot(a: Array, b: Array, dims: tuple):
    """Return the contraction of two tensors: the sum of their products over the given dims of each."""
    return namespace(a).tensordot(a, b, axes=dims)


def _kron_shape(call: Call) -> list:
    a, b = call.input.shape, call.other.shape
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + tuple(a), (1,) * (n - len(b)) + tuple(b)
    return [tuple(x * y for x, y in zip(a, b))]


@operator(
    out=CASTABLE._replace(called="mul"), shape=_kron_shape, node="UnsafeViewBackward0", remembers=(), float8=FLOAT8
)
def kron(input: Array, other: Array):
    """Return the Kronecker product: each element of `input` times the whole of `other`.

    The size of each dim of the result is the product of the two sizes; missing leading dims have size 1.

    Args:
      other: the second operand. It has any shape.

    >>> torchlike.kron(torchlike.tensor([1, 2]), torchlike.tensor([1, 10]))
    tensor([ 1, 10,  2, 20])
    """
    return namespace(input).kron(input, other)


def _check_trace(call: Call) -> None:
    if call.input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {call.input.ndim}")


@operator(
    autocast=FULL_ON_CPU,
    shape=lambda call: [()],
    check=_check_trace,
    promote=sum_like,
    saves=(),
    out=False,
    loop="trace",
    takes=NUMBERS,
)
def trace(input: Array):
    """Return the sum of the diagonal of a matrix.

    >>> torchlike.trace(torchlike.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    rows, columns = input.shape
    count = min(rows, columns)
    return namespace(input).sum(input.reshape(-1)[: max(count * (columns + 1) - columns, 0) : columns + 1])


def _check_cross(call: Call) -> None:
    a, b = call.arrays
    if a.dtype is not b.dtype:
        raise _errors.dtypes.expected_scalar_type(a.dtype, b.dtype)
    if a.ndim != b.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    dim = wrap_dim(call.dim, a.ndim)
    if a.shape[dim] != 3 or b.shape[dim] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {call.dim} must have length 3. Got {a.shape[dim]} and {b.shape[dim]}"
        )


@operator(
    autocast=WIDEST_ELSEWHERE,
    shape=lambda call: [broadcast([call.input.shape, call.other.shape])],
    check=_check_cross,
    where=("linalg",),
    opmath=False,
    node="LinalgCrossBackward0",
    out=Into(_errors.dtypes.exact_out, apart=0),
    loop="cross",
    takes=NUMBERS,
)
def cross(input: Array, other: Array, *, dim: int = -1):
    """Return the cross product of vectors of three elements along `dim`.

    Args:
      dim: the dim of size 3.
    """
    xp = namespace(input)
    a, b = xp.broadcast_arrays(input, other)
    return xp.cross(a, b, axis=dim)


def _cdot(call: Call) -> list:
    a, b = call.x.shape, call.y.shape
    dim = wrap_dim(call.dim, max(len(a), len(b)))
    out = broadcast([a, b])
    return [tuple(n for d, n in enumerate(out) if d != dim)]


def _check_vecdot(call: Call) -> None:
    if call.x.dtype.category < FLOATING:
        raise _errors.linalg.inexact("linalg.vecdot", call.x.dtype)
    if call.x.dtype is not call.y.dtype:
        x, y = scalar_name(call.x.dtype), scalar_name(call.y.dtype)
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x} and y of type {y} instead"
        )


@operator(
    out=Into(_errors.outs.of_vectors, called="vdot"),
    autocast=LOWER,
    shape=_cdot,
    check=_check_vecdot,
    where=("linalg",),
    opmath=False,
    loop="sum_cpu",
)
def vecdot(x: Array, y: Array, *, dim: int = -1):
    """Return the sum of conj(x) * y over `dim`.

    Args:
      x, y: tensors of the same dtype. They are broadcast.
      dim: the dim to reduce.
    """
    xp = namespace(x)
    products = widened(xp.conj(x) * y)
    return xp.sum(products, axis=dim if products.ndim else None)


def _linear_shape(call: Call) -> list:
    return [tuple(call.input.shape[:-1]) + tuple(call.weight.shape[:-1])]


def _linear_node(call: Call) -> str:
    weight = Nodes("TBackward0", "weight")
    if call.weight.ndim == 1:
        return _rows("MvBackward0", weight) if call.input.ndim > 2 else Nodes("MvBackward0", "input", weight)
    if call.bias is not None:
        if call.input.ndim == 2:
            return Nodes("AddmmBackward0", "bias", "input", weight)
        rows = Nodes("AddmmBackward0", "bias", Nodes("ViewBackward0", "input"), weight)
        return Nodes("ViewBackward0", rows, passes=True)
    if call.input.ndim == 2:
        return Nodes("MmBackward0", "input", weight)
    if call.input.ndim > 2:
        return _rows("MmBackward0", weight)
    row = Nodes("MmBackward0", Nodes("UnsqueezeBackward0", "input"), weight)
    return Nodes("SqueezeBackward4", row, passes=True)


def _linear_edges(has_array: Callable[[str], bool]) -> tuple[str, ...]:
    return ("bias", "input", "weight") if has_array("bias") else ("input", "weight")


@operator(
    autocast=LOWER,
    shape=_linear_shape,
    check=_errors.linalg.check_linear,
    saves=("input", "weight"),
    opmath=False,
    flops=flops.linear,
    where=("nn.functional",),
    node=_linear_node,
    edges=_linear_edges,
    loop="addmm_impl_cpu_",
    float8=FLOAT8_SIGNED,
    remembers=(Kept("input", "rows", "weight"), Kept("weight", "T", "input")),
    takes=(*NUMBERS, EMPTY),
)
def linear(input: Array, weight: Array, bias: Array | None = None):
    """Return input @ weight.T + bias.

    Args:
      input: (..., k).
      weight: (n, k) or (k,).
      bias: (n,), or a shape that broadcasts to that of the result.

    Returns:
      (..., n), or (...) for a weight of shape (k,).

    Raises:
      RuntimeError: the sizes k differ.

    >>> import torchlike as torch
    >>> torch.nn.functional.linear(torch.tensor([1.0, 2.0]), torch.ones(1, 2), torch.ones(1)).tolist()
    [4.0]
    """
    input, weight, bias = unrounded(input, weight, bias)
    out = rows_times(input, weight, "nt")
    if bias is not None and bias.ndim > out.ndim:
        bias = bias.reshape(out.shape)
    return out if bias is None else add_to_rows(out, wide(bias))
