"""Resizing of the last dims of (N, C, d1, ...) by a matrix or indices for each dim, and sampling at grid points."""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike import _dtypes, _errors
from torchlike._ops.elementwise.spacing import spaced
from torchlike._ops.linalg import banded
from torchlike._ops.schema.autocast_policies import FULL_ELSEWHERE, LOWER, Casts, full, widest
from torchlike._ops.schema.declare import Array, namespace, operator
from torchlike._ops.schema.namespace import widened
from torchlike._ops.schema.rounding import stepwise
from torchlike._ops.schema.typing_rules import Call

Floats = tuple[float | None, ...]
Rounding = Callable[[np.ndarray], np.ndarray]


def _step(size: int, out: int, scale: float | None, align_corners: bool) -> float:
    """Return the distance in the input between adjacent output elements."""
    if align_corners:
        return (size - 1) / (out - 1) if out > 1 else 0.0
    return 1 / scale if scale is not None and scale > 0 else size / out


def nearest_places(size: int, out: int, scale: float | None, exact: bool) -> np.ndarray:
    """Return the index of the input element of each output element; PyTorch computes the step in float32."""
    step = np.float32(_step(size, out, scale, False))
    at = (np.arange(out, dtype=np.float32) + np.float32(0.5 if exact else 0)) * step
    return np.minimum(np.floor(at).astype(np.int64), size - 1)


def _centres(size: int, out: int, scale: float | None, align_corners: bool) -> np.ndarray:
    step = _step(size, out, scale, align_corners)
    return np.arange(out) * step if align_corners else (np.arange(out) + 0.5) * step - 0.5


def _linear_matrix(size: int, out: int, scale: float | None, align_corners: bool, stored: Rounding) -> np.ndarray:
    at = np.maximum(_centres(size, out, scale, align_corners), 0)
    low = np.minimum(np.floor(at).astype(np.int64), size - 1)
    high = np.minimum(low + 1, size - 1)
    part = stored(np.clip(at - low, 0, 1))
    matrix = np.zeros((out, size))
    np.add.at(matrix, (np.arange(out), low), stored(1 - part))
    np.add.at(matrix, (np.arange(out), high), np.maximum(part, banded.TOUCHED))
    return matrix


def _cubic(x: np.ndarray, a: float) -> np.ndarray:
    """Return Keys' cubic convolution kernel at `x`."""
    x = np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def _cubic_matrix(size: int, out: int, scale: float | None, align_corners: bool, stored: Rounding) -> np.ndarray:
    at = _centres(size, out, scale, align_corners)
    first = np.floor(at).astype(np.int64)
    matrix = np.zeros((out, size))
    for offset in range(-1, 3):
        weights = stored(_cubic(at - first - offset, -0.75))
        weights[weights == 0] = banded.TOUCHED
        np.add.at(matrix, (np.arange(out), np.clip(first + offset, 0, size - 1)), weights)
    return matrix


def _smooth_matrix(
    size: int, out: int, scale: float | None, align_corners: bool, reach: float, kernel, real: type
) -> np.ndarray:
    """Return the matrix of an antialiased resize.

    When a dim is reduced, the kernel is stretched over all input elements that one output element stands for. The
    numbers are of the type `real`, because their last bit decides where a window ends.
    """
    step, half = real(_step(size, out, scale, align_corners)), real(0.5)
    stretch = max(step, real(1))
    support, matrix = real(reach) * stretch, np.zeros((out, size))
    for i in range(out):
        centre = step * (real(i) + half)
        low, high = max(int(centre - support + half), 0), min(int(centre + support + half), size)
        weights = kernel((np.arange(low, high, dtype=real) - centre + half) * (1 / stretch))
        matrix[i, low:high] = weights / weights.sum()
    return matrix


@functools.lru_cache(256)
def matrix(
    mode: str, size: int, out: int, scale: float | None, align_corners: bool, antialias: bool, dtype: np.dtype
) -> np.ndarray:
    """Return the (out, size) matrix whose row i holds the weights of the input elements in output element i.

    `dtype` is the dtype of the input. It determines the rounding of the weights.
    """
    if size == out and (antialias or mode != "bicubic"):
        return np.eye(size)  # PyTorch copies the input, whatever the scale is
    if antialias:
        cubic = mode == "bicubic"
        kernel = (lambda x: _cubic(x, -0.5)) if cubic else (lambda x: np.maximum(1 - np.abs(x), 0))
        return _smooth_matrix(
            size,
            out,
            scale,
            align_corners,
            2.0 if cubic else 1.0,
            kernel,
            np.float64 if dtype.itemsize > 4 else np.float32,
        )
    # With half-precision input PyTorch rounds the weights to half precision, except in the mode "bilinear".
    kept = np.dtype(float) if mode == "bilinear" or dtype.itemsize > 2 else dtype
    stored = lambda weights: weights.astype(kept).astype(float)
    return (_cubic_matrix if mode == "bicubic" else _linear_matrix)(size, out, scale, align_corners, stored)


