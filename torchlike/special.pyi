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

def airy_ai(x: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The Airy function Ai."""
    ...

def bessel_j0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The Bessel function of the first kind of order 0."""
    ...

def bessel_j1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The Bessel function of the first kind of order 1."""
    ...

def bessel_y0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The Bessel function of the second kind of order 0."""
    ...

def bessel_y1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The Bessel function of the second kind of order 1."""
    ...

def chebyshev_polynomial_t(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Chebyshev's polynomials of the first kind: cos(n * acos(x)) within [-1, 1]."""
    ...

def chebyshev_polynomial_u(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Chebyshev's polynomials of the second kind."""
    ...

def chebyshev_polynomial_v(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Chebyshev's polynomials of the third kind."""
    ...

def chebyshev_polynomial_w(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Chebyshev's polynomials of the fourth kind."""
    ...

def digamma(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The derivative of the logarithm of the gamma function; -inf at 0, inf at -0, NaN at negative whole numbers."""
    ...

def entr(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """-x * log(x); 0 at 0, -inf below."""
    ...

def erf(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The error function, 2/sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    ...

def erfc(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """1 - erf(x)."""
    ...

def erfcx(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """erfc(x) * exp(x**2), exact where erfc is next to 0."""
    ...

def erfinv(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The inverse of erf; inf at 1, -inf at -1, NaN outside."""
    ...

def exp2(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """2 to the power of each element."""
    ...

def expit(input: _Tensor) -> _Any:
    """1 / (1 + exp(-x))."""
    ...

def expm1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """exp(x) - 1, exact near 0."""
    ...

def gammainc(input: _Tensor, other: _Tensor) -> _Any:
    """The regularized lower incomplete gamma function of shape `input`, up to `other`."""
    ...

def gammaincc(input: _Tensor, other: _Tensor) -> _Any:
    """The regularized upper incomplete gamma function: 1 - igamma."""
    ...

def gammaln(input: _Tensor) -> _Any:
    """The logarithm of the absolute value of the gamma function."""
    ...

def hermite_polynomial_h(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """The physicists' Hermite polynomials."""
    ...

def hermite_polynomial_he(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """The probabilists' Hermite polynomials."""
    ...

def i0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The modified Bessel function of the first kind of order 0."""
    ...

def i0e(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """i0(x) * exp(-|x|)."""
    ...

def i1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The modified Bessel function of the first kind of order 1."""
    ...

def i1e(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """i1(x) * exp(-|x|)."""
    ...

def laguerre_polynomial_l(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Laguerre's polynomials."""
    ...

def legendre_polynomial_p(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Legendre's polynomials."""
    ...

def log1p(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """log(1 + x), exact near 0."""
    ...

def log_ndtr(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """log(ndtr(x)), exact far below 0."""
    ...

def log_softmax(input: _Tensor, dim: _int, dtype: _Any = ...) -> _Tensor:
    """The logarithm of softmax over a dim; computed in `dtype` where given."""
    ...

def logit(input: _Tensor, eps: _float | None = ..., *, out: _Any = ...) -> _Tensor:
    """log(x / (1 - x)); with `eps`, of x kept within [eps, 1 - eps]."""
    ...

def logsumexp(input: _Tensor, dim: _tuple | _int, keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """log(sum(exp(input))) over `dim`, without overflow."""
    ...

def modified_bessel_i0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The modified Bessel function of the first kind of order 0."""
    ...

def modified_bessel_i1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The modified Bessel function of the first kind of order 1."""
    ...

def modified_bessel_k0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The modified Bessel function of the second kind of order 0."""
    ...

def modified_bessel_k1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The modified Bessel function of the second kind of order 1."""
    ...

def multigammaln(input: _Tensor, p: _int) -> _Any:
    """The logarithm of the multivariate gamma function of dimension p."""
    ...

def ndtr(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The area under the standard normal density below x; far below 0 without digits, see `log_ndtr`."""
    ...

def ndtri(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The inverse of ndtr."""
    ...

def polygamma(n: _int, input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The n-th derivative of digamma."""
    ...

def psi(input: _Tensor) -> _Any:
    """The derivative of the logarithm of the gamma function; -inf at 0, inf at -0, NaN at negative whole numbers."""
    ...

def round(input: _Tensor, *, decimals: _int = ..., out: _Any = ...) -> _Tensor:
    """The nearest whole number (halves go to the even one), or the nearest with so many `decimals`."""
    ...

def scaled_modified_bessel_k0(x: _Tensor, *, out: _Any = ...) -> _Tensor:
    """modified_bessel_k0(x) * exp(x)."""
    ...

def scaled_modified_bessel_k1(x: _Tensor, *, out: _Any = ...) -> _Tensor:
    """modified_bessel_k1(x) * exp(x)."""
    ...

def shifted_chebyshev_polynomial_t(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """`chebyshev_polynomial_t` of 2x - 1."""
    ...

def shifted_chebyshev_polynomial_u(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """`chebyshev_polynomial_u` of 2x - 1."""
    ...

def shifted_chebyshev_polynomial_v(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """`chebyshev_polynomial_v` of 2x - 1."""
    ...

def shifted_chebyshev_polynomial_w(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """`chebyshev_polynomial_w` of 2x - 1."""
    ...

def sinc(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    ...

def softmax(input: _Tensor, dim: _int, dtype: _Any = ...) -> _Tensor:
    """exp(x) divided by its sum over a dim; computed in `dtype` where given."""
    ...

def spherical_bessel_j0(x: _Tensor, *, out: _Any = ...) -> _Tensor:
    """The spherical Bessel function of the first kind of order 0: sin(x) / x, and 1 at 0."""
    ...

def xlog1py(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input * log1p(other); 0 where `input` is 0 and `other` is not NaN."""
    ...

def xlogy(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """input * log(other); 0 where `input` is 0 and `other` is not NaN."""
    ...

def zeta(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Hurwitz's zeta function: the sum over k >= 0 of (other + k) ** -input."""
    ...
