"""Padding, unfolding, folding and pixel shuffles as functions."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike._dtypes import check_number
from torchlike._ops.schema.binding import is_whole
from torchlike._tensor.argument_forms import settled
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.binding import function
from torchlike._tensor.tensor import Tensor
from torchlike._tensor.tracebacks import shortened

pixel_shuffle, pixel_unshuffle = function("pixel_shuffle"), function("pixel_unshuffle")
channel_shuffle = native_channel_shuffle = function("channel_shuffle")


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Pad the last dims of a tensor; negative padding crops.

    Args:
      input: any shape.
      pad: (before, after) of the last dim, then of the dim before it, and so on.
      mode: "constant", "reflect", "replicate" or "circular".
      value: the padding of the mode "constant", 0 by default.

    Raises:
      NotImplementedError: `mode` has another value.
      RuntimeError: the padding has an odd length, more entries than `input` has sides, or is too large for "reflect" or
        "circular".

    >>> import torchlike as torch
    >>> torch.nn.functional.pad(torch.ones(2), (1, 1)).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    try:
        sizes = settled(pad)
        if not isinstance(sizes, tuple):
            raise _errors.arguments.wrong_type("pad", "pad", 2, "tuple of ints", pad)
        for place, n in enumerate(sizes):
            if not is_whole(n):
                raise _errors.arguments.wrong_element("pad", "pad", 2, place, n)
        if mode == "constant":
            check_number(0.0 if value is None else float(value), input.dtype)
            return rows["_constant_pad"](input, sizes, 0 if value is None else value)
        if len(sizes) % 2:
            raise _errors.images.odd_padding()
        if len(sizes) > 2 * input.ndim:
            raise _errors.images.long_padding(len(sizes), input.ndim)
        if value not in (None, 0):
            raise _errors.images.padding_value(mode)
        if mode not in ("reflect", "replicate", "circular"):
            raise NotImplementedError(f"Unrecognised padding mode {mode}")
        return rows["_mirror_pad"](input, sizes, mode)
    except Exception as error:
        raise shortened(error)


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Return each window of (N, C, H, W) as a column.

    The window at (i, j) begins at (i * stride - padding, j * stride - padding) and holds C k1 k2 elements, channel by
    channel.

    Args:
      input: (N, C, H, W) or (C, H, W).
      kernel_size: (k1, k2), the size of a window; one number stands for both.
      dilation: the distance of the elements of a window.
      padding: the number of zeros around each side.
      stride: the distance of the windows.

    Returns:
      (N, C k1 k2, L) or (C k1 k2, L), for L windows.

    >>> import torchlike as torch
    >>> torch.nn.functional.unfold(torch.ones(1, 3, 4, 4), kernel_size=2).shape
    torch.Size([1, 12, 9])
    """
    return rows["_unfold_windows"](input, settled(kernel_size), settled(dilation), settled(padding), settled(stride))


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Sum columns into (N, C, *output_size) at the positions of their windows. This is the transpose of `unfold`.

    Args:
      input: (N, C k1 k2, L) or (C k1 k2, L), the columns of L windows.
      output_size: (H, W), the size of the result; one number stands for both.
      kernel_size: (k1, k2), the size of a window.
      dilation: the distance of the elements of a window.
      padding: the number of elements on each side of the result that are cut off.
      stride: the distance of the windows.

    Returns:
      (N, C, H, W) or (C, H, W). Elements in several windows are sums.

    Raises:
      RuntimeError: the number of rows or of windows does not fit `kernel_size` and `output_size`.

    >>> import torchlike as torch
    >>> torch.nn.functional.fold(torch.ones(1, 2, 2), (1, 3), (1, 2)).tolist()
    [[[[1.0, 2.0, 1.0]]]]
    """
    return rows["_fold"](
        input, settled(output_size), settled(kernel_size), settled(dilation), settled(padding), settled(stride)
    )
