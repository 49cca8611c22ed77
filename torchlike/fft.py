"""Discrete Fourier transforms."""

from typing import Any

import numpy as np

from torchlike import _errors
from torchlike._api import glossary as _glossary
from torchlike._api import names as _names
from torchlike._dtypes import modes
from torchlike._engine.xla import allocation as _allocation
from torchlike._tensor import binding, factories, public_calls
from torchlike._tensor.argument_forms import check_options as _check_options
from torchlike._tensor.tensor import Tensor

_ROWS = binding.names_in("fft")
globals().update(_ROWS)


def _inverse(name: str, input: Tensor, n: int | None, dim: int, norm: str | None, out: Tensor | None) -> Tensor:
    made = _ROWS[name](input, n, dim, norm, out=out)
    # For a real input, PyTorch computes the forward transform and returns a lazily conjugated view of it.
    return made if out is not None or input.is_complex() else made.conj_physical().conj()


def ifft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Return the inverse of `fft`. With the default `norm` it is divided by n.

    For a real input without `out`, the result is a lazily conjugated view (see `is_conj`).

    Args:
      n: the number of elements. The signal is cut or padded with zeros. Default: the size of `dim`.
      norm: "backward" (default: divide by n), "ortho" (divide by the square root of n) or "forward" (no factor).

    >>> torchlike.fft.ifft(torchlike.tensor([4.0 + 0j, 0j])).real
    tensor([2., 2.])
    """
    return _inverse("ifft", input, n, dim, norm, out)


def ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Return the inverse of `hfft`. Without `out`, the result is a lazily conjugated view (see `is_conj`).

    Args:
      n: the number of elements. The signal is cut or padded with zeros. Default: the size of `dim`.
      norm: "backward" (default: divide by n), "ortho" (divide by the square root of n) or "forward" (no factor).
    """
    return _inverse("ihfft", input, n, dim, norm, out)


def _frequencies(
    name: str, make: Any, n: int, d: float, dtype: Any, device: Any, requires_grad: bool, out: Tensor | None
) -> Tensor:
    _check_options(name, dtype=dtype, device=device, requires_grad=requires_grad)
    dtype = factories.dtype_of(name, dtype) or modes.default_dtype
    count = n if make is np.fft.fftfreq else n // 2 + 1
    with np.errstate(divide="ignore", invalid="ignore"):  # of no points, or without distance
        step = np.float64(d) if isinstance(d, int | float) else d
        numbers = _allocation.created(lambda: make(n, step), (count,), dtype.itemsize, modes.canonical(device))
    made = factories.of_array(numbers.astype(dtype.numpy), device, bool(requires_grad))
    return made if out is None else out.copy_(made)


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the sample frequencies of an `fft` of `n` points with spacing `d`.

    Args:
      n: the number of points.
      d: the distance between points.

    >>> torchlike.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    return _frequencies("fft_fftfreq", np.fft.fftfreq, n, d, dtype, device, requires_grad, out)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return the sample frequencies of an `rfft` of `n` points with spacing `d`.

    Args:
      n: the number of points.
      d: the distance between points.
    """
    return _frequencies("fft_rfftfreq", np.fft.rfftfreq, n, d, dtype, device, requires_grad, out)


def _dims(name: str, input: Tensor, dim: Any) -> tuple[int, ...]:
    if dim is None:
        return tuple(range(input.ndim))
    dims = public_calls.ints((dim,), name, "dim")
    if dims and not input.ndim:
        raise _errors.shapes.dim_of_scalar(dims[0])
    return tuple([input._nonnegative(d) for d in dims])


def fftshift(input: Tensor, dim: tuple[int, ...] | int | None = None) -> Tensor:
    """Shift the elements so that frequency zero lies in the middle.

    Args:
      dim: the dim or dims. Default: all dims.
    """
    dims = _dims("fft_fftshift", input, dim)
    return input.roll([input.shape[d] // 2 for d in dims], dims)


def ifftshift(input: Tensor, dim: tuple[int, ...] | int | None = None) -> Tensor:
    """Undo `fftshift`.

    Args:
      dim: the dim or dims. Default: all dims.
    """
    dims = _dims("fft_ifftshift", input, dim)
    return input.roll([(input.shape[d] + 1) // 2 for d in dims], dims)


globals().update(
    public_calls.named({f.__name__: f for f in (ifft, ihfft, fftfreq, rfftfreq, fftshift, ifftshift)}, "fft_")
)
_names.settle(__name__, vars())
_glossary.complete_all(vars().values())
