# Made by `python -m tools.make_stubs`; tests/house/test_stubs.py keeps it fresh.
import builtins as _builtins
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any as _Any

from torchlike._dtypes import dtype as _dtype
from torchlike._tensor.tensor import Tensor as _Tensor

_bool = _builtins.bool
_int = _builtins.int
_float = _builtins.float
_complex = _builtins.complex
_str = _builtins.str
_tuple = _builtins.tuple
_list = _builtins.list
_dict = _builtins.dict
_object = _builtins.object
_Number = _bool | _int | _float | _complex
Any: _Any
from torchlike import Tensor as Tensor

def fft(input: _Tensor, n: _int | None = ..., dim: _int = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the discrete Fourier transform along one dim."""
    ...

def fft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the discrete Fourier transform along two dims, by default the last two; see `fftn`."""
    ...

def fftfreq(
    n: _int, d: _float = ..., *, out: _Any = ..., dtype: _Any = ..., device: _Any = ..., requires_grad: _bool = ...
) -> _Tensor:
    """Return the sample frequencies of an `fft` of `n` points with spacing `d`."""
    ...

def fftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the discrete Fourier transform along several dims."""
    ...

def fftshift(input: _Tensor, dim: _Any = ...) -> _Tensor:
    """Shift the elements so that frequency zero lies in the middle."""
    ...

def hfft(input: _Tensor, n: _int | None = ..., dim: _int = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the real discrete Fourier transform of a Hermitian signal, given its first half."""
    ...

def hfft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the real transform of a Hermitian signal along two dims, by default the last two; see `hfftn`."""
    ...

def hfftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the real discrete Fourier transform of a Hermitian signal along several dims."""
    ...

def ifft(input: _Tensor, n: _Any = ..., dim: _int = ..., norm: _Any = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse of `fft`. With the default `norm` it is divided by n."""
    ...

def ifft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse discrete Fourier transform along two dims, by default the last two; see `ifftn`."""
    ...

def ifftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse discrete Fourier transform along several dims."""
    ...

def ifftshift(input: _Tensor, dim: _Any = ...) -> _Tensor:
    """Undo `fftshift`."""
    ...

def ihfft(input: _Tensor, n: _Any = ..., dim: _int = ..., norm: _Any = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse of `hfft`. Without `out`, the result is a lazily conjugated view (see `is_conj`)."""
    ...

def ihfft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse of `hfft2`; see `ihfftn`."""
    ...

def ihfftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse of `hfftn`."""
    ...

def irfft(
    input: _Tensor, n: _int | None = ..., dim: _int = ..., norm: _str | None = ..., *, out: _Any = ...
) -> _Tensor:
    """Return the inverse of `rfft`: a real signal from the first half of its transform."""
    ...

def irfft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse of `rfft2`; see `irfftn`."""
    ...

def irfftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the inverse of `rfftn`."""
    ...

def rfft(input: _Tensor, n: _int | None = ..., dim: _int = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the discrete Fourier transform of a real signal along one dim."""
    ...

def rfft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the discrete Fourier transform of a real signal along two dims, by default the last two; see `rfftn`."""
    ...

def rfftfreq(
    n: _int, d: _float = ..., *, out: _Any = ..., dtype: _Any = ..., device: _Any = ..., requires_grad: _bool = ...
) -> _Tensor:
    """Return the sample frequencies of an `rfft` of `n` points with spacing `d`."""
    ...

def rfftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the discrete Fourier transform of a real signal along several dims."""
    ...
