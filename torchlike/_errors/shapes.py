"""PyTorch's error messages about shapes, dims, views and indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike._errors.dtypes import type_text

Ints = tuple[int, ...]


def not_broadcastable(a: int, b: int, dim: int) -> RuntimeError:
    return RuntimeError(
        f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}"
    )


def dim_out_of_range(dim: int, ndim: int) -> IndexError:
    return IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")


def dim_of_scalar(dim: int) -> IndexError:
    return IndexError(f"Dimension specified as {dim} but tensor has no dimensions")


def too_many_dims() -> RuntimeError:
    """Return the error of PyTorch's reductions for more than 64 dims. Here it is raised for every such tensor."""
    return RuntimeError("only tensors with up to 64 dims are supported")


def repeated_dim(dim: int) -> RuntimeError:
    return RuntimeError(f"dim {dim} appears multiple times in the list of dims")


def invalid_shape(shape: tuple[int, ...], count: int) -> RuntimeError:
    return RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")


def expand_rank(tensor: Any, size: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(
        f"expand({type_text(tensor)}{{{list(tensor.shape)}}}, size={list(size)}): the number of sizes "
        f"provided ({len(size)}) must be greater or equal to the number of dimensions in the tensor "
        f"({tensor.ndim})"
    )


def expand_mismatch(n: int, old: int, dim: int, size: tuple[int, ...], shape: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(
        f"The expanded size of the tensor ({n}) must match the existing size ({old}) at non-singleton "
        f"dimension {dim}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}"
    )


def out_resized(shape: Any, wanted: Any) -> str:
    return (
        f"An output with one or more elements was resized since it had shape {list(shape)}, which does not match "
        f"the required output shape {list(wanted)}. This behavior is deprecated, and in a future PyTorch release "
        "outputs will not be resized unless they have zero elements. You can explicitly reuse an out tensor t by "
        "resizing it, inplace, to zero elements with t.resize_(0)."
    )


def in_place_shape(shape: tuple, result: tuple) -> RuntimeError:
    return RuntimeError(f"output with shape {list(shape)} doesn't match the broadcast shape {list(result)}")


def deprecated_transpose() -> str:
    return (
        "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
        "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
        "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
    )


def deprecated_of_scalar(name: str) -> str:
    meaning = (
        "Consider using x.conj()."
        if "H" in name or "adjoint" in name
        else ("This function is the identity in these cases.")
    )
    return f"{name} is deprecated on 0-D tensors. {meaning}"


MESHGRID_INDEXING = "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."


def index_out_of_bounds(index: int, dim: int, size: int) -> IndexError:
    return IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")


def index_along(index: int, dim: int, size: int) -> RuntimeError:
    """Return the error of `gather` and similar operators."""
    return RuntimeError(f"index {index} is out of bounds for dimension {dim} with size {size}")


def index_added(ndim: int) -> Callable[[int, int, int], Exception]:
    """Return a function that makes the error of `index_add` for an index out of range of a tensor with `ndim` dims."""
    return index_along if ndim > 1 else lambda index, dim, size: IndexError("index out of range in self")


def index_copied(index: int, dim: int, size: int) -> IndexError:
    return IndexError(f"index_copy_(): index {index} is out of bounds for dimension {dim} with size {size}")


def index_of_flat(index: int, count: int) -> IndexError:
    return IndexError(f"out of range: tried to access index {index} on a tensor of {count} elements.")


def no_such_row(shape: tuple) -> Callable[[int, int, int], Exception]:
    """Return a function that makes the error of `index_select` for an index out of range of a tensor of this shape."""

    def say(index: int, dim: int, size: int) -> Exception:
        if len(shape) < 2 or (dim == 0 and 0 not in shape):
            return IndexError("index out of range in self")
        if not size:
            return RuntimeError("index_select(): self indexing axis dim should be positive")
        return RuntimeError(f"INDICES element is out of DATA bounds, id={index} axis_dim={size}")

    return say


def no_matrix(name: str, ndim: int) -> RuntimeError:
    return RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is {ndim}D")


def slice_of_scalar() -> IndexError:
    return IndexError("slice() cannot be applied to a 0-dim tensor.")


def index_of_scalar() -> IndexError:
    return IndexError(
        "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
        "to convert a 0-dim tensor to a number"
    )


def too_many_indices(ndim: int, got: int | None = None) -> IndexError:
    return IndexError(f"too many indices for tensor of dimension {ndim}" + ("" if got is None else f" (got {got})"))


def no_deletion() -> TypeError:
    return TypeError("Tensor does not support deleting items")


BYTE_INDEX = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."


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


def no_such_slice(src: tuple[int, ...], shown: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(
        f"expected src to have a size equal to the slice of self. src size = {list(src)}, slice size = {list(shown)}"
    )
