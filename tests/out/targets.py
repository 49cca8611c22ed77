"""Tensors given as `out=`: every dtype, other shapes, views, and targets that PyTorch refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

DTYPES = ("uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "bool")
FILL = 7  # the initial value of all elements


class Target(NamedTuple):
    """The value passed as `out=`, and the memory that contains it."""

    out: Any
    memory: tuple[Any, ...]


class Kind(NamedTuple):
    """A kind of target. `fits` returns whether the kind exists for a result, and `make` creates it in a library."""

    name: str
    fits: Callable[[torch.Tensor], bool]
    make: Callable[[Any, torch.Tensor], Target]


def _filled(library: Any, shape: tuple[int, ...], like: torch.Tensor, dtype: str = "") -> Any:
    made = getattr(library, dtype or str(like.dtype).removeprefix("torch."))
    if library is not torch:
        return library.full(shape, FILL, dtype=made)
    # Some of PyTorch's kernels write past the end of a target whose elements are smaller than expected.
    return torch.full((like.numel() * 32 + 256,), FILL, dtype=made).resize_(shape)


def _whole(shape: Callable[[torch.Tensor], tuple[int, ...]], dtype: str = "") -> Callable:
    def make(library: Any, result: torch.Tensor) -> Target:
        out = _filled(library, shape(result), result, dtype)
        return Target(out, (out,))

    return make


def _view(shape: Callable[[torch.Tensor], tuple[int, ...]], see: Callable[[Any, torch.Tensor], Any]) -> Callable:
    def make(library: Any, result: torch.Tensor) -> Target:
        memory = _filled(library, shape(result), result)
        return Target(see(memory, result), (memory,))

    return make


def _requiring_grad(library: Any, result: torch.Tensor) -> Target:
    out = _filled(library, tuple(result.shape), result).requires_grad_()
    return Target(out, (out,))


def _in_a_list(library: Any, result: torch.Tensor) -> Target:
    out = _filled(library, tuple(result.shape), result)
    return Target([out], (out,))


_same = lambda r: tuple(r.shape)
_any = lambda r: True
_several = lambda r: r.numel() > 1

KINDS = (
    *[Kind(dtype, _any, _whole(_same, dtype)) for dtype in DTYPES],
    Kind("empty", _any, _whole(lambda r: (0,))),
    Kind("larger", _any, _whole(lambda r: (*r.shape, 2))),
    Kind("flat", lambda r: r.ndim > 1, _whole(lambda r: (r.numel(),))),
    Kind("every other", _any, _view(lambda r: (*r.shape, 2), lambda m, r: m[..., 0])),
    Kind(
        "transposed",
        lambda r: r.ndim > 1,
        _view(lambda r: tuple(r.shape)[::-1], lambda m, r: m.permute(*range(r.ndim)[::-1])),
    ),
    Kind("middle", _any, _view(lambda r: (r.numel() + 4,), lambda m, r: m[2:-2].view(tuple(r.shape)))),
    Kind("middle, larger", _any, _view(lambda r: (r.numel() + 5,), lambda m, r: m[2:-2])),
    Kind("expanded", _several, _view(lambda r: (1,) * r.ndim, lambda m, r: m.expand(*r.shape))),
    Kind("requires grad", lambda r: r.is_floating_point(), _requiring_grad),
    Kind("a list", _any, _in_a_list),
    Kind("a text", _any, lambda library, result: Target("out", ())),
)


def of_several(kind: Kind, place: int) -> Callable[[Any, list[torch.Tensor]], Target]:
    """Return a function that makes targets for several results.

    The target at index `place` is of the given kind. The others are new tensors.
    """

    def make(library: Any, results: list[torch.Tensor]) -> Target:
        made = [kind.make(library, r) if i == place else _whole(_same)(library, r) for i, r in enumerate(results)]
        return Target(tuple(t.out for t in made), tuple(m for t in made for m in t.memory))

    return make
