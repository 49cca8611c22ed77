"""Translations of operators that only move elements."""

from __future__ import annotations

from typing import Any

from torchlike.export._formulas import Formula
from torchlike.onnx._calls import INT64, Call, Unsupported, dims, translates

_END = 2**63 - 1


@translates("view", "_unsafe_view")
def _view(c: Call) -> Any:
    """Reshape. If exactly one size varies, ONNX infers it."""
    sizes = list(c["size"])
    varying = [i for i, n in enumerate(sizes) if isinstance(n, Formula)]
    if len(varying) == 1 and -1 not in sizes and 0 not in sizes:
        sizes[varying[0]] = -1
    return c.op("Reshape", c.value("input"), c.b.sizes(sizes), allowzero=1 if 0 in sizes else None)


@translates("expand")
def _expand(c: Call) -> Any:
    return c.op("Expand", c.value("input"), c.b.sizes([1 if n == -1 else n for n in c["size"]]))


@translates("permute")
def _permute(c: Call) -> Any:
    return c.op("Transpose", c.value("input"), perm=[d % max(c.rank, 1) for d in c["dims"]])


@translates("transpose", "_t")
def _transpose(c: Call) -> Any:
    order = list(range(c.rank))
    if c.rank > 1:
        first, second = (c["dim0"], c["dim1"]) if c.name == "transpose" else (0, 1)
        order[first], order[second] = order[second], order[first]
    return c.op("Transpose", c.value("input"), perm=order)


@translates("unsqueeze")
def _unsqueeze(c: Call) -> Any:
    return c.op("Unsqueeze", c.value("input"), c.b.ints([c["dim"]]))


@translates("squeeze")
def _squeeze(c: Call) -> Any:
    given, sizes = c["dim"], dims(c["input"])
    chosen = range(len(sizes)) if given is None else [given] if isinstance(given, int) else given
    axes = [d % len(sizes) for d in chosen if sizes and sizes[d] == 1]
    return c.op("Squeeze", c.value("input"), c.b.ints(axes)) if axes else c.value("input")


def sliced(c: Call, x: Any, axis: int, start: Any, length: Any, step: int = 1) -> Any:
    """Return `length` elements of a dim, from `start` on."""
    if isinstance(start, int) and isinstance(length, int):
        end = c.b.ints([start + length * step])
    elif start == 0 and step == 1:
        end = c.b.size(length)
    else:
        length = c.b.size(length) if step == 1 else c.op("Mul", c.b.size(length), c.b.ints([step]))
        end = c.op("Add", length, c.b.size(start))
    return c.op("Slice", x, c.b.size(start), end, c.b.ints([axis]), *([] if step == 1 else [c.b.ints([step])]))


@translates("_slice", "_piece", "_sized_piece")
def _slice(c: Call) -> Any:
    step = c["step"] if "step" in c.arguments else 1
    return sliced(c, c.value("input"), c["dim"], _static_index(c, "start"), c["length"], step)


def _static_index(c: Call, name: str) -> Any:
    found = c[name]
    if not isinstance(found, int | Formula):
        raise Unsupported(f"{name} is a tensor")
    return found


@translates("_select", "_unbound")
def _select(c: Call) -> Any:
    return c.op("Gather", c.value("input"), c.scalar(_static_index(c, "index"), INT64), axis=c["dim"])


@translates("cat")
def _cat(c: Call) -> Any:
    parts = [c.b.cast(x, c.dtype) for x in c["tensors"] if dims(x) != (0,) or c.rank == 1]
    return c.op("Concat", *parts, axis=c["dim"] % c.rank)


@translates("stack")
def _stack(c: Call) -> Any:
    axis = c["dim"] % c.rank
    parts = [c.op("Unsqueeze", c.b.cast(x, c.dtype), c.b.ints([axis])) for x in c["tensors"]]
    return c.op("Concat", *parts, axis=axis)


@translates("_repeat")
def _repeat(c: Call) -> Any:
    x, count = c.value("input"), len(c["repeats"])
    missing = count - len(dims(x))
    if missing:
        x = c.op("Unsqueeze", x, c.b.ints(range(missing)))
    return c.op("Tile", x, c.b.sizes(c["repeats"]))


