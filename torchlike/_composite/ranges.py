"""Ranges, evenly spaced numbers, identity matrices, triangle indices and window functions."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes import modes
from torchlike._dtypes.modes import canonical
from torchlike._engine.xla.allocation import created
from torchlike._errors.dtypes import scalar_name
from torchlike._errors.warned import warn
from torchlike._ops.elementwise.spacing import spaced
from torchlike._tensor.argument_forms import check_options, number_of, stands_for_number
from torchlike._tensor.factories import check_into, into, of_array, of_constant
from torchlike._tensor.from_data import dtype_of
from torchlike._tensor.public_calls import whole, worded
from torchlike._tensor.tensor import Tensor

_HALF = (_dtypes.float16, _dtypes.bfloat16)


def _numbers(name: str, given: tuple, named: dict) -> list:
    """Return start, end and step of `f(end)`, `f(start, end)` or `f(start, end, step)`. Keywords are accepted too."""
    unknown = [n for n in named if n not in ("start", "end", "step")]
    if unknown:
        raise _errors.arguments.no_such_keyword(name, unknown[0])
    args = [_number(name, a, i) for i, a in enumerate(given)]
    named = {k: _number(name, a, 0) for k, a in named.items()}
    if len(args) + len(named) > 3 or (not args and "end" not in named):
        raise _errors.arguments.invalid_combination(name, given, named)
    places = ["end"] if len(args) == 1 and "end" not in named else ["start", "end", "step"]
    found = {"start": 0, "step": 1} | dict(zip(places, args)) | named
    return [found["start"], found["end"], found["step"]]


def _number(name: str, a: Any, place: int) -> Any:
    if stands_for_number(a):
        return number_of(a)
    if not isinstance(a, int | float | complex):
        raise _errors.arguments.wrong_type(name, "end" if not place else "step", place + 1, "Number", a)
    return a


def _in_order(name: str, out: Tensor | None, made: Tensor) -> Tensor:
    """Return `made`, or `out` with the elements of `made`. If the number of elements fits, `out` keeps its shape."""
    if out is None:
        return made
    check_into(name, out, made.dtype)
    if out.numel() != made.numel():
        if out.numel() and name == "arange":
            warn(_errors.making.range_resized(out.shape, made.numel()))
        out.resize_(made.shape)
    out.copy_(made.detach().reshape(out.shape))
    return out._require_grad() if made.requires_grad else out


def arange(
    *args: Any,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    **named: Any,
) -> Tensor:
    """Return the numbers from `start` (0) to `end`, exclusive, in steps of `step` (1).

    The signatures are `arange(end)`, `arange(start, end)` and `arange(start, end, step)`. Without `dtype`, the result
    has the default dtype if an argument is a float, else int64.

    Args:
      args: `start`, `end` and `step`, as numbers or 0-d tensors.
      dtype: the dtype of the result.
      named: `start`, `end` and `step` by name.

    >>> torchlike.arange(1, 7, 2)
    tensor([1, 3, 5])
    """
    check_options(
        "arange",
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )
    start, end, step = _numbers("arange", args, named)
    dtype = dtype_of("arange", dtype) or (out.dtype if out is not None else None)
    if dtype is None:
        floats = any(isinstance(x, float) for x in (start, end, step))
        dtype = modes.default_dtype if floats else _dtypes.int64
    if dtype.category not in (_dtypes.INTEGER, _dtypes.FLOATING):
        raise _errors.dtypes.not_implemented("arange_cpu", dtype)
    _errors.dtypes.not_eight_bits("arange_cpu", dtype)
    _check_range(start, end, step)
    count = _count(start, end, step, dtype)
    found = _elements(lambda: _range(start, end, step, dtype), (count,), dtype, device)
    return _in_order("arange", out, of_constant(found, device, requires_grad))


def _elements(make: Callable[[], np.ndarray], shape: tuple[int, ...], dtype: Dtype, device: Any) -> np.ndarray:
    """Return `make()`, the elements of a new tensor. Raise PyTorch's error if the device cannot allocate the tensor."""
    return created(make, shape, dtype.itemsize, canonical(device))


