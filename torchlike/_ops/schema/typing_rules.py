"""Typing rules: the dtype, shape and strides of an operator's results, by operator family.

A rule maps a `Call` to a `Typed`. It runs once for each new signature and raises PyTorch's errors with PyTorch's
messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes import memory_format as mf
from torchlike._dtypes import modes
from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.strides import contiguous_strides, normal, pointwise_strides
from torchlike._engine import Aval, aval


@dataclass(slots=True)
class Call:
    """The arguments of one operator call, abstracted for its typing rule.

    Tensors appear as avals, runtime numbers as types and static arguments as values.
    """

    op: Any
    arguments: dict[str, Any]  # name -> Aval, list[Aval], number type, or static value
    arrays: list[Aval]
    strides: list[tuple[int, ...] | None]
    numbers: list[type]  # the types of the Python numbers included in promotion
    promoted: list[Aval]  # the arrays included in promotion

    def __getattr__(self, name: str) -> Any:
        try:
            return self.arguments[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def device(self) -> Device:
        return self.arrays[0].device


@dataclass(slots=True)
class Typed:
    """The result of a typing rule."""

    outputs: list[Aval]
    compute: Dtype | None  # the dtype to which promoted inputs are cast; None: no cast
    strides: list[tuple[int, ...] | None]
    result: Dtype | None = None
    opmath: bool = True  # False: this call does not widen half precision, even if the operator's schema does


# -- dtypes ------------------------------------------------------------------------------------------------------------


def result_type(arrays: list[Aval], numbers: list[type]) -> Dtype:
    """Return the dtype that PyTorch's type promotion gives.

    Tensors with dims take precedence over 0-d tensors, and these over Python numbers, unless the lower-ranked operand
    has a higher category.
    """
    dims = zero = number = None
    for a in arrays:
        dtype = a.dtype
        if a.ndim:
            dims = dtype if dims is None or dims is dtype else _dtypes.promote_types(dims, dtype)
        else:
            zero = dtype if zero is None or zero is dtype else _dtypes.promote_types(zero, dtype)
    for kind in numbers:
        d = modes.scalar_dtype(kind)
        number = d if number is None else _dtypes.promote_types(number, d)
    return _combine(_combine(dims, zero), number)


def _combine(higher: Dtype | None, lower: Dtype | None) -> Any:
    if higher is None or lower is None:
        return higher or lower
    if higher.is_complex:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if lower.category > _dtypes.INTEGER:
        return lower
    return _dtypes.promote_types(higher, lower) if higher is _dtypes.bool_ else higher


Promotion = tuple[Dtype, Dtype]  # (compute, result)


def common(dtype: Dtype) -> Promotion:
    """Return the common dtype for both the computation and the result."""
    return dtype, dtype


def to_float(dtype: Dtype) -> Promotion:
    """Return the common dtype, or the default floating-point dtype for integers and bools.

    The computation and the result have the same dtype.
    """
    d = dtype if dtype.category >= _dtypes.FLOATING else modes.default_dtype
    return d, d


def to_bool(dtype: Dtype) -> Promotion:
    """Return the common dtype for the computation and bool for the result."""
    return dtype, _dtypes.bool_


def to_int64(dtype: Dtype) -> Promotion:
    """Return the common dtype for the computation and int64 for the result."""
    return dtype, _dtypes.int64


def through_integers(dtype: Dtype) -> Promotion:
    """Return the common dtype for the computation, where integers wrap around, and a floating dtype for the result."""
    return dtype, to_float(dtype)[1]


def sum_like(dtype: Dtype) -> Promotion:
    """Return the common dtype, or int64 for integers and bools.

    The computation and the result have the same dtype.
    """
    d = dtype if dtype.category >= _dtypes.FLOATING else _dtypes.int64
    return d, d


def to_real(dtype: Dtype) -> Promotion:
    """Return the common dtype for the computation and its real counterpart for the result."""
    return dtype, dtype.to_real()


def check_devices(call: Call) -> None:
    """Raise PyTorch's error if the arrays are on different devices."""
    first = call.arrays[0].device
    for a in call.arrays[1:]:
        if a.device is not first:
            raise _errors.making.different_devices(first, a.device)


def check_float8(call: Call) -> None:
    """Raise PyTorch's error if the call computes in an 8-bit floating-point dtype that the operator lacks."""
    if not any([a.dtype in _FLOAT8 for a in call.arrays]) or call.arguments.get("dtype") not in _NARROW_OR_NONE:
        return
    promotes = getattr(call.op.typing, "keywords", {}).get("promote") is not None
    found = [result_type(call.promoted, call.numbers)] if promotes else [a.dtype for a in call.arrays]
    for dtype in found:
        if dtype in _dtypes.FLOAT8 and dtype not in call.op.dtypes.float8:
            raise _errors.dtypes.not_implemented(call.op.dtypes.loop, dtype)


_FLOAT8 = frozenset(_dtypes.FLOAT8)
_NARROW_OR_NONE = (None, *_dtypes.FLOAT8)


# -- families ----------------------------------------------------------------------------------------------------------


