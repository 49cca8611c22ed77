"""PyTorch's error sentences about making, shaping and indexing tensors: a function returns the exception to raise."""

from __future__ import annotations

from typing import Any

from torchlike._errors import c_name

Ints = tuple[int, ...]


class OutOfMemoryError(RuntimeError):
    """An accelerator has not enough memory left."""


# -- making tensors ----------------------------------------------------------------------------------------------------


def unsupported_array(dtype: Any) -> TypeError:
    return TypeError(f"can't convert np.ndarray of type numpy.{dtype.type.__name__}. The only supported types are: "
                     "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
                     "uint16, uint8, and bool.")  # fmt: skip


def negative_strides() -> ValueError:
    return ValueError("At least one stride in the given numpy array is negative, and tensors with negative strides are "
                      "not currently supported. (You can probably work around this by making a copy of your array  "
                      "with array.copy().) ")  # fmt: skip


def overflow(dtype_name: str) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {dtype_name} without overflow")


def fixed_width_name(dtype: Any) -> str:
    """The C name with the width in it, such as `uint8_t`, as some errors print it."""
    return f"{dtype.name}_t" if dtype.category == 1 else c_name(dtype)


def negative_dim(n: int, shape: Ints) -> RuntimeError:
    return RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}")


def not_a_size(function: str, got: Any, argument: str = "size", position: int = 1) -> TypeError:
    return TypeError(f"{function}(): argument '{argument}' (position {position}) must be tuple of ints, not "
                     f"{type(got).__name__}")  # fmt: skip


def size_item(function: str, got: Any, place: int, argument: str = "size") -> TypeError:
    return TypeError(f"{function}(): argument '{argument}' failed to unpack the object at pos {place} with error \""
                     f"type must be tuple of ints,but got {type(got).__name__}\"")  # fmt: skip


def missing(function: str, *names: str) -> TypeError:
    return TypeError(f"{function}() missing {len(names)} required positional arguments: "
                     + ", ".join(f'"{n}"' for n in names))  # fmt: skip


def no_such_keyword(function: str, name: str) -> TypeError:
    return TypeError(f"{function}() got an unexpected keyword argument '{name}'")


def wrong_kind(function: str, argument: str, position: int, wanted: str, got: Any) -> TypeError:
    return TypeError(f"{function}(): argument '{argument}' (position {position}) must be {wanted}, not "
                     f"{type(got).__name__}")  # fmt: skip


def invalid_combination(function: str, args: tuple, kwargs: dict) -> TypeError:
    """The first line of PyTorch's error for a call that fits no overload."""
    given = [kind_of(a) for a in args] + [f"{name}={kind_of(a)}" for name, a in kwargs.items()]
    text = ", ".join(given) + (", " if kwargs and len(given) == 1 else "")
    return TypeError(f"{function}() received an invalid combination of arguments - got ({text}), but expected one of:")


def kind_of(a: Any) -> str:
    """How PyTorch names an argument's type in its errors."""
    if isinstance(a, list | tuple) and type(a) in (list, tuple):
        inner = ", ".join(kind_of(x) for x in a)
        opening, closing = "()" if isinstance(a, tuple) else "[]"
        return f"{type(a).__name__} of {opening}{inner}{',' if type(a) is tuple and len(a) == 1 else ''}{closing}"
    return type(a).__name__


def no_pinned_memory() -> RuntimeError:
    return RuntimeError("pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is "
                        "available on this system.")  # fmt: skip


def no_accelerator() -> RuntimeError:
    return RuntimeError("Cannot access accelerator device when none is available.")


def copy_construct(call: str) -> str:
    return ("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            f"sourceTensor.detach().clone().requires_grad_(True), rather than {call}(sourceTensor).")  # fmt: skip


def unsupported_range(start: Any, end: Any) -> RuntimeError:
    return RuntimeError(f"unsupported range: {start:g} -> {end:g}")


DEPRECATED_RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)


# -- shapes ------------------------------------------------------------------------------------------------------------


def invalid_dim_of_shape(n: int, at: int, shape: Ints) -> RuntimeError:
    return RuntimeError(f"invalid shape dimension {n} at index {at} of shape {list(shape)}")


def beyond_storage(size: Ints, stride: Ints, offset: int, itemsize: int, need: int, have: int) -> RuntimeError:
    return RuntimeError(
        f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
        f"{itemsize} requiring a storage size of {need} are out of bounds for storage of size {have}"
    )


def repeats_length(repeats: int, size: int) -> RuntimeError:
    return RuntimeError("repeats must have the same size as input along dim, but got repeats.size(0) = "
                        f"{repeats} and input.size(0) = {size}")  # fmt: skip


def deprecated_transpose() -> str:
    return ("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
            "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.")  # fmt: skip


MESHGRID_INDEXING = "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."


# -- indexing ----------------------------------------------------------------------------------------------------------


def index_out_of_bounds(index: int, dim: int, size: int) -> IndexError:
    return IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")


def too_many_indices(ndim: int) -> IndexError:
    if not ndim:
        return IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
                          "to convert a 0-dim tensor to a number")  # fmt: skip
    return IndexError(f"too many indices for tensor of dimension {ndim}")


def mask_shape(mask: Ints, at: int, shape: Ints, dim: int) -> IndexError:
    return IndexError(f"The shape of the mask {list(mask)} at index {at} does not match the shape of the indexed "
                      f"tensor {list(shape)} at index {dim}")  # fmt: skip


def cannot_assign(value: Any, tensor: Any) -> TypeError:
    kind = type(value)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return TypeError(f"can't assign a {name} to a {tensor.type()}")


LIST_AS_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result"
)

DEPRECATED_SCATTER_REDUCE = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
    "release. Use torch.scatter_reduce instead for more reduction options."
)


# -- old tensor types --------------------------------------------------------------------------------------------------

DEFAULT_TENSOR_TYPE = (
    "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
    "torch.set_default_device() as alternatives."
)


def other_options(wanted: Any, got: Any) -> str:
    rest = ("device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
            "memory_format=(nullopt))")  # fmt: skip
    return f"expected TensorOptions(dtype={c_name(wanted)}, {rest} (got TensorOptions(dtype={c_name(got)}, {rest})"