def _count(start: Any, end: Any, step: Any, dtype: Dtype) -> int:
    """Return the number of elements of `arange`, as PyTorch computes it. Raise its error if it is too large."""
    if dtype is _dtypes.int64:
        start, end, step = int(start), int(end), int(step)
        if max(map(abs, (start, end, step))) >= 1 << 63:
            raise RuntimeError("value cannot be converted to type int64_t without overflow")
        return -((start - end) // step) if step else 0  # `_range` raises if the step is 0
    count = math.ceil((end - start) / step)
    if count >= 1 << 63:
        raise RuntimeError("invalid size, possible overflow?")
    return count


def _check_range(start: Any, end: Any, step: Any) -> None:
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def _range(start: Any, end: Any, step: Any, dtype: Dtype) -> np.ndarray:
    if dtype.category == _dtypes.INTEGER:
        if dtype is not _dtypes.int64:  # PyTorch computes the number of elements in floating point
            count = math.ceil((end - start) / step)
            return (int(start) + int(step) * np.arange(count)).astype(dtype.numpy)
        start, end, step = int(start), int(end), int(step)
        if not step:
            raise ValueError("step must be nonzero")
        return np.arange(start, end, step, dtype=np.int64).astype(dtype.numpy)
    count = math.ceil((end - start) / step)
    return (np.arange(count, dtype=np.float64) * step + start).astype(dtype.numpy)


def range(
    *args: Any,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    **named: Any,
) -> Tensor:
    """Return the numbers from `start` (0) to `end`, inclusive, in steps of `step` (1) (deprecated; use `arange`).

    Args:
      args: `start`, `end` and `step`, as numbers.
      named: `start`, `end` and `step` by name.
    """
    warn(_errors.making.DEPRECATED_RANGE)
    check_options("range", dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)
    start, end, step = _numbers("range", args, named)
    dtype = dtype_of("range", dtype) or (out.dtype if out is not None else modes.default_dtype)
    if dtype.category not in (_dtypes.INTEGER, _dtypes.FLOATING):
        raise _errors.dtypes.not_implemented("range_cpu", dtype)
    _check_range(start, end, step)
    count = math.floor((end - start) / step + 1)
    make = lambda: (np.arange(count, dtype=np.float64) * step + start).astype(dtype.numpy)
    found = _elements(make, (count,), dtype, device)
    return _in_order("range", out, of_constant(found, device, requires_grad))


def linspace(
    start: Any,
    end: Any,
    steps: Any = None,
    *,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return `steps` evenly spaced numbers from `start` to `end`, inclusive.

    Args:
      start, end: the first and the last number, or 0-d tensors.
      steps: the number of numbers.

    >>> torchlike.linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    check_options(
        "linspace",
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )
    low, high, steps, kind = _spread("linspace", start, end, steps, dtype, out)
    _errors.dtypes.not_eight_bits("linspace_cpu", kind)
    for number in (low, high):
        _dtypes.check_number(number, kind)
    found = _elements(lambda: spaced(low, high, steps, kind).astype(kind.numpy), (steps,), kind, device)
    return _in_order("linspace", out, of_constant(found, device, requires_grad))


def logspace(
    start: Any,
    end: Any,
    steps: Any = None,
    base: float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return `base` to the power of `steps` evenly spaced exponents from `start` to `end`, inclusive.

    Args:
      start, end: the first and the last exponent.
      steps: the number of numbers.
      base: the base of the powers.

    >>> torchlike.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    check_options(
        "logspace",
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )
    if not (isinstance(base, complex) or hasattr(base, "__float__")) or (isinstance(base, Tensor) and base.ndim):
        raise _errors.arguments.invalid_combination("logspace", (start, end, steps, base), {})
    low, high, steps, kind = _spread("logspace", start, end, steps, dtype, out)
    if kind.category == _dtypes.INTEGER and steps > 1:
        low, high = int(low), int(high)
    if kind in (_dtypes.float16, _dtypes.bfloat16) and steps > 1:
        low, high = (float(np.asarray(x).astype(kind.numpy)) for x in (low, high))
    number = base.item() if isinstance(base, Tensor) else base

    def powers() -> np.ndarray:
        even = cmath.isfinite(high - low)
        exponents = np.linspace(low, high, steps) if even else np.full(steps, np.nan if steps > 1 else low)
        return np.power(number, exponents).astype(kind.numpy)

    found = _elements(powers, (steps,), kind, device)
    return _in_order("logspace", out, of_array(found, device, requires_grad))


def _spread(name: str, start: Any, end: Any, steps: Any, dtype: Any, out: Any) -> tuple:
    steps = whole(name, "steps", 3, steps)
    if not any(isinstance(a, np.ndarray) for a in (start, end)):
        _errors.making.check_ends(name, start, end)
    low, high = (a.item() if isinstance(a, Tensor | np.generic) else a for a in (start, end))
    if not all(isinstance(a, int | float | complex) for a in (low, high)):
        raise _errors.arguments.invalid_combination(name, (start, end, steps), {})
    if (dtype or (out.dtype if out is not None else None)) is _dtypes.bool_:
        raise _errors.dtypes.not_implemented(f"{name}_cpu", _dtypes.bool_)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    dtype = dtype_of(name, dtype) or (out.dtype if out is not None else None)
    if dtype is None:
        is_complex = isinstance(low, complex) or isinstance(high, complex)
        dtype = modes.default_complex() if is_complex else modes.default_dtype
    elif not dtype.is_complex and (isinstance(low, complex) or isinstance(high, complex)):
        raise _errors.making.unsafe_cast(name, modes.default_complex(), dtype)
    return low, high, steps, dtype


def eye(
    n: int,
    m: int | None = None,
    *,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a matrix (n, m) with ones on its diagonal and zeros elsewhere. The default of `m` is n.

    Args:
      n: the number of rows.
      m: the number of columns.

    >>> torchlike.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    check_options(
        "eye",
        dtype=dtype,
        layout=layout,
        device=device,
        pin_memory=pin_memory,
        requires_grad=requires_grad,
    )
    n = whole("eye", "n", 1, n)
    m = m if m is None else whole("eye", "m", 2, m)
    for name, size in (("n", n), ("m", m)):
        if size is not None and size < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {size}")
    dtype = dtype_of("eye", dtype) or (out.dtype if out is not None else modes.default_dtype)
    shape = (int(n), int(n if m is None else m))
    _errors.memory.check_count(shape)
    found = _elements(lambda: np.eye(*shape, dtype=dtype.numpy), shape, dtype, device)
    return into("eye", out, of_constant(found, device, requires_grad))


def _triangle(name: str, find: Callable) -> Callable[..., Tensor]:
    def indices(
        row: int, col: int, offset: int = 0, *, dtype: Any = _dtypes.int64, device: Any = None, layout: Any = None
    ) -> Tensor:
        check_options(name, dtype=dtype, layout=layout, device=device)
        for place, (label, given) in enumerate((("row", row), ("col", col), ("offset", offset)), 1):
            whole(name, label, place, given)
        for label, size in (("row", row), ("col", col)):
            if size < 0:
                raise RuntimeError(f"{label} must be non-negative, got{size}")
        kind = dtype_of(name, dtype) or _dtypes.int64
        if kind.category != _dtypes.INTEGER:
            raise _errors.dtypes.not_implemented(name, kind)
        count = _triangle_size(row, col, offset) if find is np.tril_indices else _triangle_size(col, row, -offset)
        make = lambda: np.stack(find(row, offset, col)).astype(kind.numpy)
        return of_array(_elements(make, (2, count), kind, device), device)

    indices.__name__ = indices.__qualname__ = name
    side = "lower" if name.startswith("tril") else "upper"
    indices.__doc__ = f"""Return the row and column indices of the {side} triangle, in row-major order; (2, count).

    Args:
      row, col: the size of the matrix.
      offset: the diagonal that bounds the triangle: 0 for the main one, positive above it, negative below it.
      dtype: an integer dtype.

    >>> torchlike.{name}(2, 2).tolist()
    {[[0, 1, 1], [0, 0, 1]] if side == "lower" else [[0, 0, 1], [0, 1, 1]]}
    """
    return indices


def _triangle_size(row: int, col: int, offset: int) -> int:
    """Return the number of elements on and below a diagonal of a matrix (row, col)."""
    first = min(max(-offset, 0), row)  # the first row with such elements
    full = min(max(col - 1 - offset, first), row)  # the first row with `col` of them
    return (full - first) * (first + full + 1 + 2 * offset) // 2 + (row - full) * col


tril_indices, triu_indices = _triangle("tril_indices", np.tril_indices), _triangle("triu_indices", np.triu_indices)


# -- windows -----------------------------------------------------------------------------------------------------------


_WINDOW_DOC = """{doc} If `periodic` is True, the window is periodic, for spectral analysis; else symmetric.

    Args:
      window_length: the number of elements.
      periodic: return the first elements of a symmetric window that is longer by one.
      parameters, named: {numbers}.

    >>> torchlike.{name}(4).shape
    torch.Size([4])
    """


def _window(
    name: str, formula: Callable, doc: str, numbers: str = "none", names: tuple[str, ...] = ()
) -> Callable[..., Tensor]:
    def window(
        window_length: int,
        periodic: bool = True,
        *parameters: float,
        dtype: Dtype | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
        **named: float,
    ) -> Tensor:
        check_options(
            name, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory, requires_grad=requires_grad
        )
        window_length = whole(name, "window_length", 1, window_length)
        _check_window(name, periodic, parameters, named, names)
        dtype = dtype_of(name, dtype) or modes.default_dtype
        if not dtype.is_floating_point:
            raise RuntimeError(f"{name} expects floating point dtypes, got: torch.{scalar_name(dtype)}")
        if window_length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
        longer = bool(periodic and window_length > 1)  # PyTorch computes one more element of a periodic window

        def values() -> np.ndarray:
            if window_length == 1:
                return np.ones(1, dtype.numpy)
            steps = window_length if periodic else window_length - 1
            return formula(np.arange(window_length) / max(steps, 1), *parameters, **named).astype(dtype.numpy)

        found = _elements(values, (window_length + longer,), dtype, device)
        return of_array(found, device, requires_grad)

    window.__name__ = window.__qualname__ = name
    window.__doc__ = _WINDOW_DOC.format(doc=doc, numbers=numbers, name=name)
    return window


def _check_window(name: str, periodic: Any, parameters: tuple, named: dict, names: tuple[str, ...]) -> None:
    """Raise PyTorch's errors for arguments of wrong types of a window with the parameters `names`."""
    if not isinstance(periodic, bool):
        raise _errors.arguments.wrong_type(name, "periodic", 2, "bool", periodic)
    if len(parameters) > len(names):
        raise _errors.arguments.too_many(name, len(names) + 2, len(parameters) + 2)
    for key in named:
        if key not in names:
            raise _errors.arguments.no_such_keyword(name, key)
    for place, (key, given) in enumerate([*zip(names, parameters), *named.items()], 3):
        if not isinstance(given, int | float | np.generic | Tensor):
            raise _errors.arguments.wrong_type(name, key, place, "float", given)


def _cosines(*weights: float) -> Callable:
    # The constant is added last, so that the ends of Blackman's window are zero, not negative.
    terms = list(enumerate(weights))[::-1]
    return lambda x: sum((-1) ** k * w * np.cos(2 * np.pi * k * x) for k, w in terms)


def _hamming(x: np.ndarray, alpha: float = 0.54, beta: float = 0.46) -> np.ndarray:
    return alpha - beta * np.cos(2 * np.pi * x)


def _kaiser(x: np.ndarray, beta: float = 12.0) -> np.ndarray:
    return np.i0(beta * np.sqrt(np.maximum(0, 1 - (2 * x - 1) ** 2))) / np.i0(beta)


hann_window = _window("hann_window", _cosines(0.5, 0.5), "Return the Hann window, a raised cosine.")
hamming_window = _window(
    "hamming_window",
    _hamming,
    "Return the Hamming window, alpha - beta cos.",
    "`alpha` (float, default 0.54) and `beta` (float, default 0.46)",
    ("alpha", "beta"),
)
blackman_window = _window("blackman_window", _cosines(0.42, 0.5, 0.08), "Return the Blackman window: two cosines.")
bartlett_window = _window("bartlett_window", lambda x: 1 - np.abs(2 * x - 1), "Return the Bartlett window, a triangle.")
kaiser_window = _window(
    "kaiser_window",
    _kaiser,
    "Return the Kaiser window with shape parameter `beta`.",
    "`beta` (float, default 12.0)",
    ("beta",),
)

FUNCTIONS = {
    f.__name__: worded(f)
    for f in (
        arange,
        range,
        linspace,
        logspace,
        eye,
        tril_indices,
        triu_indices,
        hann_window,
        hamming_window,
        blackman_window,
        bartlett_window,
        kaiser_window,
    )
}
