"""Convolutions, pooling, norms, and resizing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchlike.onnx._calls import INT64, Call, Unsupported, dims, translates
from torchlike.onnx._translate.reductions import squares


def each(value: Any, count: int) -> list[int]:
    """Return a number for each spatial dim."""
    found = [value] * count if isinstance(value, int) else list(value)
    return found * count if len(found) == 1 else found


def with_batch(c: Call, spatial: int, function: Any) -> Any:
    """Return `function(x)`, with a batch dim added for the time of the call if the input has none."""
    x = c.value("input")
    if len(dims(c["input"])) == spatial + 2:
        return function(x)
    return c.op("Squeeze", function(c.op("Unsqueeze", x, c.b.ints([0]))), c.b.ints([0]))


# -- convolutions ------------------------------------------------------------------------------------------------------


@translates("conv1d", "conv2d", "conv3d")
def _conv(c: Call) -> Any:
    count = int(c.name[4])
    pads: dict[str, Any] = {"auto_pad": "SAME_UPPER"} if c["padding"] == "same" else {}
    if not isinstance(c["padding"], str):
        pads = {"pads": each(c["padding"], count) * 2}
    given = [c.value("weight"), *([] if c["bias"] is None else [c.value("bias")])]
    options = {"dilations": each(c["dilation"], count), "strides": each(c["stride"], count), "group": c["groups"]}
    return with_batch(c, count, lambda x: c.op("Conv", x, *given, **pads, **options))


@translates("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def _conv_transpose(c: Call) -> Any:
    count = int(c.name[-2])
    given = [c.value("weight"), *([] if c["bias"] is None else [c.value("bias")])]
    names = {"dilations": "dilation", "strides": "stride", "output_padding": "output_padding"}
    options: dict[str, Any] = {name: each(c[own], count) for name, own in names.items()}
    options["pads"] = each(c["padding"], count) * 2
    return with_batch(c, count, lambda x: c.op("ConvTranspose", x, *given, group=c["groups"], **options))


# -- pooling -----------------------------------------------------------------------------------------------------------


def _windows(c: Call, count: int) -> dict[str, Any]:
    kernel = each(c["kernel_size"], count)
    stride = each(c["stride"], count) if c["stride"] not in (None, ()) else kernel
    pads = each(c["padding"], count) * 2
    return {"kernel_shape": kernel, "strides": stride, "pads": pads, "ceil_mode": int(c["ceil_mode"])}


@translates("_max_pool1d", "_max_pool2d", "_max_pool3d")
def _max_pool(c: Call) -> Any:
    count = int(c.name[-2])
    options = _windows(c, count)
    return with_batch(c, count, lambda x: c.op("MaxPool", x, dilations=each(c["dilation"], count), **options))


@translates("_avg_pool1d", "_avg_pool2d", "_avg_pool3d")
def _avg_pool(c: Call) -> Any:
    count = int(c.name[-2])
    options, divisor = _windows(c, count), c["divisor_override"]
    whole = int(c["count_include_pad"] or divisor is not None)
    made = with_batch(c, count, lambda x: c.op("AveragePool", x, count_include_pad=whole, **options))
    if divisor is None:
        return made
    return c.op("Mul", made, c.scalar(math.prod(options["kernel_shape"]) / divisor))


@translates("_adaptive_avg_pool1d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d")
def _adaptive_avg_pool(c: Call) -> Any:
    count, x = int(c.name[-2]), c.value("input")
    sizes = dims(x)[-count:]
    wanted = [n if m is None else m for m, n in zip(c["output_size"], sizes)]
    if all(m == 1 for m in wanted):
        if len(dims(x)) == count + 2:
            return c.op("GlobalAveragePool", x)
        return c.op("ReduceMean", x, c.b.ints(range(1, count + 1)), keepdims=1)
    if not all(isinstance(n, int) for n in sizes):
        raise Unsupported("the sizes of its input vary, and its output size is not 1")
    if all(n % m == 0 for m, n in zip(wanted, sizes)):
        window = [n // m for m, n in zip(wanted, sizes)]
        return with_batch(c, count, lambda x: c.op("AveragePool", x, kernel_shape=window, strides=window))
    for axis, (m, n) in enumerate(zip(wanted, sizes), len(dims(x)) - count):
        x = _averaged(c, x, axis, m, n)
    return x


def _averaged(c: Call, x: Any, axis: int, wanted: int, size: int) -> Any:
    """Return the means of `wanted` stretches of a dim, which may overlap."""
    weights = np.zeros((size, wanted))
    for i in range(wanted):
        first, last = i * size // wanted, -(-(i + 1) * size // wanted)
        weights[first:last, i] = 1 / (last - first)
    order = list(range(c.rank))
    order[axis], order[-1] = order[-1], order[axis]
    weights = c.b.array(weights.astype(c.dtype.numpy()))
    return c.op("Transpose", c.op("MatMul", c.op("Transpose", x, perm=order), weights), perm=order)


# -- norms -------------------------------------------------------------------------------------------------------------


def _vector(c: Call, name: str, size: Any, fill: float) -> Any:
    """Return a weight, or a constant vector in its place."""
    if c[name] is not None:
        return c.value(name)
    if isinstance(size, int | tuple):
        return c.b.array(np.full(size, fill, c.dtype.numpy()))
    return c.op("Expand", c.scalar(fill), c.b.size(size))


@translates("_batch_norm_of_running")
def _batch_norm(c: Call) -> Any:
    channels = dims(c["running_mean"])
    given = [_vector(c, "weight", channels, 1), _vector(c, "bias", channels, 0)]
    given += [c.value("running_mean"), c.value("running_var")]
    return c.op("BatchNormalization", c.value("input"), *given, epsilon=float(c.number("eps")))


@translates("_batch_norm_of_batch")
def _batch_norm_of_batch(c: Call) -> Any:
    x, size = c.value("input"), dims(c["input"])[1]
    axes = [axis for axis in range(c.rank) if axis != 1]
    unbiased, mean = squares(c, x, axes, False, 1)
    var, _ = squares(c, x, axes, False, 0)
    given = [_vector(c, "weight", size, 1), _vector(c, "bias", size, 0), mean, var]
    return c.op("BatchNormalization", x, *given, epsilon=float(c.number("eps"))), mean, unbiased


@translates("_layer_norm")
def _layer_norm(c: Call) -> Any:
    shape = c["normalized_shape"]
    scale = _vector(c, "weight", shape, 1)
    bias = [] if c["bias"] is None else [c.value("bias")]
    options = {"axis": -len(shape), "epsilon": float(c.number("eps"))}
    return c.op("LayerNormalization", c.value("input"), scale, *bias, **options)


@translates("_rms_norm")
def _rms_norm(c: Call) -> Any:
    x, axes = c.value("input"), list(range(-len(c["normalized_shape"]), 0))
    mean = c.op("ReduceMean", c.op("Mul", x, x), c.b.ints(axes), keepdims=1)
    made = c.op("Div", x, c.op("Sqrt", c.op("Add", mean, c.value("eps"))))
    return made if c["weight"] is None else c.op("Mul", made, c.value("weight"))


@translates("_group_norm")
def _group_norm(c: Call) -> Any:
    """Normalize groups as instances, as PyTorch's exporter does."""
    x, groups = c.value("input"), c["num_groups"]
    ones, zeros = (c.b.array(np.full(groups, fill, c.dtype.numpy())) for fill in (1, 0))
    rows = c.op("Reshape", x, c.b.ints([0, groups, -1]))
    made = c.op("InstanceNormalization", rows, ones, zeros, epsilon=float(c.number("eps")))
    made = c.op("Reshape", made, c.op("Shape", x, dtype=INT64))
    for name, kind in (("weight", "Mul"), ("bias", "Add")):
        if c[name] is not None:
            vector = c.value(name)
            if c.rank > 2:
                vector = c.op("Unsqueeze", vector, c.b.ints(range(1, c.rank - 1)))
            made = c.op(kind, made, vector)
    return made


# -- resizing ----------------------------------------------------------------------------------------------------------


@translates("_resize")
def _resize(c: Call) -> Any:
    x, mode, corners = c.value("input"), c["mode"], c["align_corners"]
    kind = {"bilinear": "linear", "trilinear": "linear", "linear": "linear", "bicubic": "cubic"}.get(mode, "nearest")
    options: dict[str, Any] = {"mode": kind, "antialias": 1 if c["antialias"] else None}
    if kind == "nearest":
        exact = mode == "nearest-exact"
        options["coordinate_transformation_mode"] = "half_pixel" if exact else "asymmetric"
        options["nearest_mode"] = "round_prefer_ceil" if exact else "floor"
    else:
        options["coordinate_transformation_mode"] = "align_corners" if corners else "pytorch_half_pixel"
    if kind == "cubic":
        options["cubic_coeff_a"] = -0.75
    scales, spatial = c["scales"], c["size"]
    if all(s is not None for s in scales) and not corners:
        factors = np.array([1.0, 1.0, *map(float, scales)], np.float32)
        return c.op("Resize", x, None, c.b.array(factors), **options)
    sizes = [*dims(x)[:2], *spatial]
    return c.op("Resize", x, None, None, c.b.sizes(sizes), **options)
