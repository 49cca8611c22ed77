"""Reads and writes at places that tensors name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import torchlike
from torchlike.export._listing import Operator
from torchlike.onnx._builder import Builder
from torchlike.onnx._calls import INT64, TRANSLATIONS, Call, Unsupported, dims, translates


@translates("embedding")
def _embedding(c: Call) -> Any:
    return c.op("Gather", c.value("weight"), c["indices"], axis=0)


@translates("index_select")
def _index_select(c: Call) -> Any:
    return c.op("Gather", c.value("input"), c["index"], axis=c["dim"])


@translates("_gather")
def _gather(c: Call) -> Any:
    return c.op("GatherElements", c.value("input"), c["index"], axis=c["dim"])


@translates("_take")
def _take(c: Call) -> Any:
    return c.op("Gather", c.op("Reshape", c.value("input"), c.b.ints([-1])), c["index"], axis=0)


@translates("_scatter", "_scatter_add", "_scatter_fill", "_scatter_reduce")
def _scatter(c: Call) -> Any:
    x, index, reduction = c.value("input"), c["index"], "add" if c.name == "_scatter_add" else "none"
    if c.name == "_scatter_reduce":
        reduction = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min"}.get(c["reduce"])
        if reduction is None or not c["include_self"]:
            raise Unsupported(f"reduce is {c['reduce']!r} and include_self is {c['include_self']}")
    if c.name == "_scatter_fill":
        values = c.op("Expand", c.value("value"), c.op("Shape", index, dtype=INT64))
    else:
        values = c.value("src")
        if dims(c["src"]) != dims(index):  # PyTorch ignores the elements beyond the index
            values = _cut(c, values, index)
    return c.op("ScatterElements", x, index, values, axis=c["dim"], reduction=reduction)


def _cut(c: Call, values: Any, index: Any) -> Any:
    axes = list(range(len(dims(index))))
    return c.op("Slice", values, c.b.ints([0] * len(axes)), c.op("Shape", index, dtype=INT64), c.b.ints(axes))


def to_front(c: Call, x: Any, axes: list[int], back: bool = False) -> Any:
    """Return a value with the given dims first, or, with `back`, at their places again."""
    order = [*axes, *(d for d in range(c.rank) if d not in axes)]
    if order == sorted(order):
        return x
    return c.op("Transpose", x, perm=[order.index(d) for d in range(c.rank)] if back else order)


@translates("_index_add", "_index_copy", "_index_fill", "_index_fill_by")
def _index_add(c: Call) -> Any:
    axis = [c["dim"] % max(c.rank, 1)]
    x, index = to_front(c, c.value("input"), axis), c.op("Unsqueeze", c.b.cast(c["index"], INT64), c.b.ints([-1]))
    if c.name.startswith("_index_fill"):
        shape = [dims(c["index"])[0], *(n for d, n in enumerate(dims(c["input"])) if d != axis[0])]
        source = c.op("Expand", c.value("value"), c.b.sizes(shape))
    else:
        source = to_front(c, c.value("source"), axis)
    if c.name == "_index_add" and c["alpha"] != 1:
        source = c.op("Mul", source, c.scalar(c["alpha"]))
    reduction = "add" if c.name == "_index_add" else "none"
    return to_front(c, c.op("ScatterND", x, index, source, reduction=reduction), axis, back=True)


def _joined(c: Call) -> Any:
    """Return several index tensors as one with a last dim, as GatherND and ScatterND take them."""
    indices = [c.b.cast(i, INT64) for i in c["indices"]]
    total = indices[0]
    for other in indices[1:]:
        total = c.op("Add", total, other)
    shape = c.op("Shape", total, dtype=INT64)
    parts = [c.op("Unsqueeze", c.op("Expand", i, shape), c.b.ints([-1])) for i in indices]
    return parts[0] if len(parts) == 1 else c.op("Concat", *parts, axis=-1)


@translates("_index")
def _index(c: Call) -> Any:
    x, axes = c.value("input"), list(c["dims"])
    if len(axes) == 1:
        return c.op("Gather", x, c["indices"][0], axis=axes[0])
    count = len(dims(c["input"]))
    order = [*axes, *(d for d in range(count) if d not in axes)]
    if order != sorted(order):
        x = c.op("Transpose", x, perm=order)
    made = c.op("GatherND", x, _joined(c))
    width = max(len(dims(i)) for i in c["indices"])
    if axes == list(range(axes[0], axes[0] + len(axes))) and axes[0]:  # adjacent dims keep their place
        first = list(range(width, width + axes[0]))
        made = c.op("Transpose", made, perm=[*first, *range(width), *range(width + axes[0], c.rank)])
    return made


@translates("_index_put")
def _index_put(c: Call) -> Any:
    axes = list(c["dims"])
    adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
    rest = [n for d, n in enumerate(dims(c["input"])) if d not in axes]
    index, values = _joined(c), c.value("values")
    width = max(len(dims(i)) for i in c["indices"])
    begin = c.op("Shape", index, dtype=INT64, end=-1)
    before = axes[0] if adjacent else 0  # the indexed dims of the values stand after these dims
    parts = [c.b.sizes(rest[:before])] if before else []
    parts += [begin] + ([c.b.sizes(rest[before:])] if rest[before:] else [])
    shape = parts[0] if len(parts) == 1 else c.op("Concat", *parts, axis=0)
    values = c.op("Expand", values, shape)
    if before:
        order = [*range(before, before + width), *range(before), *range(before + width, width + len(rest))]
        values = c.op("Transpose", values, perm=order)
    reduction = "add" if c["accumulate"] else "none"
    x = to_front(c, c.value("input"), axes)
    return to_front(c, c.op("ScatterND", x, index, values, reduction=reduction), axes, back=True)


@translates("_one_hot")
def _one_hot(c: Call) -> Any:
    values = c.b.array(np.array([0, 1], c.dtype.numpy()))
    return c.op("OneHot", c["input"], c.scalar(c["num_classes"], INT64), values, dtype=c.dtype, axis=-1)


def written(b: Builder, views: Sequence[Operator], old: Any, part: Any) -> Any:
    """Return `old` with `part` written through a chain of views.

    The views are applied to the numbers of the elements, which gives the places that the write reaches.
    """
    if all(view.name == "view_as_self" for view in views):
        return b.op("Expand", b.cast(part, old.dtype), b.op("Shape", old, dtype=INT64))
    count = b.op("Size", old, dtype=INT64)
    numbers = b.op("Range", b.scalar(0, INT64), count, b.scalar(1, INT64))
    places = b.op("Reshape", numbers, b.op("Shape", old, dtype=INT64))
    places.meta["dims"] = dims(old)
    for view in views:
        if view.name not in TRANSLATIONS:
            raise Unsupported(f"it writes through {view.name}")
        results = tuple((torchlike.int64, shape) for _, shape in view.results)
        places = TRANSLATIONS[view.name](Call(b, view._replace(results=results), [places]))
        places.meta["dims"] = results[0][1]
    part = b.op("Expand", b.cast(part, old.dtype), b.op("Shape", places, dtype=INT64))
    flat = [b.op("Reshape", x, b.ints([-1])) for x in (old, places, part)]
    made = b.op("ScatterElements", *flat, axis=0)
    return b.op("Reshape", made, b.op("Shape", old, dtype=INT64))
