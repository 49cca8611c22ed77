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
    """Return the Airy function Ai(x), element by element."""
    ...

def bessel_j0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the Bessel function of the first kind of order 0, element by element."""
    ...

def bessel_j1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the Bessel function of the first kind of order 1, element by element."""
    ...

def bessel_y0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the Bessel function of the second kind of order 0, element by element."""
    ...

def bessel_y1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the Bessel function of the second kind of order 1, element by element."""
    ...

def chebyshev_polynomial_t(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Chebyshev polynomial of the first kind of degree n at x, cos(n * acos(x)) for x in [-1, 1]."""
    ...

def chebyshev_polynomial_u(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Chebyshev polynomial of the second kind of degree n at x."""
    ...

def chebyshev_polynomial_v(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Chebyshev polynomial of the third kind of degree n at x."""
    ...

def chebyshev_polynomial_w(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Chebyshev polynomial of the fourth kind of degree n at x."""
    ...

def digamma(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the digamma function, the derivative of the logarithm of the gamma function."""
    ...

def entr(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the entropy term -x * log(x), which is 0 at 0 and -inf below 0."""
    ...

def erf(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    ...

def erfc(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the complementary error function, 1 - erf(x)."""
    ...

def erfcx(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the scaled complementary error function, erfc(x) * exp(x**2)."""
    ...

def erfinv(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the inverse error function: inf at 1, -inf at -1, NaN outside [-1, 1]."""
    ...

def exp2(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return 2 raised to the power of each element."""
    ...

def expit(input: _Tensor, *, out: _Tensor | None = ...) -> _Any:
    """Return 1 / (1 + exp(-x)) for each element x."""
    ...

def expm1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return exp(x) - 1 for each element x, accurate near 0."""
    ...

def gammainc(input: _Tensor, other: _Tensor, *, out: _Tensor | None = ...) -> _Any:
    """Return the regularized lower incomplete gamma function P(input, other) for shape parameter `input`."""
    ...

def gammaincc(input: _Tensor, other: _Tensor, *, out: _Tensor | None = ...) -> _Any:
    """Return the regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other)."""
    ...

def gammaln(input: _Tensor, *, out: _Tensor | None = ...) -> _Any:
    """Return the natural logarithm of the absolute value of the gamma function."""
    ...

def hermite_polynomial_h(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the physicist's Hermite polynomial of degree n at x."""
    ...

def hermite_polynomial_he(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the probabilist's Hermite polynomial of degree n at x."""
    ...

def i0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the modified Bessel function of the first kind of order 0, element by element."""
    ...

def i0e(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the exponentially scaled modified Bessel function of order 0, i0(x) * exp(-|x|)."""
    ...

def i1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the modified Bessel function of the first kind of order 1, element by element."""
    ...

def i1e(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the exponentially scaled modified Bessel function of order 1, i1(x) * exp(-|x|)."""
    ...

def laguerre_polynomial_l(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Laguerre polynomial of degree n at x."""
    ...

def legendre_polynomial_p(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Legendre polynomial of degree n at x."""
    ...

def log1p(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return log(1 + x) for each element x, accurate near 0."""
    ...

def log_ndtr(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the logarithm of the standard normal distribution function. It is accurate even for very negative x."""
    ...

def log_softmax(input: _Tensor, dim: _int, dtype: _dtype | None = ..., *, out: _Any = ...) -> _Tensor:
    """Compute the logarithm of softmax over a dim. If `dtype` is given, `input` is cast to it first."""
    ...

def logit(input: _Tensor, eps: _float | None = ..., *, out: _Any = ...) -> _Tensor:
    """Return the logit, log(x / (1 - x))."""
    ...

def logsumexp(input: _Tensor, dim: _tuple | _int, keepdim: _bool = ..., *, out: _Any = ...) -> _Tensor:
    """Return log(sum(exp(input))) over `dim`, without overflow."""
    ...

def modified_bessel_i0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the modified Bessel function of the first kind of order 0, element by element."""
    ...

def modified_bessel_i1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the modified Bessel function of the first kind of order 1, element by element."""
    ...

def modified_bessel_k0(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the modified Bessel function of the second kind of order 0, element by element."""
    ...

def modified_bessel_k1(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the modified Bessel function of the second kind of order 1, element by element."""
    ...

def multigammaln(input: _Tensor, p: _int, *, out: _Tensor | None = ...) -> _Any:
    """Return the logarithm of the multivariate gamma function of dimension p."""
    ...

def ndtr(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the distribution function of the standard normal distribution at x."""
    ...

def ndtri(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the quantile function of the standard normal distribution, the inverse of `ndtr`."""
    ...

def polygamma(n: _int, input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the n-th derivative of the digamma function, for n >= 0."""
    ...

def psi(input: _Tensor, *, out: _Tensor | None = ...) -> _Any:
    """Return the digamma function, the derivative of the logarithm of the gamma function."""
    ...

def round(input: _Tensor, *, decimals: _int = ..., out: _Any = ...) -> _Tensor:
    """Return each element rounded to the nearest number with `decimals` decimal places."""
    ...

def scaled_modified_bessel_k0(x: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return modified_bessel_k0(x) * exp(x), which does not underflow for large x."""
    ...

def scaled_modified_bessel_k1(x: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return modified_bessel_k1(x) * exp(x), which does not underflow for large x."""
    ...

def shifted_chebyshev_polynomial_t(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Chebyshev polynomial of the first kind of degree n at 2x - 1."""
    ...

def shifted_chebyshev_polynomial_u(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Chebyshev polynomial of the second kind of degree n at 2x - 1."""
    ...

def shifted_chebyshev_polynomial_v(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Chebyshev polynomial of the third kind of degree n at 2x - 1."""
    ...

def shifted_chebyshev_polynomial_w(x: _Tensor | _Number, n: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Chebyshev polynomial of the fourth kind of degree n at 2x - 1."""
    ...

def sinc(input: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return sin(pi * x) / (pi * x) for each element x, and 1 at x = 0."""
    ...

def softmax(input: _Tensor, dim: _int, dtype: _dtype | None = ..., *, out: _Any = ...) -> _Tensor:
    """Compute exp(x) divided by its sum over a dim. If `dtype` is given, `input` is cast to it first."""
    ...

def spherical_bessel_j0(x: _Tensor, *, out: _Any = ...) -> _Tensor:
    """Return the spherical Bessel function of the first kind of order 0, which is sin(x) / x, and 1 at 0."""
    ...

def xlog1py(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input * log1p(other), or 0 where `input` is 0 and `other` is not NaN."""
    ...

def xlogy(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return input * log(other), or 0 where `input` is 0 and `other` is not NaN."""
    ...

def zeta(input: _Tensor | _Number, other: _Tensor | _Number, *, out: _Any = ...) -> _Tensor:
    """Return the Hurwitz zeta function, the sum over k >= 0 of (other + k) ** -input."""
    ...