def _smooth_bytes(mode: str, size: int, out: int, step: float, align_corners: bool, antialias: bool) -> np.ndarray:
    kept = 0.5 if align_corners and not antialias else 0.0
    stretch = max(step, 1.0) if antialias else 1.0
    cubic, matrix = mode == "bicubic", np.zeros((out, size))
    support = (2.0 if cubic else 1.0) * stretch
    for i in range(out):
        centre = step * (i + 0.5 - kept)
        low = max(int(centre - support + 0.5 + kept), 0)
        high = min(int(centre + support + 0.5 + kept), size)
        x = (np.arange(low, high) - centre + 0.5 - kept) / stretch
        weights = _cubic(x, -0.5) if cubic else np.maximum(1 - np.abs(x), 0)
        matrix[i, low:high] = weights / (weights.sum() or 1)
    return matrix


@functools.lru_cache(256)
def byte_matrix(
    mode: str, size: int, out: int, scale: float | None, align_corners: bool, antialias: bool
) -> tuple[np.ndarray, int]:
    """Return the (out, size) matrix for bytes as integers scaled by a power of two, and the exponent of that power.

    PyTorch weights bytes by such integers, and rounds the result after each dim.
    """
    if mode == "bicubic" and not antialias:
        matrix = _cubic_matrix(size, out, scale, align_corners, lambda weights: weights)
    else:
        matrix = _smooth_bytes(mode, size, out, _step(size, out, scale, align_corners), align_corners, antialias)
    bits = 0
    while bits < 22 and int(0.5 + matrix.max() * (2 << bits)) < 1 << 15:
        bits += 1
    scaled = matrix * (1 << bits)
    return np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5)).astype(np.int32), bits


def _resized_bytes(xp, input: Array, size: tuple, mode: str, scales: tuple, align_corners: bool, antialias: bool):
    out = input
    for axis, n, scale in [*zip(range(2, input.ndim), size, scales)][::-1]:
        if n != input.shape[axis]:
            weights, bits = byte_matrix(mode, input.shape[axis], n, scale, align_corners, antialias)
            total = xp.tensordot(out.astype(np.int32), xp.asarray(weights), ((axis,), (1,))) + (1 << bits >> 1)
            out = xp.moveaxis(xp.clip(total >> bits, 0, 255).astype(np.uint8), -1, axis)
    return out


def _shape(call: Call) -> list:
    return [(*call.input.shape[:2], *call.size)]


_LOOPS = {
    "nearest": "compute_indices_weights_nearest",
    "nearest-exact": "compute_indices_weights_nearest",
    "linear": "compute_indices_weights_linear",
    "trilinear": "compute_indices_weights_linear",
    "bilinear": "upsample_bilinear2d_channels_last",
    "bicubic": "compute_indices_weights_cubic",
}
_FLOATS = (_dtypes.float16, _dtypes.bfloat16, _dtypes.float32, _dtypes.float64)


def _check(call: Call) -> None:
    _errors.images.check_resize(call)
    near, loop = call.mode.startswith("nearest"), _LOOPS[call.mode]
    bytes_too = near or call.mode in ("bilinear", "bicubic")
    if call.input.dtype in _FLOATS or (bytes_too and call.input.dtype is _dtypes.uint8):
        return
    if call.antialias:
        if tuple(call.size) == tuple(call.input.shape[2:]):
            return  # a copy
        loop = "compute_index_ranges_weights"
    elif near and len(call.size) == 2:
        loop = "upsample_nearest2d_channels_last"
    raise _errors.dtypes.not_implemented(loop, call.input.dtype)


def _node(call: Call) -> str:
    dims, mode = len(call.size), call.mode
    name = {"nearest": f"Nearest{dims}D", "nearest-exact": f"NearestExact{dims}D"}.get(mode)
    name = (
        name
        or {"linear": "Linear1D", "bilinear": "Bilinear2D", "bicubic": "Bicubic2D", "trilinear": "Trilinear3D"}[mode]
    )
    return f"Upsample{name}{'Aa' if call.antialias else ''}Backward0"


