"""Resizing and sampling as functions."""

from __future__ import annotations

import math
import operator
from typing import Any

from torchlike import _errors
from torchlike._composite.functional.adaptive_pool import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from torchlike._errors.warned import warn
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor

_DIMS = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
_AREA = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resize the dims after the first two of (N, C, d1, ...) to `size`, or scale them by `scale_factor`.

    Args:
      input: (N, C, d1, ...).
      size: the new sizes, one number or one for each dim.
      scale_factor: the factors of the sizes, one number or one for each dim.
      mode: "nearest", "nearest-exact", "linear" (3-D input), "bilinear", "bicubic" (4-D), "trilinear" (5-D) or "area".
      align_corners: whether the centers (True) or the outer borders (False) of the corner elements coincide.
      recompute_scale_factor: if True, recompute the factors from the rounded sizes.
      antialias: if True, widen the kernel when a dim is reduced ("bilinear" and "bicubic").

    >>> import torchlike as torch
    >>> torch.nn.functional.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2).tolist()
    [[[1.0, 1.0, 2.0, 2.0]]]
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise _errors.images.align_corners_mode()
    elif align_corners is None:
        align_corners = False
    size, scales = _sizes(input, size, scale_factor, recompute_scale_factor)
    if antialias and not (mode in ("bilinear", "bicubic") and input.ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if mode not in (*_DIMS, "nearest", "nearest-exact", "area") or input.ndim not in (3, 4, 5):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the modes: "
            f"nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )
    if mode in _DIMS and input.ndim != _DIMS[mode]:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {_DIMS[mode]}D input")
    if mode == "area":
        return _AREA[input.ndim](input, size)
    if align_corners is not None and not isinstance(align_corners, bool):
        raise _errors.arguments.invalid_combination(
            f"upsample_{mode}{input.ndim - 2}d", (input, size, align_corners), {}
        )
    if 0 in input.shape[1:2]:
        raise RuntimeError(
            f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes {list(input.shape)}"
        )
    return rows["_resize"](input, size, mode, scales, bool(align_corners), bool(antialias))


def _sizes(input: Tensor, size: Any, scale_factor: Any, recompute: bool | None) -> tuple[tuple, tuple]:
    """Return the new sizes, and the scale factor of each dim, or None where it follows from the sizes."""
    dims, spatial = input.ndim - 2, list(input.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        given = tuple(size) if isinstance(size, list | tuple) else (size,) * dims
        if len(given) != dims:
            raise ValueError(
                f"Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {spatial} and output size of {size}. Please provide input tensor in (N, C, d1, d2, "
                "...,dK) format and output size in (o1, o2, ...,oK) format."
            )
        if not all(hasattr(n, "__index__") for n in given):
            raise _errors.images.size_types(given)
        if any(n.__class__ is bool for n in given):
            raise _errors.arguments.invalid_combination(f"upsample_nearest{dims}d", (input, [*given], None), {})
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return tuple(operator.index(n) for n in given), (None,) * dims
    if scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    factors = tuple(scale_factor) if isinstance(scale_factor, list | tuple) else (scale_factor,) * dims
    if len(factors) != dims:
        raise ValueError(
            f"Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {spatial} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, "
            "d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    factors = tuple(float(f) for f in factors)
    found = tuple(math.floor(n * f) for n, f in zip(spatial, factors))
    return found, (None,) * dims if recompute else factors


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """Call `interpolate` under its deprecated name. This gives a warning.

    Args:
      input: (N, C, d1, ...).
      size, scale_factor, mode, align_corners: see `interpolate`.

    >>> import torchlike as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.functional.upsample(torch.ones(1, 1, 2), scale_factor=2).shape
    torch.Size([1, 1, 4])
    """
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call `interpolate` in the mode "nearest". Deprecated; this gives a warning.

    Args:
      input: (N, C, d1, ...).
      size, scale_factor: see `interpolate`.

    >>> import torchlike as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.functional.upsample_nearest(torch.ones(1, 1, 2), size=4).shape
    torch.Size([1, 1, 4])
    """
    warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Call `interpolate` in the mode "bilinear" with aligned corners. Deprecated; this gives a warning.

    Args:
      input: (N, C, H, W).
      size, scale_factor: see `interpolate`.

    >>> import torchlike as torch, warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.nn.functional.upsample_bilinear(torch.ones(1, 1, 2, 2), size=4).shape
    torch.Size([1, 1, 4, 4])
    """
    warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, "bilinear", True)


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """Sample (N, C, H, W) or (N, C, D, H, W) at the points of a grid.

    Args:
      input: (N, C, H, W) or (N, C, D, H, W).
      grid: (N, ..., 2 or 3), coordinates (x, y, ...) in [-1, 1].
      mode: "bilinear", "nearest" or (4-D) "bicubic".
      padding_mode: the values outside the input: "zeros", "border" or "reflection".
      align_corners: whether -1 and 1 are the centers (True) or the outer borders (False) of the corner elements. None
        means False, with a warning.

    Returns:
      (N, C, ...), with the middle dims of `grid`.

    Raises:
      ValueError: `mode` or `padding_mode` is unknown.

    >>> import torchlike as torch
    >>> grid = torch.zeros(1, 5, 6, 2)
    >>> torch.nn.functional.grid_sample(torch.ones(1, 3, 8, 8), grid, align_corners=False).shape
    torch.Size([1, 3, 5, 6])
    """
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but "
            f"got: '{padding_mode}'"
        )
    if align_corners is None:
        align_corners = _default_corners()
    return rows["_grid_sample"](input, grid, mode, padding_mode, align_corners)


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """Return the grid with which `grid_sample` applies an affine map.

    Args:
      theta: (N, 2, 3) or (N, 3, 4), the maps.
      size: (N, C, H, W) or (N, C, D, H, W), the shape of the sampled output.
      align_corners: as for `grid_sample`.

    Returns:
      (N, H, W, 2) or (N, D, H, W, 3).

    Raises:
      ValueError: the shape of `theta` does not fit `size`, a size is 0, or `theta` holds no floating-point numbers.
      NotImplementedError: `size` has not four or five numbers.
      RuntimeError: the number of maps is not N.

    >>> import torchlike as torch
    >>> identity = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> torch.nn.functional.affine_grid(identity, (1, 1, 1, 2), align_corners=False).tolist()
    [[[[-0.5, 0.0], [0.5, 0.0]]]]
    """
    if align_corners is None:
        align_corners = _default_corners()
    _errors.images.check_affine(theta, size)
    if align_corners and min(size[2:]) == 1:
        warn(_errors.images.unit_grid())
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    if theta.shape[0] != size[0]:
        raise _errors.linalg.second_batch((size[0], len(size) - 1), (theta.shape[0], len(size) - 1))
    return rows["_affine_grid"](theta, tuple(int(n) for n in size), align_corners)


def _default_corners() -> bool:
    warn(
        "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
        "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
    )
    return False
