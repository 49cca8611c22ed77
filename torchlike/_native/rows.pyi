"""Kernels of `rows.c` for C-contiguous float32 arrays. Other arrays raise `ValueError`. `out` may be `x` itself."""

from numpy import ndarray

def add(x: ndarray, row: ndarray, /) -> None:
    """Add `row` to each row of `x` in place."""

def select(which: ndarray, yes: ndarray, no: ndarray, out: ndarray, /) -> None:
    """Write the element of `yes` where `which` (bool) is True, and that of `no` elsewhere, to `out`.

    The elements have 2, 4 or 8 bytes, of any dtype with a buffer. `yes` and `no` are as large as `out` or have one
    element. `out` must not overlap with them.
    """

def gelu(x: ndarray, out: ndarray, /) -> None:
    """Write GELU(x), x times the normal distribution function at x, to `out`."""

def hardswish(x: ndarray, out: ndarray, /) -> None:
    """Write x * min(max(x + 3, 0), 6) / 6 to `out`."""

def scale(x: ndarray, factors: ndarray, terms: ndarray, out: ndarray, /) -> None:
    """Write x * factors + terms to `out`, for each row of as many numbers as `factors` and `terms` have."""

def silu(x: ndarray, out: ndarray, /) -> None:
    """Write x * sigmoid(x) to `out`."""

def softmax(x: ndarray, out: ndarray, columns: int, causal_rows: int, none_is_zero: bool, /) -> None:
    """Write the softmax of each row of `columns` numbers to `out`.

    If `causal_rows` is not 0, the rows form matrices of `causal_rows` rows each, with a causal mask: row i uses columns
    0 to i, and the other columns become 0 without being read. A row in which all values are -inf becomes NaN, or zero
    with `none_is_zero`.
    """

def sum(x: ndarray, out: ndarray, rows: int, columns: int, /) -> None:
    """Write the sum over the rows of each matrix of (rows, columns) numbers to `out`, in the order of PyTorch."""

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
    """Write (x - mean) / sqrt(squares / columns + eps) * weight + bias to `out`, for each row of `columns` numbers.

    Also write the mean of each row to `mean`, and its sum of (x - mean)**2 to `squares`.
    """