@translates("_repeat_interleave")
def _repeat_interleave(c: Call) -> Any:
    x, times = c.value("input"), c["repeats"]
    if c["dim"] is None:
        x, axis = c.op("Reshape", x, c.b.ints([-1])), 0
    else:
        axis = c["dim"] % c.rank
    x = c.op("Unsqueeze", x, c.b.ints([axis + 1]))
    repeats = [1] * (c.rank + 1)
    repeats[axis + 1] = times
    return c.op("Reshape", c.op("Tile", x, c.b.sizes(repeats)), c.b.sizes(inferred(c.dims)))


def inferred(sizes: tuple) -> list:
    """Return sizes with -1 in place of the first one that varies."""
    made = list(sizes)
    for i, n in enumerate(made):
        if not isinstance(n, int):
            made[i] = -1
            break
    return made


@translates("_flip")
def _flip(c: Call) -> Any:
    axes = c["dims"]
    ends = [-_END] * len(axes)
    constants = ([-1] * len(axes), ends, axes, [-1] * len(axes))
    return c.op("Slice", c.value("input"), *map(c.b.ints, constants)) if axes else c.value("input")


@translates("_roll")
def _roll(c: Call) -> Any:
    x = c.value("input")
    if c["dims"] is None:
        raise Unsupported("dims is None")
    for shift, axis in zip(c["shifts"], c["dims"]):
        if shift:
            last = c.op("Slice", x, c.b.ints([-shift]), c.b.ints([_END]), c.b.ints([axis]))
            first = c.op("Slice", x, c.b.ints([0]), c.b.ints([-shift]), c.b.ints([axis]))
            x = c.op("Concat", last, first, axis=axis)
    return x


@translates("_constant_pad", "_mirror_pad")
def _pad(c: Call) -> Any:
    mode = {"replicate": "edge", "reflect": "reflect", "circular": "wrap"}[c["mode"]] if "mode" in c.arguments else None
    pad, x = list(c["pad"]), c.value("input")
    if not all(isinstance(n, int) for n in pad):
        raise Unsupported("a padding depends on the sizes")
    if mode == "wrap" and c.b.opset < 19:
        raise Unsupported("circular padding needs opset version 19")
    if not any(pad):
        return x
    pairs = [(0, 0)] * (c.rank - len(pad) // 2) + list(zip(pad[-2::-2], pad[::-2]))
    widths = c.b.ints([before for before, _ in pairs] + [after for _, after in pairs])
    value = [c.value("value")] if mode is None else []
    return c.op("Pad", x, widths, *value, mode=mode)


@translates("tril", "triu")
def _triangle(c: Call) -> Any:
    return c.op("Trilu", c.value("input"), c.scalar(c["diagonal"], INT64), upper=int(c.name == "triu"))


@translates("pixel_shuffle")
def _pixel_shuffle(c: Call) -> Any:
    if c.rank != 4:
        raise Unsupported("the input must have four dims")
    return c.op("DepthToSpace", c.value("input"), blocksize=c["upscale_factor"], mode="CRD")


@translates("pixel_unshuffle")
def _pixel_unshuffle(c: Call) -> Any:
    (*batch, channels, height, width), k = dims(c["input"]), c["downscale_factor"]
    if len(batch) != 1 or not all(isinstance(n, int) for n in (channels, height, width)):
        raise Unsupported("the input must have four dims, and only the first may vary")
    split = c.b.ints([-1, channels, height // k, k, width // k, k])
    x = c.op("Transpose", c.op("Reshape", c.value("input"), split), perm=[0, 1, 3, 5, 2, 4])
    return c.op("Reshape", x, c.b.ints([-1, channels * k * k, height // k, width // k]))


@translates("diff")
def _diff(c: Call) -> Any:
    parts = [c.value(name) for name in ("prepend", "input", "append") if c[name] is not None]
    axis = c["dim"] % c.rank
    x = parts[0] if len(parts) == 1 else c.op("Concat", *parts, axis=axis)
    for _ in range(c["n"]):
        later = c.op("Slice", x, c.b.ints([1]), c.b.ints([_END]), c.b.ints([axis]))
        earlier = c.op("Slice", x, c.b.ints([0]), c.b.ints([-1]), c.b.ints([axis]))
        x = c.op("Sub", later, earlier)
    return x