@operator(
    autocast=FULL_ELSEWHERE,
    where=(),
    shape=_shape,
    check=_check,
    saves=(),
    out=False,
    name="_resize",
    node=_node,
    formats=1,
    opmath=False,
)
def _resize(input: Array, size: tuple, mode: str, scales: tuple, align_corners: bool = False, antialias: bool = False):
    """Resize the dims after the first two of (N, C, d1, ...) to `size`.

    Args:
      input: (N, C, d1, ...).
      size: the new sizes of the dims after the first two.
      mode: "nearest", "nearest-exact", "linear", "bilinear", "bicubic" or "trilinear".
      scales: for each dim the scale factor, or None to derive it from the sizes.
      align_corners: whether the centers, rather than the outer borders, of the corner elements coincide.
      antialias: whether to stretch the kernel when a dim is reduced.
    """
    xp, out = namespace(input), input if mode.startswith("nearest") else widened(input)
    if input.dtype == np.uint8 and not mode.startswith("nearest"):
        return _resized_bytes(xp, input, size, mode, scales, align_corners, antialias)
    for axis, n, scale in zip(range(2, input.ndim), size, scales):
        if mode.startswith("nearest"):
            if mode == "nearest" and len(size) == 2 and n in (input.shape[axis], 2 * input.shape[axis]):
                scale = None  # in 2-d, PyTorch ignores the scale if the size stays or doubles
            out = xp.take(out, nearest_places(input.shape[axis], n, scale, mode == "nearest-exact"), axis=axis)
        else:
            weights = matrix(mode, input.shape[axis], n, scale, align_corners, antialias, input.dtype)
            out = banded.along(out, weights, axis)
    return out


# -- sampling at given points ------------------------------------------------------------------------------------------


def _grid_shape(call: Call) -> list:
    return [(*call.input.shape[:2], *call.grid.shape[1:-1])]


def _unnormalized(x, size: int, align_corners: bool, step):
    moved = step(x + 1)
    if align_corners:
        return step(moved / 2 * step(jnp.asarray(size - 1, x.dtype)))
    return step(step(moved * step(jnp.asarray(size, x.dtype))) - 1) / 2


def _reflected(x, low: float, high: float, step):
    """Reflect `x` at `low` and `high` until it lies between them."""
    span = high - low
    if span <= 0:
        return jnp.zeros_like(x)
    x = jnp.abs(step(x - low))
    rest = jnp.mod(x, 2 * span)
    return step(jnp.where(rest > span, step(2 * span - rest), rest) + low)


def _inside(x, size: int, padding_mode: str, align_corners: bool, step):
    if padding_mode == "reflection":
        x = _reflected(x, 0, size - 1, step) if align_corners else _reflected(x, -0.5, size - 0.5, step)
    if padding_mode == "zeros":
        return x
    # PyTorch's gradient is 0 on the first and the last pixel, and outside the image.
    return jnp.where((x > 0) & (x < size - 1), x, lax.stop_gradient(jnp.clip(x, 0, size - 1)))


def _fetch(image, places: list):
    """Read the image (C, d1, ...) at integer coordinates, one array (...) for each dim; return 0 outside the image."""
    sizes = image.shape[1:]
    valid = functools.reduce(jnp.logical_and, [(p >= 0) & (p <= n - 1) for p, n in zip(places, sizes)])
    at = tuple(jnp.clip(p, 0, n - 1).astype(np.int64) for p, n in zip(places, sizes))
    return jnp.where(valid, image[(slice(None), *at)], 0)


def _sampled(image, grid, mode: str, padding_mode: str, align_corners: bool, step):
    sizes = image.shape[1:]
    at = [_unnormalized(grid[..., -1 - i], n, align_corners, step) for i, n in enumerate(sizes)]
    if mode == "bicubic":
        return _sampled_cubic(image, at, padding_mode, align_corners, step)
    at = [_inside(x, n, padding_mode, align_corners, step) for x, n in zip(at, sizes)]
    if mode == "nearest":
        return _fetch(image, [jnp.round(x) for x in at])
    low = [jnp.floor(x) for x in at]
    rising = [step(x - lo) for x, lo in zip(at, low)]
    # PyTorch's 2-d and 3-d loops round the complement of a weight differently.
    falling = [step(1 - up) if len(sizes) == 2 else step(lo + 1 - x) for x, lo, up in zip(at, low, rising)]
    total = 0
    for corner in np.ndindex((2,) * len(sizes)):
        weights = [up if high else down for up, down, high in zip(rising, falling, corner)]
        weight = functools.reduce(lambda a, b: step(a * b), weights[::-1])
        total = step(total + step(weight * _fetch(image, [lo + high for lo, high in zip(low, corner)])))
    return total


