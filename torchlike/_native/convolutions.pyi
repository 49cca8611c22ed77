"""Kernels of `convolutions.c` for C-contiguous float32 arrays. Other arrays raise `ValueError`."""

from numpy import ndarray

def convolve(x: ndarray, w: ndarray, out: ndarray, sizes: tuple[int, ...], /) -> None:
    """Write the depthwise convolution of `x` (images, height, width, channels) with `w` (k1, k2, channels) to `out`.

    There is no padding. `sizes` holds images, the height and width of `x`, those of `out`, channels, k1 and k2, both
    strides, and both dilations.
    """

def gather(x: ndarray, out: ndarray, sizes: tuple[int, ...], /) -> None:
    """Write each window of a convolution over `x` (images, height, width, channels) to a row of `out` (im2col).

    The rows have k1 * k2 * channels elements. `sizes` is as for `convolve`, followed by the number of zeros before the
    first row and before the first column of `x`. Elements beyond the other ends are zeros too.
    """
