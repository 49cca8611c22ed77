"""Normal numbers from words of random bits, in blocks of 16. Other buffers raise `ValueError`."""

from numpy import ndarray

def fill(words: ndarray, out: ndarray, mean: float, std: float, /) -> None:
    """Fill `out`, a float32 or float64 array of 16 n elements, with normal numbers.

    `words` has as many elements as `out`, of the same size: uint32 for float32 and uint64 for float64. Both arrays are
    C-contiguous.
    """