def _cubic_weight(x, step):
    """Return Keys' cubic convolution kernel with the rounding of PyTorch's `grid_sample`."""
    a, x = -0.75, jnp.abs(x)
    near = step(step(step(step(step((a + 2) * x) - (a + 3)) * x) * x) + 1)
    far = step(step(step(step(step(step(a * x) - 5 * a) * x) + 8 * a) * x) - 4 * a)
    return jnp.where(x < 1, near, far)


def _sampled_cubic(image, at: list, padding_mode: str, align_corners: bool, step):
    low = [jnp.floor(x) for x in at]
    lines, rows = [], []  # for each dim, the four coordinates to read and their weights
    for x, lo, size in zip(at, low, image.shape[1:]):
        part = step(x - lo)
        held = [_inside(step(lo + o), size, padding_mode, align_corners, step) for o in range(-1, 3)]
        lines.append([(place, _cubic_weight(step(part - o), step)) for o, place in zip(range(-1, 3), held)])
    for y, weight in lines[0]:
        rows.append((weight, _weighted([(w, _fetch(image, [y, x])) for x, w in lines[1]], step)))
    return _weighted(rows, step)


def _weighted(pairs: list, step):
    return functools.reduce(lambda a, b: step(a + b), [step(weight * value) for weight, value in pairs])


def _check_grid(call: Call) -> None:
    _errors.images.check_grid(call.input, call.grid)
    if call.input.dtype is not call.grid.dtype:
        raise _errors.dtypes.expected_scalar_type(call.input.dtype, call.grid.dtype)
    if call.input.dtype.category < _dtypes.FLOATING:
        kernel = "grid_sampler_2d_cpu_kernel_impl" if call.input.ndim == 4 else "grid_sampler3d_cpu"
        raise _errors.dtypes.not_implemented(kernel, call.input.dtype)


@operator(
    autocast=Casts(full, widest),
    where=(),
    shape=_grid_shape,
    check=_check_grid,
    out=False,
    name="_grid_sample",
    vanishing=("grid",),
    numpy=False,
    opmath=False,
    node=lambda call: f"GridSampler{call.input.ndim - 2}DBackward0",
)
def _grid_sample(input: Array, grid: Array, mode: str, padding_mode: str, align_corners: bool):
    """Sample (N, C, d1, ...) at the points of a grid.

    Args:
      input: (N, C, d1, ...).
      grid: (N, o1, ..., dims), coordinates in [-1, 1], the last dim of `input` first.
      mode: "nearest", "bilinear" or "bicubic".
      padding_mode: "zeros", "border" or "reflection", for points outside the image.
      align_corners: whether -1 and 1 are the centers, rather than the outer borders, of the corner pixels.

    Returns:
      (N, C, o1, ...).
    """
    import jax

    step, *both = stepwise(input, grid)
    return jax.vmap(lambda image, places: _sampled(image, places, mode, padding_mode, align_corners, step))(*both)


@operator(
    autocast=LOWER,
    where=(),
    shape=lambda call: [(*call.theta.shape[:1], *call.size[2:], len(call.size) - 2)],
    out=False,
    saves=(),
    name="_affine_grid",
    node="AffineGridGeneratorBackward0",
)
def _affine_grid(theta: Array, size: tuple, align_corners: bool):
    """Return the coordinates to which the matrices `theta` map each pixel of an image.

    Args:
      theta: (N, d, d + 1), affine matrices.
      size: (N, C, d1, ...), the shape of the image.
      align_corners: whether -1 and 1 are the centers, rather than the outer borders, of the corner pixels.

    Returns:
      (N, d1, ..., d), coordinates in [-1, 1] for an identity matrix, the last dim of the image first.
    """
    xp, dims = namespace(theta), size[2:]
    lines = []
    for n in dims:
        # Use PyTorch's rounding. The identity samples exactly at pixels, where the gradient is discontinuous, so the
        # last bit decides which gradient is returned.
        line = (
            spaced(-1, 1, n, _dtypes.FROM_NUMPY[theta.dtype]).astype(theta.dtype) if n > 1 else np.zeros(n, theta.dtype)
        )
        lines.append(line if align_corners else line * line.dtype.type(n - 1) / line.dtype.type(n))
    mesh = np.meshgrid(*lines, indexing="ij")
    base = np.stack([*mesh[::-1], np.ones(dims, theta.dtype)], -1)  # (d1, ..., d + 1), the last dim first
    flat = xp.asarray(base.reshape(-1, len(dims) + 1), theta.dtype)
    return xp.matmul(flat, xp.swapaxes(theta, 1, 2)).reshape((theta.shape[0], *dims, len(dims)))
