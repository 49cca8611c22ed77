"""Windows, grids, diagonals, and distances between vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchlike.onnx._calls import INT64, Call, Unsupported, dims, translates
from torchlike.onnx._translate.layers import each, with_batch


@translates("_grid_sample")
def _grid_sample(c: Call) -> Any:
    mode = c["mode"]
    if c.b.opset >= 20:
        mode = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    elif len(dims(c["input"])) != 4:
        raise Unsupported("an input of five dims needs opset version 20")
    options = {"mode": mode, "padding_mode": c["padding_mode"], "align_corners": int(c["align_corners"])}
    return c.op("GridSample", c.value("input"), c.value("grid"), **options)


@translates("_affine_grid")
def _affine_grid(c: Call) -> Any:
    if c.b.opset < 20:
        raise Unsupported("it needs opset version 20")
    return c.op("AffineGrid", c.value("theta"), c.b.sizes(c["size"]), align_corners=int(c["align_corners"]))


@translates("_fold")
def _fold(c: Call) -> Any:
    size, kernel, dilation, pads, strides = (
        each(c[name], 2) for name in ("output_size", "kernel_size", "dilation", "padding", "stride")
    )
    options: dict[str, Any] = {"dilations": dilation, "pads": pads * 2, "strides": strides}
    columns = lambda x: c.op("Col2Im", x, c.b.ints(size), c.b.ints(kernel), **options)
    return with_batch(c, 1, columns)


@translates("_unfold_windows")
def _unfold_windows(c: Call) -> Any:
    """Gather the elements of all windows from the flattened picture."""
    kernel, dilation, pads, strides = (each(c[name], 2) for name in ("kernel_size", "dilation", "padding", "stride"))
    x, sizes = c.value("input"), dims(c["input"])
    channels, height, width = sizes[-3:]
    if not all(isinstance(n, int) for n in (channels, height, width)):
        raise Unsupported("the sizes of its pictures vary")
    lead = len(sizes) - 2
    widths = c.b.ints([0] * lead + pads + [0] * lead + pads)
    x = c.op("Pad", x, widths, c.scalar(0)) if any(pads) else x
    tall, wide = height + 2 * pads[0], width + 2 * pads[1]
    rows, columns = (
        np.arange(k)[:, None] * d + np.arange((n - d * (k - 1) - 1) // s + 1)[None] * s
        for n, k, d, s in zip((tall, wide), kernel, dilation, strides)
    )
    places = rows[:, None, :, None] * wide + columns[None, :, None, :]  # (k, k, blocks, blocks)
    before = [-1] if len(sizes) == 4 else []
    flat = c.op("Reshape", x, c.b.ints([*before, channels, tall * wide]))
    made = c.op("Gather", flat, c.b.array(places.reshape(-1)), axis=-1)
    return c.op("Reshape", made, c.b.ints([*before, channels * math.prod(kernel), rows.shape[1] * columns.shape[1]]))


@translates("unfold")
def _unfold(c: Call) -> Any:
    count = len(dims(c["input"]))
    axis, length = c["dimension"] % count, dims(c["input"])[c["dimension"]]
    if not isinstance(length, int):
        raise Unsupported("the size of the dim varies")
    starts = np.arange(0, length - c["size"] + 1, c["step"])
    made = c.op("Gather", c.value("input"), c.b.array(starts[:, None] + np.arange(c["size"])), axis=axis)
    order = [d for d in range(count + 1) if d != axis + 1]
    return c.op("Transpose", made, perm=[*order, axis + 1])


@translates("diagonal")
def _diagonal(c: Call) -> Any:
    x, sizes = c.value("input"), dims(c["input"])
    first, second = c["dim1"] % len(sizes), c["dim2"] % len(sizes)
    rows, columns, offset = sizes[first], sizes[second], c["offset"]
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise Unsupported("the sizes of the matrices vary")
    rest = [d for d in range(len(sizes)) if d not in (first, second)]
    places = np.arange(max(0, min(rows + min(offset, 0), columns - max(offset, 0))))
    flat = (places + max(-offset, 0)) * columns + places + max(offset, 0)
    moved = c.op("Transpose", x, perm=[*rest, first, second])
    shape = c.b.sizes([*(sizes[d] for d in rest), rows * columns])
    return c.op("Gather", c.op("Reshape", moved, shape), c.b.array(flat), axis=-1)


@translates("channel_shuffle")
def _channel_shuffle(c: Call) -> Any:
    x, sizes, groups = c.value("input"), dims(c["input"]), c["groups"]
    if not isinstance(sizes[1], int):
        raise Unsupported("the number of channels varies")
    split = c.op("Reshape", x, c.b.sizes([sizes[0], groups, sizes[1] // groups, *sizes[2:]]))
    swapped = c.op("Transpose", split, perm=[0, 2, 1, *range(3, c.rank + 1)])
    return c.op("Reshape", swapped, c.op("Shape", x, dtype=INT64))


@translates("cosine_similarity")
def _cosine_similarity(c: Call) -> Any:
    axis = c.b.ints([c["dim"] % (c.rank + 1)])
    units = []
    for x in (c.value("x1"), c.value("x2")):
        norm = c.op("ReduceL2", x, axis, keepdims=1)
        units.append(c.op("Div", x, c.op("Max", norm, c.scalar(c["eps"]))))
    return c.op("ReduceSum", c.op("Mul", *units), axis, keepdims=0)


@translates("pairwise_distance")
def _pairwise_distance(c: Call) -> Any:
    away = c.op("Add", c.op("Sub", c.value("x1"), c.value("x2")), c.scalar(c["eps"]))
    return _norm(c, away, c["p"], int(c["keepdim"]))


@translates("cdist")
def _cdist(c: Call) -> Any:
    first = c.op("Unsqueeze", c.value("x1"), c.b.ints([-2]))
    second = c.op("Unsqueeze", c.value("x2"), c.b.ints([-3]))
    return _norm(c, c.op("Sub", first, second), c["p"], 0)


def _norm(c: Call, x: Any, order: float, keepdims: int) -> Any:
    kind = {1: "ReduceL1", 2: "ReduceL2", math.inf: "ReduceMax"}.get(order)
    if kind is None:
        raise Unsupported(f"p is {order}")
    return c.op(kind, c.op("Abs", x) if order == math.inf else x, c.b.ints([-1]), keepdims=keepdims)
