"""PyTorch's error messages about indexing: indices out of range, wrong kinds of indices, assignments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike._errors.arguments import type_name


def index_out_of_range() -> IndexError:
    return IndexError("index out of range in self")


def index_out_of_bounds(index: int, dim: int, size: int) -> IndexError:
    return IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")


def index_along(index: int, dim: int, size: int) -> RuntimeError:
    """Return the error of `gather` and similar operators."""
    return RuntimeError(f"index {index} is out of bounds for dimension {dim} with size {size}")


def index_added(ndim: int) -> Callable[[int, int, int], Exception]:
    """Return a function that makes the error of `index_add` for an index out of range of a tensor with `ndim` dims."""
    return index_along if ndim > 1 else lambda index, dim, size: index_out_of_range()


def index_copied(index: int, dim: int, size: int) -> IndexError:
    return IndexError(f"index_copy_(): index {index} is out of bounds for dimension {dim} with size {size}")


def index_of_flat(index: int, count: int) -> IndexError:
    return IndexError(f"out of range: tried to access index {index} on a tensor of {count} elements.")


def no_such_row(shape: tuple) -> Callable[[int, int, int], Exception]:
    """Return a function that makes the error of `index_select` for an index out of range of a tensor of this shape."""

    def say(index: int, dim: int, size: int) -> Exception:
        if len(shape) < 2 or (dim == 0 and 0 not in shape):
            return index_out_of_range()
        if not size:
            return RuntimeError("index_select(): self indexing axis dim should be positive")
        return RuntimeError(f"INDICES element is out of DATA bounds, id={index} axis_dim={size}")

    return say


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
    return TypeError(f"can't assign a {type_name(value)} to a {tensor.type()}")


LIST_AS_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result"
)


def no_such_slice(src: tuple[int, ...], shown: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(
        f"expected src to have a size equal to the slice of self. src size = {list(src)}, slice size = {list(shown)}"
    )
