"""Padding of the last dims with a constant or with elements of the tensor."""

from __future__ import annotations

import numpy as np
from jax import lax

from torchlike import _dtypes, _errors
from torchlike._dtypes import FLOAT8_SIGNED
from torchlike._ops.schema.autocast_policies import Casts
from torchlike._ops.schema.declare import Array, Scalar, namespace, operator
from torchlike._ops.schema.typing_rules import Call

Ints = tuple[int, ...]


def pairs(pad: Ints, ndim: int) -> list[tuple[int, int]]:
    """Return (before, after) for each dim; `pad` lists the last dim first."""
    ends = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    return [(0, 0)] * (ndim - len(ends)) + ends[::-1]


def _shape(call: Call) -> list:
    return [tuple(n + a + b for n, (a, b) in zip(call.input.shape, pairs(call.pad, call.input.ndim)))]


def cut(x, ends: list[tuple[int, int]]):
    """Crop `x` by the negative padding; return it and the remaining, non-negative padding."""
    slices = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(x.shape, ends))
    return x[slices], [(max(a, 0), max(b, 0)) for a, b in ends]


def _check_constant(call: Call) -> None:
    _errors.images.check_constant_pad(call.input, call.pad)


@operator(
    where=(),
    shape=_shape,
    check=_check_constant,
    saves=(),
    out=False,
    opmath=False,
    formats=1,
    name="_constant_pad",
    node="ConstantPadNdBackward0",
    float8=FLOAT8_SIGNED,
)
def _constant_pad(input: Array, pad: tuple, value: Scalar = 0):
    """Pad the last dims with a constant; negative padding crops.

    `pad` lists (before, after) of the last dim, then of the dim before it, and so on.
    """
    xp = namespace(input)
    if xp is not np:
        fill = xp.asarray(value).astype(input.dtype)
        return lax.pad(input, fill, [(before, after, 0) for before, after in pairs(pad, input.ndim)])
    x, ends = cut(input, pairs(pad, input.ndim))
    fill = value.astype(x.dtype) if hasattr(value, "astype") else value
    if not any(map(any, ends)):
        return x
    padded = np.full([n + a + b for n, (a, b) in zip(x.shape, ends)], fill, x.dtype)  # `np.pad` takes far longer
    padded[tuple([slice(a, a + n) for n, (a, _) in zip(x.shape, ends)])] = x
    return padded


def _check_mirror(call: Call) -> None:
    _errors.images.check_mirror_pad(call.input, call.pad, call.mode)


_NODES = {
    "reflect": "ReflectionPad{}DBackward0",
    "replicate": "ReplicationPad{}DBackward0",
    "circular": "torch::autograd::CopySlices",
}
_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def _node(call: Call) -> str:
    return _NODES[call.mode].format(len(call.pad) // 2)


def _padded_in(fast: _dtypes.dtype, dtypes: list, args: tuple) -> _dtypes.dtype | None:
    """Return the autocast dtype of the PyTorch operator that implements this mode and number of dims, or None."""
    _, pad, mode = args
    return _dtypes.float32 if mode == "replicate" or (mode == "reflect" and len(pad) < 6) else None


@operator(
    autocast=Casts(_padded_in),
    where=(),
    shape=_shape,
    check=_check_mirror,
    saves=(),
    out=False,
    opmath=False,
    name="_mirror_pad",
    node=_node,
    vanishing=lambda plan: () if plan.static("mode") == "circular" else ("input",),
    formats=lambda call: int(call.mode != "circular"),
)
def _mirror_pad(input: Array, pad: tuple, mode: str):
    """Pad the last dims with elements of the tensor; negative padding crops.

    `mode` is "reflect", "replicate" or "circular". `pad` lists (before, after) of the last dim, then of the dim before
    it, and so on.
    """
    x, ends = cut(input, pairs(pad, input.ndim))
    if 0 in x.shape and input.size and mode == "replicate":
        return _clipped(input, pairs(pad, input.ndim))
    if min(pad) < 0 and mode == "reflect":
        return _reflected(input, pairs(pad, input.ndim))
    return namespace(input).pad(x, ends, mode=_MODES[mode])


def _reflected(x, ends: list[tuple[int, int]]):
    """Pad `x` by reflection.

    The reflected elements may include those that negative padding crops on the other side.
    """
    for axis, (before, after) in enumerate(ends):
        n = x.shape[axis]
        place = np.abs(np.arange(-before, n + after))
        x = namespace(x).take(x, np.where(place < n, place, 2 * (n - 1) - place), axis=axis)
    return x


def _clipped(x, ends: list[tuple[int, int]]):
    """Pad `x` with its outermost elements, even if negative padding crops them."""
    for axis, (before, after) in enumerate(ends):
        n = x.shape[axis]
        x = namespace(x).take(x, np.clip(np.arange(n + before + after) - before, 0, n - 1), axis=axis)
    return x
