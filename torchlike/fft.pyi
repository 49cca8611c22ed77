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
    """X[k] = sum over j of x[j] exp(-2 pi i j k / n); the dim is cut or filled with zeros to n elements first."""
    ...

def fft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """`fft` along the last two dims."""
    ...

def fftfreq(
    n: _int, d: _float = ..., *, out: _Any = ..., dtype: _Any = ..., device: _Any = ..., requires_grad: _bool = ...
) -> _Tensor:
    """The frequency of each element of an `fft` of n points, d apart."""
    ...

def fftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """`fft` along each of several dims, all of them by default."""
    ...

def fftshift(input: _Tensor, dim: _Any = ...) -> _Tensor:
    """The elements moved so that frequency zero lies in the middle."""
    ...

def hfft(input: _Tensor, n: _int | None = ..., dim: _int = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """The `fft`, real, of a signal that is Hermitian, of which the first half is given."""
    ...

def hfft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """`hfftn` along the last two dims."""
    ...

def hfftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """`hfft` along the last of several dims and `fft` along the others."""
    ...

def ifft(input: _Tensor, n: _Any = ..., dim: _int = ..., norm: _Any = ..., *, out: _Any = ...) -> _Tensor:
    """The inverse of `fft`, divided by n. Of real numbers it is a view that conjugates (`is_conj`)."""
    ...

def ifft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """The inverse of `fft2`."""
    ...

def ifftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """The inverse of `fftn`."""
    ...

def ifftshift(input: _Tensor, dim: _Any = ...) -> _Tensor:
    """The inverse of `fftshift`."""
    ...

def ihfft(input: _Tensor, n: _Any = ..., dim: _int = ..., norm: _Any = ..., *, out: _Any = ...) -> _Tensor:
    """The inverse of `hfft`, a view that conjugates (`is_conj`)."""
    ...

def ihfft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """The inverse of `hfft2`."""
    ...

def ihfftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """The inverse of `hfftn`."""
    ...

def irfft(
    input: _Tensor, n: _int | None = ..., dim: _int = ..., norm: _str | None = ..., *, out: _Any = ...
) -> _Tensor:
    """The inverse of `rfft`: n real numbers, by default 2 (size - 1)."""
    ...

def irfft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """The inverse of `rfft2`."""
    ...

def irfftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """The inverse of `rfftn`."""
    ...

def rfft(input: _Tensor, n: _int | None = ..., dim: _int = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """The first n // 2 + 1 elements of `fft` of real numbers; the others are their conjugates."""
    ...

def rfft2(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """`rfft` along the last dim and `fft` along the one before."""
    ...

def rfftfreq(
    n: _int, d: _float = ..., *, out: _Any = ..., dtype: _Any = ..., device: _Any = ..., requires_grad: _bool = ...
) -> _Tensor:
    """The frequency of each element of an `rfft` of n points, d apart."""
    ...

def rfftn(input: _Tensor, s: _Any = ..., dim: _Any = ..., norm: _str | None = ..., *, out: _Any = ...) -> _Tensor:
    """`rfft` along the last of several dims and `fft` along the others."""
    ...