def pointwise(call: Call, promote: Callable[[Dtype], Promotion]) -> Typed:
    """Type an element-wise operator: broadcast the shapes and promote the dtypes."""
    compute, result = promote(result_type(call.promoted, call.numbers))
    shape = broadcast([a.shape for a in call.arrays])
    strides = None
    if 0 in shape or any(s is not None for s in call.strides):
        operands = [(tuple(a.shape), s or contiguous_strides(a.shape)) for a, s in zip(call.arrays, call.strides)]
        if call.numbers and (numbers_are_tensors(call.op) or getattr(call.op.gradient.node, "wraps", False)):
            operands.append(((), ()))
        strides = pointwise_strides(tuple(shape), operands)
    return Typed([aval(shape, result, call.device)], compute, [strides], result)


def numbers_are_tensors(op: Any) -> bool:
    """Return whether PyTorch converts number operands of this operator to 0-d tensors.

    PyTorch does so unless the operator has an overload for numbers. The schema of an operator with such an overload has
    a function as `node`, without the attribute `numbers_are_tensors`.
    """
    return op.family == "pointwise" and (
        op.gradient.node.__class__ is str or hasattr(op.gradient.node, "numbers_are_tensors")
    )


def broadcast(shapes: list) -> tuple[int, ...]:
    """Return the broadcast shape, or raise PyTorch's error about the mismatched dim."""
    out = shapes[0]
    for shape in shapes[1:]:
        if shape == out:
            continue
        a, b = tuple(out), tuple(shape)
        n = max(len(a), len(b))
        a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
        for dim in range(n - 1, -1, -1):
            if a[dim] != b[dim] and a[dim] != 1 and b[dim] != 1:
                raise _errors.shapes.not_broadcastable(a[dim], b[dim], dim)
        out = tuple(y if x == 1 else x for x, y in zip(a, b))
    return tuple(out)


def reduction(call: Call, promote: Callable[[Dtype], Promotion], of_requested: Callable | None = None) -> Typed:
    """Type a reduction. `of_requested` maps an explicit `dtype=` to the dtypes of the computation and the result."""
    requested = call.arguments.get("dtype")
    source = call.arrays[0]
    of_requested = of_requested or (lambda dtype: (dtype, dtype))
    compute, result = of_requested(requested) if requested is not None else promote(source.dtype)
    shape = reduced_shape(source.shape, call.arguments.get("dim"), call.arguments.get("keepdim", False))
    shapes = call.op.shape(call) if call.op.shape else [shape]
    return Typed([aval(s, result, call.device) for s in shapes], compute, [None] * len(shapes), result)


def reduced_shape(shape: tuple[int, ...], dim: int | tuple[int, ...] | None, keepdim: bool) -> tuple[int, ...]:
    """Return the shape after reducing `dim`. None and an empty tuple mean all dims."""
    dims = reduced_dims(len(shape), dim)
    if keepdim:
        return tuple(1 if d in dims else n for d, n in enumerate(shape))
    return tuple(n for d, n in enumerate(shape) if d not in dims)


def reduced_dims(ndim: int, dim: int | tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the dims to reduce as non-negative ints.

    Raise PyTorch's error if a dim is out of range or occurs twice.
    """
    if dim is None or dim == ():
        return tuple(range(ndim))
    dims = [wrap_dim(d, ndim) for d in (dim if isinstance(dim, tuple | list) else (dim,))]
    for d in dims:
        if dims.count(d) > 1:
            raise _errors.shapes.repeated_dim(d)
    return tuple(dims) if ndim else ()


def wrap_dim(dim: int, ndim: int) -> int:
    """Return `dim` as a non-negative index. 0-d tensors accept 0 and -1."""
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise _errors.shapes.dim_out_of_range(dim, n)
    return dim % n


def view(call: Call) -> Typed:
    """Type a view by the geometry function of its operator."""
    source = call.arrays[0]
    strides = call.strides[0] or contiguous_strides(source.shape)
    statics = {k: v for k, v in call.arguments.items() if k != call.op.names[0]}
    shape, new_strides = call.op.view.geometry(tuple(source.shape), tuple(strides), **statics)
    dtype = call.op.view.result(call) if call.op.view.result else None
    return Typed([source.like(shape, dtype)], None, [normal(shape, new_strides)])


def general(call: Call, promote: Callable[[Dtype], Promotion] | None) -> Typed:
    """Type any other operator by its `shape` function. Without one, return no outputs."""
    compute = result = None
    if promote is not None:
        compute, result = promote(result_type(call.promoted, call.numbers))
    if call.op.shape is None:
        return Typed([], compute, [], result)  # the plan determines the outputs by tracing the kernel
    outputs = []
    for item in call.op.shape(call):
        shape, dtype = item if len(item) == 2 and isinstance(item[1], Dtype) else (item, result)
        outputs.append(aval(tuple(shape), dtype or call.arrays[0].dtype, call.device))
    return Typed(outputs, compute, [_format(call, tuple(a.shape)) for a in outputs], result)


def _format(call: Call, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the strides of a result, by `ExecutionRules.formats`. None is row-major."""
    if not any([strides is not None for strides in call.strides]):
        return None
    chosen = call.op.execution.formats
    if chosen == "order":
        first = call.strides[0]
        return None if first is None or len(first) != len(shape) else pointwise_strides(shape, [(shape, first)])
    if not isinstance(chosen, slice):
        chosen = slice(chosen if isinstance(chosen, int) else chosen(call))
    for a, strides in [*zip(call.arrays, call.strides)][chosen]:
        if strides is not None and len(a.shape) == len(shape):
            wanted = mf.spoken_of(tuple(a.shape), strides)
            if wanted is not mf.contiguous_format:
                return normal(shape, mf.strides_for(shape, wanted))
    return None
