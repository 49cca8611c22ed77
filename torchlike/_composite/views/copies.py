"""Copying variants of view functions: `permute_copy` returns the result of `permute` as a copy, and so on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._composite.views import conversions, memory, shape, split
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes import memory_format as mf
from torchlike._ops.schema.out_rules import EXACT
from torchlike._tensor import public_calls
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.out import into
from torchlike._tensor.tensor import Tensor


def _slice(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """Return a view of the indices of a dim from `start` to `end` in steps of `step`.

    Args:
      start, end: the first index, and the index after the last. Negative ones count from the end.
      step: the distance between indices, at least 1.
    """
    if not hasattr(step, "__index__"):
        raise RuntimeError(
            "aten::slice() Expected a value of type 'int' for argument 'step' but instead found type "
            f"'{type(step).__name__}'."
        )
    at = input._nonnegative(dim)
    if not input.ndim:
        raise _errors.indexing.slice_of_scalar()
    return input[(*[slice(None)] * at, slice(start, end, step))]


def _view(input: Tensor, size: Any) -> Tensor:
    """Return a view with another dtype or shape. If strides cannot represent the shape, return a copy."""
    return input.view(size) if isinstance(size, Dtype) else conversions.reshape(input, size)


_VIEWS: dict[str, Callable] = {
    "view": _view,
    "slice": _slice,
    "expand": rows["expand"],
    "alias": rows["view_as_self"],
    "detach": conversions.detach,
    "permute": conversions.permute,
    "as_strided": memory.as_strided,
    "t": shape.t,
    "select": split.select,
    "split": split.by_size,
    "split_with_sizes": split.split_with_sizes,
    "unbind": split.unbind,
    "unfold": rows["unfold"],
    **{
        name: rows[name]
        for name in ("transpose", "squeeze", "unsqueeze", "diagonal", "view_as_real", "view_as_complex")
    },
}


def _copying(name: str, view: Callable) -> Callable:
    def made(*args: Any, **kwargs: Any) -> Any:
        found = view(*args, **kwargs)
        if isinstance(found, tuple):
            return tuple(conversions.clone(x, memory_format=mf.contiguous_format) for x in found)
        return conversions.clone(found, memory_format=mf.contiguous_format)

    called = {"split_with_sizes": "aten::", "unbind": "unbind_copy"}.get(name, f"aten::{name}_copy")
    asked = EXACT._replace(called=called, overloads=name in ("squeeze", "view"))

    def copy(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        return made(*args, **kwargs) if out is None else into(copy.__name__, made, args, kwargs, out, asked)

    public: Any = copy
    public.__name__ = public.__qualname__ = f"{name}_copy"
    public.__doc__ = f"Return the result of `{name}` as a contiguous copy."
    public.__wrapped__ = view
    return public


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return the diagonals of the matrices in the last two dims, as a view.

    Args:
      A: matrices.
      offset: the diagonal: 0 for the main one, positive above it, negative below it.
      dim1, dim2: the dims of the rows and the columns.
    """
    return rows["diagonal"](A, offset, dim1, dim2)


FUNCTIONS = public_calls.functions(*[_copying(name, view) for name, view in _VIEWS.items()])
LINALG = public_calls.functions(diagonal)
