"""Copies of small data into C-contiguous arrays. Objects of a wrong kind raise `ValueError` or `BufferError`."""

from collections.abc import Sequence

from numpy import ndarray

def fill(out: ndarray, numbers: Sequence, /) -> bool:
    """Write a list or tuple of numbers to a float32, float64, int64 or bool array of as many elements, and return True.

    Return False if a number is not of the array's class (floats and ints, ints, or bools; no subclasses) or is out of
    range. `out` has arbitrary contents then.
    """

def stack(out: ndarray, arrays: list[ndarray], /) -> None:
    """Copy C-contiguous arrays into the rows of `out`, which has their total size in bytes."""
