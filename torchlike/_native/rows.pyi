"""What `rows.c` makes. Arrays are C-contiguous float32; `ValueError` says what is wrong with them. `out` may be `x`."""

from numpy import ndarray

def add(x: ndarray, row: ndarray, /) -> None:
    """x += row, of rows as long as that one."""

def gelu(x: ndarray, out: ndarray, /) -> None:
    """x times the normal distribution at x."""

def softmax(x: ndarray, out: ndarray, columns: int, causal_rows: int, none_is_zero: bool, /) -> None:
    """Over rows of `columns` numbers. With `causal_rows` (0: none) they come in matrices of so many rows, of which row
    i has columns 0 to i; the others become 0 and are not looked at. A row of -inf alone is NaN, or zero."""

def standardize(
    x: ndarray,
    out: ndarray,
    mean: ndarray,
    squares: ndarray,
    columns: int,
    eps: float,
    weight: ndarray | None,
    bias: ndarray | None,
    /,
) -> None:
    """out = (x - mean) / sqrt(squares / columns + eps) * weight + bias, of rows of `columns` numbers, with the mean
    and the sum of (x - mean)**2 of each."""
