"""Sorting, top-k, k-th smallest, medians and modes. NaN counts as the largest number."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike import _dtypes, _errors
from torchlike._engine.xla.target import for_cpu
from torchlike._ops.reduce import order as _order
from torchlike._ops.reduce.reduce import at, evenly, pair_shape
from torchlike._ops.schema.checks import not_complex, real_number
from torchlike._ops.schema.declare import EXACT, HOST, Array, Into, namespace, operator
from torchlike._ops.schema.namespace import widened
from torchlike._ops.schema.typing_rules import Call, wrap_dim


def ordered(x, dim: int, descending: bool = False):
    """Return the sorted elements along `dim` and their indices. Equal elements keep their order."""
    xp = namespace(x)
    if not x.ndim:
        return x, xp.zeros((), "int64")
    if xp is np:
        return _ordered_on_host(x, dim, descending)
    keys = _keys(lax.stop_gradient(x))
    places = lax.broadcasted_iota("int32", x.shape, dim % x.ndim)
    if descending and keys.dtype.kind == "f":
        # Sorting the flipped array and flipping the result keeps the order of equal elements.
        keys, places = xp.flip(keys, dim), xp.flip(places, dim)
    elif descending:
        keys = ~keys
    if x.dtype.itemsize <= 4 and for_cpu():
        # Pack key and index into one int64. The keys are then unique, and an unstable sort takes a fifth of the time.
        both = lax.sort((keys.astype("int64") << 32) | places.astype("int64"), dimension=dim % x.ndim)
        places = both.astype("int32")
    else:
        _, places = lax.sort((keys, places), dimension=dim % x.ndim, is_stable=True, num_keys=1)
    places = xp.flip(places, dim) if descending and keys.dtype.kind == "f" else places
    return at(x, places, dim), places  # the gradient of this gather needs no second sort


def _keys(x):
    """Return 32-bit integer keys in the order of the elements. Wider elements are returned unchanged."""
    x, sign = widened(x), np.int32(-(2**31))
    if x.dtype.itemsize > 4:
        return x
    if x.dtype.kind != "f":
        return x.astype("int32") ^ sign if x.dtype == "uint32" else x.astype("int32")
    bits = lax.bitcast_convert_type(x, "int32")
    ordered = jnp.where(bits == sign, 0, jnp.where(bits < 0, ~bits ^ sign, bits))  # -0.0 equals 0.0
    return jnp.where((bits & ~sign) > 0x7F800000, ~sign, ordered)


def _ordered_on_host(x: np.ndarray, dim: int, descending: bool):
    turned = np.flip(x, dim) if descending else x
    order = _order.stable_order(widened(turned), dim)  # NumPy does not order half-precision NaN
    found = np.take_along_axis(turned, order, dim)
    return (np.flip(found, dim), np.flip(x.shape[dim] - 1 - order, dim)) if descending else (found, order)


def _check_sort(call: Call) -> None:
    if "dim" in call.arguments:
        wrap_dim(call.dim, call.input.ndim)
    if call.input.dtype.is_complex:
        raise RuntimeError(" Sort does not support complex dtypes on CPU")


def _same_shape(call: Call) -> list:
    return [(call.input.shape, call.input.dtype), (call.input.shape, _dtypes.int64)]


@operator(
    remembers=("others",),
    shape=_same_shape,
    opmath=False,
    check=_check_sort,
    where=(),
    host=HOST,
    node=lambda call: f"SortBackward{int(bool(call.stable))}",
    chooses=True,
    out=EXACT,
    loop="sorting_kernel_method_name",
)
def sort(input: Array, dim: int = -1, descending: bool = False, *, stable: bool | None = False):
    """Return the elements sorted along `dim`, and their indices.

    Equal elements keep their order even if `stable` is False.

    Args:
      descending: sort from large to small.
      stable: has no effect.

    >>> torchlike.sort(torchlike.tensor([3, 1, 2])).values
    tensor([1, 2, 3])
    """
    return ordered(input, dim, descending)


@operator(
    host=HOST,
    shape=lambda call: [(call.input.shape, _dtypes.int64)],
    opmath=False,
    check=_check_sort,
    differentiable=False,
    loop="sorting_kernel_method_name",
)
def argsort(input: Array, dim: int = -1, descending: bool = False, *, stable: bool = False):
    """Return the indices that sort the elements along `dim`.

    Args:
      descending: sort from large to small.
      stable: has no effect. Equal elements keep their order in any case.

    >>> torchlike.argsort(torchlike.tensor([3, 1, 2]))
    tensor([1, 2, 0])
    """
    return ordered(input, dim, descending)[1]


@operator(
    out=EXACT._replace(called="sort"),
    host=HOST,
    shape=lambda call: [(call.input.shape, call.input.dtype)],
    opmath=False,
    node="SortBackward0",
    check=_check_sort,
    chooses=True,
    remembers=(),
    loop="sorting_kernel_method_name",
)
def msort(input: Array):
    """Return the elements sorted along the first dim."""
    return ordered(input, 0)[0]


def _check_topk(call: Call) -> None:
    dim = wrap_dim(call.dim, call.input.ndim)
    if call.input.dtype is _dtypes.bool_:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    size = call.input.shape[dim] if call.input.ndim else 1
    if not 0 <= call.k <= size:
        raise RuntimeError("selected index k out of range")
    if call.input.dtype.is_complex:
        raise RuntimeError(" topk does not support complex dtypes on CPU")


def _one_row(call: Call) -> int:
    return HOST if call.input.ndim and call.input.numel == call.input.shape[call.dim] else 0


def _topk_shape(call: Call) -> list:
    shape = list(call.input.shape)
    if shape:
        shape[call.dim] = call.k
    return [(tuple(shape), call.input.dtype), (tuple(shape), _dtypes.int64)]


@operator(
    host=_one_row,
    remembers=("others",),
    shape=_topk_shape,
    opmath=False,
    check=_check_topk,
    where=(),
    chooses=True,
    out=EXACT,
)
def topk(input: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True):
    """Return the `k` largest elements along `dim`, in order, and their indices.

    If `largest` is False, return the `k` smallest elements. The results are sorted even if `sorted` is False.

    Args:
      k: the number of elements.
      largest: return the largest elements, else the smallest.
      sorted: has no effect.

    >>> torchlike.topk(torchlike.tensor([3, 1, 2]), 2).indices
    tensor([0, 2])
    """
    xp = namespace(input)
    if largest and xp is not np and input.ndim and input.dtype.kind != "b":
        rows = xp.moveaxis(input, dim, -1)
        # Both results must be used: if one is unused, XLA sorts all elements.
        _, places = lax.top_k(lax.stop_gradient(widened(rows)), k)  # fast only for float32
        return xp.moveaxis(at(rows, places, -1), -1, dim), xp.moveaxis(places, -1, dim)
    if xp is np and input.ndim:
        found = _order.largest(widened(input), k, dim, 1 if largest else -1)
        if found is not None:
            return found[0].astype(input.dtype), found[1]
    values, places = ordered(input, dim, largest)
    first = (slice(None),) * (dim % max(input.ndim, 1)) + (slice(k),) if input.ndim else ()
    return values[first], places[first]


def _check_kthvalue(call: Call) -> None:
    dim = wrap_dim(call.dim, call.input.ndim)
    size = call.input.shape[dim] if call.input.ndim else 1
    if not 1 <= call.k <= size:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    real_number("kthvalue_cpu")(call)


@operator(
    remembers=("others",),
    shape=pair_shape,
    opmath=False,
    check=_check_kthvalue,
    where=(),
    chooses=True,
    host=HOST,
    out=Into((_errors.dtypes.kthvalue_out, _errors.outs.kth_index), apart=0),
)
def kthvalue(input: Array, k: int, dim: int = -1, keepdim: bool = False):
    """Return the k-th smallest element along `dim` (k counts from 1), and its index.

    Args:
      k: the rank, from 1 to the size of the dim.

    >>> torchlike.kthvalue(torchlike.tensor([5, 1, 3]), 2).values
    tensor(3)
    """
    return _without_dim(*_of_rank(input, dim, k - 1), dim, keepdim)


def _of_rank(x, dim: int, rank):
    """Return the element of rank `rank` (counted from 0) and its index, both with size 1 in `dim`."""
    xp = namespace(x)
    if not x.ndim:
        return x, xp.zeros((), "int64")
    if xp is np and x.size == x.shape[dim]:
        rank = int(np.reshape(rank, ()))
    if xp is np and isinstance(rank, int):
        wide = widened(x)
        value = _order.of_rank(wide, rank, dim)
        return value.astype(x.dtype), _order.place_of_rank(wide, value, rank, dim)
    _, places = ordered(x, dim)
    index = xp.take(places, xp.asarray([rank]), axis=dim) if isinstance(rank, int) else at(places, rank, dim)
    return at(x, index, dim), index


def _without_dim(values, index, dim: int, keepdim: bool):
    if keepdim or not values.ndim:
        return values, index
    xp = namespace(values)
    return xp.squeeze(values, dim), xp.squeeze(index, dim)


# -- medians -----------------------------------------------------------------------------------------------------------


def _check_median(name: str):
    def check(call: Call) -> None:
        if "dim" in call.arguments:
            _errors.arithmetic.check_extreme(name, call)
        real_number("median_out" if "dim" in call.arguments else "median_cpu")(call)

    return check


def _middle(x, dim: int, ignore_nan: bool):
    """Return the median along `dim` and its index, both with size 1 in `dim`.

    Without `ignore_nan`, the first NaN is returned if there is one.
    """
    xp = namespace(x)
    n = x.shape[dim] if x.ndim else 1
    if x.dtype.kind in "iu" or not x.ndim:
        return _of_rank(x, dim, (n - 1) // 2)
    nans = xp.isnan(x)
    if ignore_nan:
        count = xp.sum(~nans, axis=dim, keepdims=True)
        return _of_rank(x, dim, xp.maximum((count - 1) // 2, 0))
    _, index = _of_rank(x, dim, (n - 1) // 2)
    first_hole = xp.expand_dims(xp.argmax(nans, axis=dim), dim)
    index = xp.where(xp.any(nans, axis=dim, keepdims=True), first_hole, index)
    return at(x, index, dim), index


def _of_all(x, ignore_nan: bool):
    xp = namespace(x)
    if not x.size:
        return xp.asarray(xp.nan).astype(x.dtype)
    flat = x.reshape(-1)
    if xp is np:
        return _middle_on_host(flat, ignore_nan)
    if x.dtype.kind in "iu":
        return _middle(flat, 0, ignore_nan)[0].reshape(())
    return evenly(flat, lambda x: _middle(x, 0, ignore_nan)[0], (0,), True, True).reshape(())


def _middle_on_host(flat: np.ndarray, ignore_nan: bool):
    count = flat.size if flat.dtype.kind in "iu" else int(np.count_nonzero(flat == flat))
    if count < flat.size and (not ignore_nan or not count):
        return np.asarray(np.nan).astype(flat.dtype)
    return _order.of_rank(widened(flat), (count - 1) // 2, 0).reshape(()).astype(flat.dtype)


_ALL = {
    "host": HOST,
    "shape": lambda call: [((), call.input.dtype)],
    "opmath": False,
    "where": (),
    "remembers": ("inputs", "result"),
}


@operator(**_ALL, check=_check_median("median"), node="MedianBackward0", chooses=True)
def _median_of_all(input: Array):
    """Return the median of all elements, the lower of two middle elements.

    It is NaN if any element is NaN.
    """
    return _of_all(input, False)


@operator(**_ALL, check=_check_median("nanmedian"), node="NanmedianBackward0", chooses=True)
def _nanmedian_of_all(input: Array):
    """Return the median of all elements that are not NaN, the lower of two middle elements."""
    return _of_all(input, True)


@operator(
    host=HOST,
    remembers=("others",),
    shape=pair_shape,
    opmath=False,
    check=_check_median("median"),
    where=(),
    node="MedianBackward1",
    chooses=True,
)
def median(input: Array, dim: int, keepdim: bool = False):
    """Return the median along `dim` and its index.

    Of two middle elements, the lower one is returned. The median is NaN if any element is NaN.
    """
    return _without_dim(*_middle(input, dim, False), dim, keepdim)


@operator(
    host=HOST,
    remembers=("others",),
    shape=pair_shape,
    opmath=False,
    check=_check_median("nanmedian"),
    where=(),
    node="NanmedianBackward1",
    chooses=True,
)
def nanmedian(input: Array, dim: int, keepdim: bool = False):
    """Return the median of the elements along `dim` that are not NaN, and its index.

    Of two middle elements, the lower one is returned.
    """
    return _without_dim(*_middle(input, dim, True), dim, keepdim)


def _check_mode(call: Call) -> None:
    _errors.arithmetic.check_extreme("mode", call)
    if call.input.numel:
        not_complex("mode_cpu", wide=False)(call)


@operator(
    remembers=("others",),
    shape=pair_shape,
    opmath=False,
    check=_check_mode,
    where=(),
    chooses=True,
    host=HOST,
    refuses_complex="mode",
    out=Into((_errors.dtypes.mode_out, _errors.dtypes.mode_indices_out)),
)
def mode(input: Array, dim: int = -1, keepdim: bool = False):
    """Return the most frequent element along `dim` and the index of its last occurrence.

    Of several equally frequent elements, the smallest is returned.

    >>> torchlike.tensor([2, 1, 2, 3]).mode().values
    tensor(2)
    """
    xp = namespace(input)
    if not input.ndim:
        return input, xp.zeros((), "int64")
    values, places = ordered(input, dim)
    spread = [-1 if d == dim % input.ndim else 1 for d in range(input.ndim)]
    steps = xp.broadcast_to(xp.arange(input.shape[dim]).reshape(spread), input.shape)
    starts_run = (values != xp.roll(values, 1, dim)) | (steps == 0)
    starts = xp.where(starts_run, steps, 0)
    starts = np.maximum.accumulate(starts, dim) if xp is np else lax.cummax(starts, dim % input.ndim)
    last = xp.expand_dims(xp.argmax(steps - starts, axis=dim), dim)
    index = at(places, last, dim)
    return _without_dim(at(input, index, dim), index, dim, keepdim)
