"""PyTorch's error messages about padding, pixel shuffling, sliding windows and resizing."""

from __future__ import annotations

from typing import Any

from torchlike._errors.dtypes import not_implemented
from torchlike._errors.making import negative_dim
from torchlike._errors.shapes import dim_of_scalar, dim_out_of_range

Ints = tuple[int, ...]


def odd_padding() -> RuntimeError:
    return RuntimeError("Padding length must be divisible by 2")


def long_padding(length: int, ndim: int) -> RuntimeError:
    return RuntimeError(
        "Padding length should be less than or equal to two times the input dimension but got padding "
        f"length {length} and input of dimension {ndim}"
    )


def padding_value(mode: str) -> RuntimeError:
    return RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')


def check_constant_pad(x: Any, pad: Ints) -> None:
    if len(pad) % 2:
        raise odd_padding()
    if len(pad) > 2 * x.ndim:
        raise long_padding(len(pad), x.ndim)
    for i in range(0, len(pad), 2):
        size = x.shape[-1 - i // 2]
        if size + min(pad[i], 0) + min(pad[i + 1], 0) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")


def check_mirror_pad(x: Any, pad: Ints, mode: str) -> None:
    """Check the arguments of reflection, replication and circular padding."""
    dims = len(pad) // 2
    if x.ndim not in (dims + 1, dims + 2) or dims > 3:
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {x.ndim}D input tensor.")
    if mode != "circular" and x.dtype.name == "bool" and 0 not in x.shape:
        raise not_implemented(f"{'reflection' if mode == 'reflect' else 'replication'}_pad{dims}d", x.dtype)
    if mode != "circular" and 0 in x.shape[x.ndim - dims - 1 :]:
        raise RuntimeError(
            f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with possibly 0 batch size and "
            f"other non-zero dimensions for input, but got: {list(x.shape)}"
        )
    for i in range(dims):
        dim, before, after = x.ndim - 1 - i, pad[2 * i], pad[2 * i + 1]
        size = x.shape[dim]
        if mode == "reflect" and max(before, after) >= size:
            raise RuntimeError(
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input "
                f"dimension, but got: padding ({before}, {after}) at dimension {dim} of input {list(x.shape)}"
            )
        if mode == "circular" and max(before, after) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if mode == "circular" and size + min(before, 0) + min(after, 0) < 1:  # PyTorch reads uninitialized memory here
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    _check_padded(x, pad, dims, mode)


def _check_padded(x: Any, pad: Ints, dims: int, mode: str) -> None:
    """Check that no padded size is negative and that one is positive, as in PyTorch. Accept any circular padding."""
    found = [x.shape[x.ndim - 1 - i] + pad[2 * i] + pad[2 * i + 1] for i in range(dims)]
    if mode == "circular":
        return
    if max(found) < 1:
        sizes = " ".join(f"{letter}: {x.shape[x.ndim - 1 - i]}" for i, letter in [*enumerate("WHD"[:dims])][::-1])
        padded = " ".join(f"{letter}: {found[i]}" for i, letter in [*enumerate("WHD"[:dims])][::-1])
        sizes = sizes.replace(" W:", ", W:")
        raise RuntimeError(f"input ({sizes}) is too small. Calculated output {padded}")
    if min(found) < 0:
        raise negative_dim(min(found), (*x.shape[: x.ndim - dims], *found[::-1]))


def check_shuffle(call: Any) -> None:
    x, r = call.input, call.upscale_factor
    if x.ndim < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {x.ndim} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    if x.shape[-3] % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
            f"upscale_factor, but input.size(-3)={x.shape[-3]} is not divisible by {r * r}"
        )


def check_unshuffle(call: Any) -> None:
    x, r = call.input, call.downscale_factor
    if x.ndim < 3:
        raise RuntimeError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {x.ndim} dimension(s)"
        )
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    for name, dim in (("height", -2), ("width", -1)):
        if x.shape[dim] % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                f"input.size({dim})={x.shape[dim]} is not divisible by {r}"
            )


def check_channel_shuffle(call: Any) -> None:
    x, groups = call.input, call.groups
    if x.ndim <= 2:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(x.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if x.shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {x.shape[1]} channels and {groups} groups."
        )


def check_unfold(x: Any, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints, counts: Any) -> None:
    """Check the arguments of `unfold` for images."""
    if x.ndim < 3:
        raise dim_out_of_range(2, x.ndim)
    _check_windows(kernel, dilation, padding, stride)
    if x.ndim > 4 or not all(x.shape[-3:]):
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions "
            f"for input, but got: {list(x.shape)}"
        )
    if min(counts()) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(x.shape[-2:])}, kernel_size={kernel}, dilation={dilation}, "
            f"padding={padding}, calculated shape of the array of sliding blocks as {counts()}, but its "
            "components must be at least one."
        )


