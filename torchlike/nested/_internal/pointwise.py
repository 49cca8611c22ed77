"""Element-wise functions: of nested tensors with the same structure, numbers, and tensors that broadcast to one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import Tensor
from torchlike._internal import REGISTRY, name_of, plainly, with_overload
from torchlike.nested._internal import structure as st
from torchlike.nested._internal.dispatch import in_place, is_nested, on_rows, refused, rule
from torchlike.nested._internal.nested_tensor import NestedTensor, plain, rows_of_padded

# Element-wise functions that are composed of others.
_COMPOSED = [
    "relu6",
    "elu",
    "celu",
    "selu",
    "leaky_relu",
    "hardtanh",
    "threshold",
    "hardswish",
    "hardsigmoid",
    "masked_fill",
    "rsub",
    "rpow",
    "rtruediv",
    "rdiv",
    "rfloordiv",
    "rmod",
    "positive",
    "sigmoid",
    "tanh",
    "dropout",
    "alpha_dropout",
    "nan_to_num",
    "clamp",
    "round",
]
_CONVERSIONS = [
    "to",
    "type",
    "type_as",
    "double",
    "float",
    "half",
    "bfloat16",
    "int",
    "long",
    "short",
    "char",
    "byte",
    "bool",
    "cdouble",
    "cfloat",
    "cpu",
    "cuda",
    "pin_memory",
]
# Functions about the object or its memory.
_ABOUT = [
    "retain_grad",
    "is_pinned",
    "share_memory_",
    "is_shared",
    "untyped_storage",
    "storage_offset",
    "data_ptr",
    "element_size",
    "get_device",
    "is_floating_point",
    "is_complex",
    "is_signed",
    "is_inference",
    "is_conj",
    "is_neg",
    "detach_",
    "dim_order",
    "result_type",
]
_LIKE = ["zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like"]
POINTWISE = {name for name, op in REGISTRY.items() if op.family == "pointwise"} | {*_COMPOSED}


@rule(*POINTWISE)
def pointwise(func: Callable, *args: Any, **kwargs: Any) -> NestedTensor:
    """Call the function on the rows of all nested operands."""
    like = _first(args, kwargs)
    prepared, named = _prepared(func, like, args, kwargs)
    found = func(*prepared, **named)
    plain_like = prepared[0] if prepared else None
    return like if found is plain_like else NestedTensor(found, like._structure)


@in_place(*POINTWISE, "fill", "zero")
def write(func: Callable, *args: Any, **kwargs: Any) -> NestedTensor:
    """Write the result of an element-wise function to the rows of the first operand."""
    like = args[0]
    if not is_nested(like):
        raise refused(name_of(func)[0] + "_")
    prepared, named = _prepared(func, like, args[1:], kwargs)
    on_rows(func, (like, *prepared), named)
    return like


@in_place("copy")
def copy(func: Callable, into: Any, source: Any, non_blocking: bool = False) -> NestedTensor:
    """Copy the rows of a nested tensor with equal numbers of rows."""
    if not is_nested(source):
        raise ValueError("copy_(): expected src to be a jagged layout NestedTensor")
    if not st.alike(into._structure, source._structure):
        raise RuntimeError(
            f"copy_(): expected compatible input and src shapes, but got: {into.shape} and {source.shape}"
        )
    on_rows(func, (into, plain(source)), {})
    return into


@rule(*_CONVERSIONS)
def convert(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """Convert the rows to another dtype or device. Without a change, the result is the tensor itself."""
    if not is_nested(input):  # of `type_as`
        return func(input, *[plain(x) if is_nested(x) else x for x in args], **kwargs)
    rows = plain(input)
    found = func(rows, *[plain(x) if is_nested(x) else x for x in args], **kwargs)
    if found is rows or not isinstance(found, Tensor):
        return input if found is rows else found
    structure = input._structure
    if found.device != rows.device:
        lengths = None if structure.lengths is None else structure.lengths.to(found.device)
        structure = st.Structure(structure.offsets.to(found.device), lengths, structure.dim, structure.known)
    return NestedTensor(found, structure)


@rule("new_empty", "new_zeros", "new_ones", "new_full", "new_tensor")
def new(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Make a tensor without dims, of the dtype and device of the nested tensor."""
    if func.__name__ != "new_tensor" and (args or (kwargs.get("size"),))[0] != ():
        raise RuntimeError("new_empty() not supported for NJT with shape != ()")
    return func(plain(input), *args, **kwargs)


@rule(*_LIKE)
def like(func: Callable, input: Any, *args: Any, layout: Any = None, **kwargs: Any) -> NestedTensor:
    """Make a nested tensor with the same structure."""
    made = func(plain(input).detach(), *args, **kwargs | {"requires_grad": False})
    found = NestedTensor(made, input._structure)
    return found.requires_grad_() if kwargs.get("requires_grad") else found


def _first(args: tuple, kwargs: dict) -> NestedTensor:
    return next(x for x in (*args, *kwargs.values()) if is_nested(x))


def _prepared(func: Callable, like: NestedTensor, args: tuple, kwargs: dict) -> tuple[list, dict]:
    comes_first = not args or args[0] is like or not isinstance(args[0], Tensor)
    prepare = lambda x: _operand(func, like, x, comes_first) if isinstance(x, Tensor) else x
    return [prepare(x) for x in args], {name: prepare(x) for name, x in kwargs.items()}


def _operand(func: Callable, like: NestedTensor, x: Tensor, comes_first: bool) -> Tensor:
    """Return an operand in the form of the rows of `like`."""
    if is_nested(x):
        if not st.same(like._structure, x._structure):
            raise _mismatch(func, like._size, x._size)
        return plain(x)
    if x.ndim > like.ndim:
        raise NotImplementedError("NYI: broadcasting NT with T with larger dim")
    dim, count = like._structure.dim, like._structure.count
    shape = (*[1] * (like.ndim - x.ndim), *x.shape)
    if shape[0] == shape[dim] == 1:
        return x.reshape(shape[1:]) if x.ndim == like.ndim else x
    if shape[0] != count or x.ndim < like.ndim:
        raise _mismatch(func, *((like.shape, x.shape) if comes_first else (x.shape, like.shape)))
    if like._structure.lengths is not None:
        raise refused(name_of(func)[0])
    return rows_of_padded(x.expand(*x.shape[:dim], like._structure.longest(), *x.shape[dim + 1 :]), like)


def _mismatch(func: Callable, a: Any, b: Any) -> RuntimeError:
    name = with_overload(*name_of(func))
    return RuntimeError(f"cannot call binary pointwise function {name} with inputs of shapes {a} and {b}")


@rule(*_ABOUT)
def about(func: Callable, input: Any, *args: Any, **kwargs: Any) -> Any:
    """Call the function on the rows. It returns no new tensor."""
    if not is_nested(input):  # of `result_type`
        return func(input, *[plain(x) if is_nested(x) else x for x in args], **kwargs)
    found = plainly(func, (input, *args), kwargs, [input, *filter(is_nested, args)])
    return input if found is input else found
