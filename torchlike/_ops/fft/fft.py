"""Discrete Fourier transforms along one dim, two dims, or several dims.

`norm` selects the transform that is divided by the number n of points: the inverse transform for "backward" (the
default), and the forward transform for "forward". With "ortho", both are divided by sqrt(n).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import modes
from torchlike._dtypes.strides import contiguous_strides, normal
from torchlike._engine import Aval
from torchlike._errors.dtypes import scalar_name
from torchlike._ops.schema import typing_rules
from torchlike._ops.schema.autocast_policies import FULL_ON_CPU, Casts
from torchlike._ops.schema.declare import Array, Into, Op, declare, namespace
from torchlike._ops.schema.out_rules import ROWS
from torchlike._ops.schema.typing_rules import Call, Typed, wrap_dim

Dims = tuple | None
Ints = tuple[int, ...]


def _float(dtype: _dtypes.dtype) -> _dtypes.dtype:
    return dtype if dtype.category >= _dtypes.FLOATING else modes.default_dtype


def _to_complex(dtype: _dtypes.dtype) -> typing_rules.Promotion:
    d = _float(dtype).to_complex()
    return d, d


def _real_to_complex(dtype: _dtypes.dtype) -> typing_rules.Promotion:
    return _float(dtype), _float(dtype).to_complex()


def _complex_to_real(dtype: _dtypes.dtype) -> typing_rules.Promotion:
    d = _float(dtype).to_complex()
    return d, d.to_real()


def _typing(call: Call, promote: Callable) -> Typed:
    typed = typing_rules.general(call, promote)
    (output,) = typed.outputs
    dims, lengths = _sizes(call)
    if dims:
        typed.strides = [normal(tuple(output.shape), _result_strides(call, dims, lengths, tuple(output.shape)))]
    return typed


def _result_strides(call: Call, dims: Ints, lengths: tuple[int | None, ...], shape: Ints) -> Ints:
    """Return the strides of PyTorch's result. They depend on the order of PyTorch's passes over the dims."""
    sizes = list(call.input.shape)
    steps = call.strides[0] or contiguous_strides(call.input.shape)
    back = call.op.gradient.node == "FftC2RBackward0"
    if back and lengths[-1] is not None:
        lengths = (*lengths[:-1], lengths[-1] // 2 + 1)
    padded = any(n is not None and n > sizes[d] for d, n in zip(dims, lengths))
    for d, n in zip(dims, lengths):
        sizes[d] = sizes[d] if n is None else n
    steps = contiguous_strides(tuple(sizes)) if padded else steps
    if call.op.name in ("ihfftn", "ihfft2"):
        return _complex_pass(_after_pass(steps, dims[-1:], shape), dims[:-1], shape)
    if call.op.gradient.node == "FftC2CBackward0":
        return _complex_pass(steps, dims, shape)
    if back:
        return _after_pass(_complex_pass(steps, dims[:-1], tuple(sizes)), dims[-1:], shape)
    return _after_pass(steps, (*_by_stride(dims[:-1], steps), dims[-1]), shape)


def _complex_pass(steps: Ints, dims: Ints, shape: Ints) -> Ints:
    return _after_pass(steps, _by_stride(dims, steps), shape) if dims else steps


def _after_pass(steps: Ints, dims: Ints, shape: Ints) -> Ints:
    """Return the strides after one pass. The transformed dims are innermost, and the others keep their order."""
    order = (*_by_stride([d for d in range(len(shape)) if d not in dims], steps), *dims)
    made = contiguous_strides(tuple(shape[d] for d in order))
    return tuple(made[order.index(d)] for d in range(len(shape)))


def _by_stride(dims: Iterable[int], steps: Ints) -> Ints:
    return tuple(sorted(dims, key=lambda d: -steps[d]))


# -- arguments ---------------------------------------------------------------------------------------------------------


def _plural(given: Any) -> tuple[int, ...] | None:
    return (given,) if isinstance(given, int) else given


def _sizes(call: Call) -> tuple[tuple[int, ...], tuple[int | None, ...]]:
    """Return the dims to transform, and the given length of each (None keeps the size of the dim)."""
    source: Aval = call.input
    if "n" in call.arguments:
        if not source.ndim:
            raise _errors.shapes.dim_of_scalar(call.dim)
        return (wrap_dim(call.dim, source.ndim),), (call.n,)
    s, dim = _plural(call.s), _plural(call.dim)
    if dim is None:
        dim = tuple(range(-len(s), 0)) if s is not None else tuple(range(source.ndim))
    if s is not None and len(s) != len(dim):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    if not dim and call.op.gradient.node != "FftC2CBackward0":
        raise RuntimeError(f"{call.op.name} must transform at least one axis")
    if dim and not source.ndim:
        raise _errors.shapes.dim_of_scalar(dim[0])
    dims = tuple(wrap_dim(d, source.ndim) for d in dim)
    if len(set(dims)) != len(dims):
        raise RuntimeError("FFT dims must be unique")
    return dims, tuple(None if n == -1 else n for n in s) if s is not None else (None,) * len(dims)


def _check(call: Call) -> None:
    if call.input.dtype.itemsize == 2 and call.input.dtype.is_floating_point:
        raise RuntimeError(f"Unsupported dtype {scalar_name(call.input.dtype)}")
    if call.norm not in (None, "backward", "ortho", "forward"):
        raise RuntimeError(f'Invalid normalization mode: "{call.norm}"')
    for d, n in zip(*_sizes(call)):
        n = call.input.shape[d] if n is None else n
        if n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")


def _check_real(call: Call) -> None:
    if call.input.dtype.is_complex:
        got = scalar_name(call.input.dtype)
        raise RuntimeError(f"{call.op.name} expects a real input tensor, but got {got}")
    _check(call)


def _check_half(call: Call) -> None:
    _check(call)
    dims, lengths = _sizes(call)
    n = lengths[-1] if lengths[-1] is not None else 2 * (call.input.shape[dims[-1]] - 1)
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


# -- results -----------------------------------------------------------------------------------------------------------


def _shape(call: Call, last: Callable[[int, int | None], int]) -> list:
    shape, (dims, lengths) = list(call.input.shape), _sizes(call)
    for d, n in zip(dims[:-1], lengths[:-1]):
        shape[d] = shape[d] if n is None else n
    if dims:
        shape[dims[-1]] = last(shape[dims[-1]], lengths[-1])
    return [tuple(shape)]


def _transform(
    promote: Callable, check: Callable, last: Callable[[int, int | None], int], node: str, autocast: Casts | None
) -> Callable:
    def decorate(kernel: Callable) -> Op:
        name = kernel.__name__.replace("2", "n")
        name = "fftn" if name == "ifftn" else name
        rule = _errors.outs.spectrum(name, node != "FftC2RBackward0")
        row = declare(
            "operator",
            functools.partial(_typing, promote=promote),
            check=check,
            saves=(),
            opmath=False,
            autocast=autocast,
            where=("fft",),
            shape=functools.partial(_shape, last=last),
            node=node,
            out=Into(first=rule, called=_OPERATORS[node], late=True, order=ROWS),
        )
        return row(kernel)

    return decorate


_OPERATORS = {"FftC2CBackward0": "_fft_c2c", "FftR2CBackward0": "_fft_r2c", "FftC2RBackward0": "_fft_c2r"}


_full_length = lambda have, n: have if n is None else n
_half_length = lambda have, n: (have if n is None else n) // 2 + 1
_doubled_length = lambda have, n: 2 * (have - 1) if n is None else n

_complex = lambda autocast=FULL_ON_CPU: _transform(_to_complex, _check, _full_length, "FftC2CBackward0", autocast)
_real: Any = lambda autocast=FULL_ON_CPU: _transform(
    _real_to_complex, _check_real, _half_length, "FftR2CBackward0", autocast
)
_inverse_real: Any = lambda autocast=FULL_ON_CPU: _transform(
    _complex_to_real, _check_half, _doubled_length, "FftC2RBackward0", autocast
)


# -- one dim -----------------------------------------------------------------------------------------------------------


@_complex()
def fft(input: Array, n: int | None = None, dim: int = -1, norm: str | None = None):
    """Return the discrete Fourier transform along one dim.

    X[k] is the sum over j of x[j] exp(-2 pi i j k / n).

    Args:
      input: real or complex numbers.
      n: the length of the transform; the dim is truncated or zero-padded to it. The default is the size of the dim.
      dim: the dim to transform.
      norm: "backward" (the default) does not scale the result, "ortho" divides it by sqrt(n), "forward" by n.

    >>> torchlike.fft.fft(torchlike.tensor([1.0, 2.0])).real
    tensor([ 3., -1.])
    """
    return namespace(input).fft.fft(input, n, dim, norm)


@_complex()
def ifft(input: Array, n: int | None = None, dim: int = -1, norm: str | None = None):
    """Return the inverse discrete Fourier transform along one dim.

    x[j] is 1 / n times the sum over k of X[k] exp(2 pi i j k / n).

    Args:
      input: real or complex numbers.
      n: the length of the transform; the dim is truncated or zero-padded to it. The default is the size of the dim.
      dim: the dim to transform.
      norm: "backward" (the default) divides the sum by n, "ortho" by sqrt(n), "forward" does not scale it.
    """
    return namespace(input).fft.ifft(input, n, dim, norm)


@_real()
def rfft(input: Array, n: int | None = None, dim: int = -1, norm: str | None = None):
    """Return the discrete Fourier transform of a real signal along one dim.

    The result has the first n // 2 + 1 elements of `fft`. The others are their complex conjugates.

    Args:
      input: real numbers.
      n: the length of the transform; the dim is truncated or zero-padded to it. The default is the size of the dim.
      dim: the dim to transform.
      norm: as for `fft`.

    >>> torchlike.fft.rfft(torchlike.ones(4)).shape
    torch.Size([3])
    """
    return namespace(input).fft.rfft(input, n, dim, norm)


@_inverse_real()
def irfft(input: Array, n: int | None = None, dim: int = -1, norm: str | None = None):
    """Return the inverse of `rfft`: a real signal from the first half of its transform.

    Args:
      input: the first n // 2 + 1 elements of the transform.
      n: the length of the result. The default is 2 * (size of the dim - 1).
      dim: the dim to transform.
      norm: as for `ifft`.

    >>> torchlike.fft.irfft(torchlike.ones(3, dtype=torchlike.complex64)).shape
    torch.Size([4])
    """
    return namespace(input).fft.irfft(input, n, dim, norm)


@_inverse_real()
def hfft(input: Array, n: int | None = None, dim: int = -1, norm: str | None = None):
    """Return the real discrete Fourier transform of a Hermitian signal, given its first half.

    Args:
      input: the first n // 2 + 1 elements of the signal.
      n: the length of the result. The default is 2 * (size of the dim - 1).
      dim: the dim to transform.
      norm: as for `fft`.
    """
    return namespace(input).fft.hfft(input, n, dim, norm)


@_real()
def ihfft(input: Array, n: int | None = None, dim: int = -1, norm: str | None = None):
    """Return the inverse of `hfft`: the first half of a Hermitian signal, from its real transform.

    Args:
      input: real numbers.
      n: the length of the transform; the dim is truncated or zero-padded to it. The default is the size of the dim.
      dim: the dim to transform.
      norm: as for `ifft`.
    """
    return namespace(input).fft.ihfft(input, n, dim, norm)


# -- several dims ------------------------------------------------------------------------------------------------------


def _numpy_arguments(x, s: Dims, dim: Dims) -> tuple[tuple[int, ...] | None, tuple[int, ...]]:
    s, dim = _plural(s), _plural(dim)
    if dim is None:
        dim = tuple(range(-len(s), 0)) if s is not None else tuple(range(x.ndim))
    if s is not None:
        s = tuple(x.shape[d] if n == -1 else n for n, d in zip(s, dim))
    return s, dim


@_complex()
def fftn(input: Array, s: Dims = None, dim: Dims = None, norm: str | None = None):
    """Return the discrete Fourier transform along several dims.

    Args:
      input: real or complex numbers.
      s: the length of the transform along each dim; -1 stands for the size of the dim.
      dim: the dims to transform. The default is the last `len(s)` dims, or all dims if `s` is None.
      norm: as for `fft`.

    >>> torchlike.fft.fftn(torchlike.ones(2, 2)).real
    tensor([[4., 0.],
            [0., 0.]])
    """
    return namespace(input).fft.fftn(input, *_numpy_arguments(input, s, dim), norm)


@_complex()
def ifftn(input: Array, s: Dims = None, dim: Dims = None, norm: str | None = None):
    """Return the inverse discrete Fourier transform along several dims.

    Args:
      input: real or complex numbers.
      s: the length of the transform along each dim; -1 stands for the size of the dim.
      dim: the dims to transform. The default is the last `len(s)` dims, or all dims if `s` is None.
      norm: as for `ifft`.
    """
    return namespace(input).fft.ifftn(input, *_numpy_arguments(input, s, dim), norm)


@_real()
def rfftn(input: Array, s: Dims = None, dim: Dims = None, norm: str | None = None):
    """Return the discrete Fourier transform of a real signal along several dims.

    It applies `rfft` along the last of the dims and `fft` along the others.

    Args:
      input: real numbers.
      s: the length of the transform along each dim; -1 stands for the size of the dim.
      dim: the dims to transform. The default is the last `len(s)` dims, or all dims if `s` is None.
      norm: as for `fft`.
    """
    return namespace(input).fft.rfftn(input, *_numpy_arguments(input, s, dim), norm)


@_inverse_real()
def irfftn(input: Array, s: Dims = None, dim: Dims = None, norm: str | None = None):
    """Return the inverse of `rfftn`.

    Args:
      input: half of the transform along the last of the dims.
      s: the length of the result along each dim; -1 stands for the size of the dim.
      dim: the dims to transform. The default is the last `len(s)` dims, or all dims if `s` is None.
      norm: as for `ifft`.
    """
    return namespace(input).fft.irfftn(input, *_numpy_arguments(input, s, dim), norm)


@_complex()
def fft2(input: Array, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None):
    """Return the discrete Fourier transform along two dims, by default the last two; see `fftn`.

    Args:
      s: the sizes along the two dims. The signal is cut or padded with zeros. Default: its sizes.
      dim: the two dims.
      norm: "backward" (default: no factor), "ortho" (divide by the square root of the number of elements) or "forward"
        (divide by this number).

    >>> torchlike.fft.fft2(torchlike.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[10.+0.j, -2.+0.j],
            [-4.+0.j,  0.+0.j]])
    """
    return namespace(input).fft.fftn(input, *_numpy_arguments(input, s, dim), norm)


@_complex()
def ifft2(input: Array, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None):
    """Return the inverse discrete Fourier transform along two dims, by default the last two; see `ifftn`.

    Args:
      s: the sizes along the two dims. The signal is cut or padded with zeros. Default: its sizes.
      dim: the two dims.
      norm: "backward" (default: divide by the number of elements), "ortho" (divide by its square root) or "forward" (no
        factor).

    >>> torchlike.fft.ifft2(torchlike.tensor([[4.0, 0.0], [0.0, 0.0]])).real
    tensor([[1., 1.],
            [1., 1.]])
    """
    return namespace(input).fft.ifftn(input, *_numpy_arguments(input, s, dim), norm)


@_real()
def rfft2(input: Array, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None):
    """Return the discrete Fourier transform of a real signal along two dims, by default the last two; see `rfftn`.

    Args:
      s: the sizes along the two dims. The signal is cut or padded with zeros. Default: its sizes.
      dim: the two dims. The last one gets only the non-negative frequencies.
      norm: "backward" (default: no factor), "ortho" (divide by the square root of the number of elements) or "forward"
        (divide by this number).
    """
    return namespace(input).fft.rfftn(input, *_numpy_arguments(input, s, dim), norm)


@_inverse_real()
def irfft2(input: Array, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None):
    """Return the inverse of `rfft2`; see `irfftn`.

    Args:
      s: the sizes of the result along the two dims. Default: the last is 2 (n - 1) for the size n.
      dim: the two dims. The last one has only the non-negative frequencies.
      norm: "backward" (default: divide by the number of elements), "ortho" (divide by its square root) or "forward" (no
        factor).
    """
    return namespace(input).fft.irfftn(input, *_numpy_arguments(input, s, dim), norm)


# The Hermitian transform equals the inverse real transform of the conjugate, up to the normalization factor.
_OTHER_NORM = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


@_inverse_real(Casts())
def hfftn(input: Array, s: Dims = None, dim: Dims = None, norm: str | None = None):
    """Return the real discrete Fourier transform of a Hermitian signal along several dims.

    It applies `hfft` along the last of the dims and `fft` along the others.

    Args:
      input: half of the signal along the last of the dims.
      s: the length of the result along each dim; -1 stands for the size of the dim.
      dim: the dims to transform. The default is the last `len(s)` dims, or all dims if `s` is None.
      norm: as for `fft`.
    """
    xp = namespace(input)
    # Compute in double precision: over several dims, NumPy's single-precision sums lose a digit against PyTorch's.
    exact = np.complex128 if xp is np else input.dtype
    return xp.fft.irfftn(xp.conj(input).astype(exact), *_numpy_arguments(input, s, dim), _OTHER_NORM[norm])


@_real(Casts())
def ihfftn(input: Array, s: Dims = None, dim: Dims = None, norm: str | None = None):
    """Return the inverse of `hfftn`.

    Args:
      input: real numbers.
      s: the length of the transform along each dim; -1 stands for the size of the dim.
      dim: the dims to transform. The default is the last `len(s)` dims, or all dims if `s` is None.
      norm: as for `ifft`.
    """
    xp = namespace(input)
    return xp.conj(xp.fft.rfftn(input, *_numpy_arguments(input, s, dim), _OTHER_NORM[norm]))


@_inverse_real(Casts())
def hfft2(input: Array, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None):
    """Return the real transform of a Hermitian signal along two dims, by default the last two; see `hfftn`.

    Args:
      s: the sizes of the result along the two dims.
      dim: the two dims. The last one has only the non-negative frequencies.
      norm: "backward" (default: no factor), "ortho" (divide by the square root of the number of elements) or "forward"
        (divide by this number).
    """
    return hfftn.kernel(input, s, dim, norm)


@_real(Casts())
def ihfft2(input: Array, s: Dims = None, dim: Dims = (-2, -1), norm: str | None = None):
    """Return the inverse of `hfft2`; see `ihfftn`.

    Args:
      s: the sizes of the real signal along the two dims. It is cut or padded with zeros. Default: its sizes.
      dim: the two dims. The last one gets only the non-negative frequencies.
      norm: "backward" (default: divide by the number of elements), "ortho" (divide by its square root) or "forward" (no
        factor).
    """
    return ihfftn.kernel(input, s, dim, norm)
