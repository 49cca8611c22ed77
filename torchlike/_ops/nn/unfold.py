"""Rearrangements: channels to pixels (pixel shuffle), windows to columns (unfold), and their inverses."""

from __future__ import annotations

import math

import jax

from torchlike import _errors
from torchlike._ops.nn.windows import expand, windows
from torchlike._ops.schema.checks import BOOL, INEXACT
from torchlike._ops.schema.declare import Array, namespace, operator
from torchlike._ops.schema.typing_rules import Call

Ints = tuple[int, ...]


def _shuffled(call: Call) -> list:
    *lead, c, h, w = call.input.shape
    r = call.upscale_factor
    return [(*lead, c // (r * r), h * r, w * r)]


@operator(
    formats=1,
    where=("torch", "nn.functional"),
    shape=_shuffled,
    check=lambda call: _errors.images.check_shuffle(call),
    saves=(),
    out=False,
    opmath=False,
    loop="pixel_shuffle",
)
def pixel_shuffle(input: Array, upscale_factor: int):
    """Rearrange channels into blocks of pixels: (..., C r r, H, W) -> (..., C, H r, W r).

    Each r x r block of pixels of the result comes from r r channels of one input pixel. r is `upscale_factor`.

    Args:
      input: (..., C r r, H, W).
      upscale_factor: r.

    Raises:
      RuntimeError: the number of channels is not divisible by r r, or `input` has fewer than three dims.

    >>> import torchlike as torch
    >>> torch.nn.functional.pixel_shuffle(torch.arange(4.0).reshape(4, 1, 1), 2).tolist()
    [[[0.0, 1.0], [2.0, 3.0]]]
    """
    xp, r = namespace(input), upscale_factor
    *lead, c, h, w = input.shape
    x = xp.moveaxis(input.reshape((math.prod(lead), c // (r * r), r, r, h, w)), (2, 3), (3, 5))
    return x.reshape((*lead, c // (r * r), h * r, w * r))


def _unshuffled(call: Call) -> list:
    *lead, c, h, w = call.input.shape
    r = call.downscale_factor
    if 0 in call.input.shape:  # PyTorch returns a copy
        return [call.input.shape]
    return [(*lead, c * r * r, h // r, w // r)]


@operator(
    where=("torch", "nn.functional"),
    shape=_unshuffled,
    check=lambda call: _errors.images.check_unshuffle(call),
    saves=(),
    out=False,
    opmath=False,
    loop="pixel_unshuffle",
)
def pixel_unshuffle(input: Array, downscale_factor: int):
    """Rearrange blocks of pixels into channels: (..., C, H r, W r) -> (..., C r r, H, W).

    This is the inverse of `pixel_shuffle`. r is `downscale_factor`.

    Args:
      input: (..., C, H r, W r).
      downscale_factor: r.

    Raises:
      RuntimeError: the height or width is not divisible by r, or `input` has fewer than three dims.

    >>> import torchlike as torch
    >>> torch.nn.functional.pixel_unshuffle(torch.ones(1, 4, 6), 2).shape
    torch.Size([4, 2, 3])
    """
    xp, r = namespace(input), downscale_factor
    if not input.size:
        return input
    *lead, c, h, w = input.shape
    x = xp.moveaxis(input.reshape((-1, c, h // r, r, w // r, r)), (3, 5), (2, 3))
    return x.reshape((*lead, c * r * r, h // r, w // r))


@operator(
    formats=1,
    where=("torch", "nn.functional"),
    shape=lambda call: [call.input.shape],
    saves=(),
    out=False,
    opmath=False,
    check=lambda call: _errors.images.check_channel_shuffle(call),
    loop="channel_shuffle",
)
def channel_shuffle(input: Array, groups: int):
    """Interleave the groups of channels of (N, C, ...).

    The result has the first channel of each group, then the second channel of each group, and so on.

    Args:
      input: (N, C, ...).
      groups: the number of groups, which divides C.

    Raises:
      RuntimeError: C is not divisible by `groups`, or `input` has fewer than three dims.

    >>> import torchlike as torch
    >>> torch.nn.functional.channel_shuffle(torch.arange(4.0).reshape(1, 4, 1), 2).flatten().tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    n, c, *rest = input.shape
    return namespace(input).swapaxes(input.reshape((n, groups, c // groups, *rest)), 1, 2).reshape(input.shape)


# -- windows -----------------------------------------------------------------------------------------------------------


def block_counts(size: Ints, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> Ints:
    """Return the number of windows along each of the two dims."""
    each = zip(size, kernel, dilation, padding, stride)
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in each)


def _pairs_of(call: Call) -> list[Ints]:
    names = ("kernel_size", "dilation", "padding", "stride")
    for name in names:
        given = getattr(call, name)
        if isinstance(given, tuple) and len(given) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(given)}")
    return [expand(getattr(call, n), 2) for n in names]


def _unfold_shape(call: Call) -> list:
    options = _pairs_of(call)
    *lead, c, h, w = call.input.shape
    return [(*lead, c * math.prod(options[0]), math.prod(block_counts((h, w), *options)))]


def _unfolded(x, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints):
    """Return each window as a column: (N, C, H, W) -> (N, C k k, blocks)."""
    xp = namespace(x)
    x = xp.pad(x, ((0, 0), (0, 0), *[(p, p) for p in padding]))
    parts = windows(xp.moveaxis(x, 1, -1), kernel, stride, dilation)
    columns = xp.moveaxis(xp.stack(parts, -1), (-2, -1), (1, 2))  # (N, C, k k, h, w)
    return columns.reshape(x.shape[0], x.shape[1] * len(parts), math.prod(columns.shape[3:]))


def _check_unfold(call: Call) -> None:
    counts = lambda: block_counts(tuple(call.input.shape[-2:]), *_pairs_of(call))
    _errors.images.check_unfold(call.input, *_pairs_of(call), counts=counts)


@operator(
    where=(),
    shape=_unfold_shape,
    check=_check_unfold,
    saves=(),
    out=False,
    opmath=False,
    name="_unfold_windows",
    in_errors="im2col",
    loop="im2col_out_cpu",
    takes=(BOOL, *INEXACT),
    node="Im2ColBackward0",
)
def _unfold_windows(
    input: Array, kernel_size: tuple | int, dilation: tuple | int = 1, padding: tuple | int = 0, stride: tuple | int = 1
):
    """Return each window of (N, C, H, W) as a column: (N, C k k, blocks)."""
    options = [expand(v, 2) for v in (kernel_size, dilation, padding, stride)]
    x = input if input.ndim == 4 else input[None]
    out = _unfolded(x, *options)
    return out if input.ndim == 4 else out[0]


def _fold_shape(call: Call) -> list:
    channels = call.input.shape[-2] // math.prod(expand(call.kernel_size, 2))
    return [(*call.input.shape[:-2], channels, *expand(call.output_size, 2))]


def _check_fold(call: Call) -> None:
    _errors.images.check_fold(
        call.input,
        expand(call.output_size, 2),
        *_pairs_of(call),
        counts=lambda: block_counts(expand(call.output_size, 2), *_pairs_of(call)),
    )


@operator(
    numpy=False,
    where=(),
    shape=_fold_shape,
    check=_check_fold,
    saves=(),
    out=False,
    opmath=False,
    name="_fold",
    in_errors="col2im",
    node="Col2ImBackward0",
    loop="col2im_out_cpu",
    takes=INEXACT,
)
def _fold(
    input: Array,
    output_size: tuple | int,
    kernel_size: tuple | int,
    dilation: tuple | int = 1,
    padding: tuple | int = 0,
    stride: tuple | int = 1,
):
    """Add each column to an image at the position of its window. This is the transpose of unfolding.

    Args:
      input: (N, C k k, blocks) or (C k k, blocks).

    Returns:
      (N, C, H, W) or (C, H, W), where (H, W) is `output_size`.
    """
    options = [expand(v, 2) for v in (kernel_size, dilation, padding, stride)]
    columns = input if input.ndim == 3 else input[None]
    channels = columns.shape[1] // math.prod(options[0])
    image = jax.ShapeDtypeStruct((columns.shape[0], channels, *expand(output_size, 2)), columns.dtype)
    (out,) = jax.linear_transpose(lambda x: _unfolded(x, *options), image)(columns)
    return out if input.ndim == 3 else out[0]