def _check_windows(kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> None:
    for called, short, sizes in (
        ("kernel size", "kernel", kernel),
        ("stride", "stride", stride),
        ("dilation", "dilation", dilation),
    ):
        if min(sizes) <= 0:
            raise RuntimeError(
                f"{called} should be greater than zero, but got {short}_height: {sizes[0]} {short}_width: {sizes[1]}"
            )
    if min(padding) < 0:
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {padding[0]} pad_width: {padding[1]}")


def check_fold(x: Any, size: Ints, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints, counts: Any) -> None:
    """Check the arguments of `fold`."""
    _check_windows(kernel, dilation, padding, stride)
    counts = counts()
    if x.ndim not in (2, 3):
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
            f"dimensions for input, but got: {list(x.shape)}"
        )
    if x.shape[-2] % (kernel[0] * kernel[1]):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={x.shape[-2]} and kernel_size={kernel}."
        )
    if x.shape[-1] != counts[0] * counts[1]:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, stride="
            f"{stride}, expected size of input's dimension 2 to match the calculated number of sliding "
            f"blocks {counts[0]} * {counts[1]} = {counts[0] * counts[1]}, but got input.size(2)={x.shape[-1]}."
        )


def align_corners_mode() -> ValueError:
    return ValueError(
        "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
    )


def check_resize(call: Any) -> None:
    before, after = call.input.shape[2:], call.size
    if 0 in before or min(after) < 1:
        names = "DHW"[3 - len(after) :]
        named = lambda sizes: ", ".join(f"{d}: {n}" for d, n in zip(names, sizes))
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({named(before)}) output ({named(after)})"
        )


def check_grid(x: Any, grid: Any, dims: int | None = None) -> None:
    """Check the shapes of the grid and the input of `grid_sample`."""
    if not (x.ndim and grid.ndim):
        raise dim_of_scalar(0)
    if x.shape[0] != grid.shape[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{list(x.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid.shape[-1] != x.ndim - 2:
        raise grid_size(x.ndim - 2, grid.shape)
    for dim, size in enumerate(x.shape[2:], 2):
        if not size:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
                f"sizes {list(x.shape)} with dimension {dim} being empty"
            )
    due = x.ndim if dims is None else dims + 2
    if not x.ndim == grid.ndim == due or due not in (4, 5):
        raise RuntimeError(
            f"grid_sampler(): expected {due}D input and grid with same number of dimensions, but got "
            f"input with sizes {list(x.shape)} and grid with sizes {list(grid.shape)}"
        )


def grid_size(dims: int, shape: Ints) -> RuntimeError:
    return RuntimeError(
        f"grid_sampler(): expected grid to have size {dims} in last dimension, but got grid with sizes {list(shape)}"
    )


def unknown_number(function: str, argument: str, got: int) -> ValueError:
    return ValueError(f"{function}(): {argument} must be 0, 1 or 2, but got {got}")


def check_antialiased(x: Any, size: Any, align_corners: Any, factors: Any) -> None:
    """Check the arguments of PyTorch's operator for antialiased resizing of two dims."""
    for given in (size, factors):
        if given is not None and not all(hasattr(n, "__float__") for n in given):
            raise TypeError(f"_upsample_bilinear2d_aa(): expected numbers, but got {given}")
        if given is not None and len(given) != 2:
            raise RuntimeError(f"It is expected output_size equals to 2, but got size {len(given)}")
    if x.ndim != 4:
        raise RuntimeError(f"It is expected input_size equals to 4, but got size {x.ndim}")
    if 0 in x.shape[1:]:
        raise RuntimeError(f"Non-empty 4D data tensor expected but got a tensor with sizes {list(x.shape)}")
    if x.dtype.is_floating_point and x.dtype.itemsize < 4:
        raise not_implemented("compute_index_ranges_weights", x.dtype)


def size_types(given: Any) -> TypeError:
    return TypeError(
        "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got "
        f"size with types {[type(n) for n in given]}"
    )


def check_affine(theta: Any, size: Any) -> None:
    """Check the arguments of `affine_grid`."""
    if not theta.dtype.is_floating_point:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    dims = len(size) - 2
    if dims not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
            f"Got size {size}."
        )
    if theta.ndim != 3 or tuple(theta.shape[1:]) != (dims, dims + 1):
        raise ValueError(
            f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. "
            f"Got {theta.shape}."
        )


def unit_grid() -> str:
    return (
        "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is "
        "not an intended use case of affine_grid. See the documentation of affine_grid for details."
    )
