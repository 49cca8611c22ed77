"""PyTorch's error messages about shapes, dims, views and indices."""

from __future__ import annotations

from typing import Any

from torchlike._errors.arguments import wrong_type
from torchlike._errors.dtypes import type_text

Ints = tuple[int, ...]


def not_broadcastable(a: int, b: int, dim: int) -> RuntimeError:
    return RuntimeError(
        f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}"
    )


def dim_out_of_range(dim: int, ndim: int) -> IndexError:
    return IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")


def checked_dim(function: str, dim: Any, ndim: int) -> int:
    """Return the dim of a method's argument as a number from 0. Raise PyTorch's error if it is not a dim."""
    if dim.__class__ is not int and (isinstance(dim, bool | float) or not hasattr(dim, "__index__")):
        raise wrong_type(function, "dim", 1, "int", dim, counts_self=False)
    if not ndim:
        raise dim_of_scalar(dim)
    if not -ndim <= dim < ndim:
        raise dim_out_of_range(dim, ndim)
    return dim % ndim


def dim_of_scalar(dim: int) -> IndexError:
    return IndexError(f"Dimension specified as {dim} but tensor has no dimensions")


def too_many_dims() -> RuntimeError:
    """Return the error of PyTorch's reductions for more than 64 dims. torchlike raises it for every such tensor."""
    return RuntimeError("only tensors with up to 64 dims are supported")


def repeated_dim(dim: int) -> RuntimeError:
    return RuntimeError(f"dim {dim} appears multiple times in the list of dims")


def invalid_shape(shape: tuple[int, ...], count: int) -> RuntimeError:
    return RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")


def expand_rank(tensor: Any, size: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(
        f"expand({type_text(tensor)}{{{list(tensor.shape)}}}, size={list(size)}): the number of sizes "
        f"provided ({len(size)}) must be greater or equal to the number of dimensions in the tensor ({tensor.ndim})"
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


def no_matrix(name: str, ndim: int) -> RuntimeError:
    return RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is {ndim}D")


DEPRECATED_SCATTER_REDUCE = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
    "release. Use torch.scatter_reduce instead for more reduction options."
)
