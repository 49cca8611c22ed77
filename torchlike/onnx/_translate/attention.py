"""Attention, written out as products and a softmax."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchlike.onnx._calls import BOOL, Call, Unsupported, dims, translates


@translates("_attention", "_flash_attention")
def _attention(c: Call) -> Any:
    if c["noise"] is not None:
        raise Unsupported("it drops elements at random")
    query, key, value = c.value("query"), c.value("key"), c.value("value")
    if c["enable_gqa"]:
        key, value = (_repeated(c, x, name) for x, name in ((key, "key"), (value, "value")))
    order = list(range(len(dims(c["key"]))))
    order[-2:] = order[:-3:-1]
    width = dims(c["query"])[-1]
    if not isinstance(width, int):
        raise Unsupported("the size of each head varies")
    scale = 1 / math.sqrt(width) if c["scale"] is None else c["scale"]
    scores = c.op("MatMul", c.op("Mul", query, c.scalar(scale)), c.op("Transpose", key, perm=order))
    scores, empty = _masked(c, scores)
    weights = c.op("Softmax", scores, axis=-1)
    if empty:  # a row that attends to nothing is zero, not NaN
        weights = c.op("Where", c.op("IsNaN", weights, dtype=BOOL), c.scalar(0), weights, dtype=c.dtype)
    return c.op("MatMul", weights, value)


def _masked(c: Call, scores: Any) -> tuple[Any, bool]:
    """Return the scores with a mask, and whether the mask may hide a whole row."""
    mask, hidden = c["attn_mask"], c.scalar(-math.inf)
    if c["is_causal"]:
        rows, columns = dims(c["query"])[-2], dims(c["key"])[-2]
        square = c.op("Expand", c.b.array(np.ones((1, 1), bool)), c.b.sizes([rows, columns]))
        lower = c.op("Trilu", square, upper=0)
        scores = c.op("Where", lower, scores, hidden, dtype=c.dtype)
    if mask is None:
        return scores, False
    if mask.dtype == BOOL:
        return c.op("Where", mask, scores, hidden, dtype=c.dtype), True
    return c.op("Add", scores, c.b.cast(mask, c.dtype)), True


def _repeated(c: Call, x: Any, name: str) -> Any:
    """Return keys or values with each head repeated as often as the query needs."""
    sizes, heads = dims(c[name]), dims(c["query"])[-3]
    if sizes[-3] == heads:
        return x
    if not isinstance(heads, int) or not isinstance(sizes[-3], int) or len(sizes) != 4:
        raise Unsupported("the number of heads varies")
    repeats = c.b.ints([1, 1, heads // sizes[-3], 1, 1])
    x = c.op("Tile", c.op("Unsqueeze", x, c.b.ints([2])), repeats)
    return c.op("Reshape", x, c.b.sizes([sizes[0], heads, sizes[2], sizes[3]]))
