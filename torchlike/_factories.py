"""Making tensors: from Python data, NumPy arrays, and the factory functions. Host data is made by NumPy, at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import _device, _dtypes, _errors, _modes
from torchlike._core import Value, aval
from torchlike._dtypes import dtype as Dtype
from torchlike._tensor import Tensor, wrap

contiguous_format, preserve_format = "contiguous_format", "preserve_format"


def of_array(array: np.ndarray, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor over an array that nobody else will write to."""
    place = _device.canonical(device)
    value = Value(aval(array.shape, _dtypes.from_numpy(array.dtype), place), _place(array, place))
    tensor = wrap(value)
    return tensor.requires_grad_() if requires_grad else tensor


def _place(array: np.ndarray, place: _device.device) -> Any:
    if place.type == "cpu":
        return array
    if place.type == "meta":
        return None
    import jax

    return jax.device_put(array, _device.to_jax(place))


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor with the elements of a NumPy array (a copy; see docs/differences.md)."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    _dtypes.from_numpy(ndarray.dtype)
    return of_array(np.array(ndarray, order="C", copy=True), _device.cpu)


def tensor(data: Any, *, dtype: Dtype | None = None, device: Any = None, requires_grad: bool = False,
           pin_memory: bool = False) -> Tensor:  # fmt: skip
    """A new tensor with a copy of `data`: a number, nested sequences of numbers, an array or a tensor.

    Python ints make int64, floats the default dtype, bools bool.

    >>> import torchlike as torch
    >>> torch.tensor([[1., 2.], [3., 4.]]).shape
    torch.Size([2, 2])
    """
    _no_pinning("tensor", pin_memory)
    if isinstance(data, Tensor):
        copied = data.detach().to(dtype=dtype or data.dtype, device=device or data.device, copy=True)
        return copied.requires_grad_(requires_grad)
    array = _to_array(data, dtype)
    return of_array(array, device, requires_grad)


def _no_pinning(name: str, pin_memory: bool) -> None:
    if pin_memory:
        raise _errors.unsupported(name, "pin_memory")


def _to_array(data: Any, dtype: Dtype | None) -> np.ndarray:
    if isinstance(data, np.ndarray | np.generic):
        array = np.array(data, order="C", copy=True)
        _dtypes.from_numpy(array.dtype)
        return array if dtype is None else array.astype(dtype.numpy)
    data = _plain(data)
    if not isinstance(data, int | float | complex | bool | list):
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    shape = _shape_of(data)
    flat: list = []
    _flatten(data, shape, 0, flat)
    if dtype is None:
        dtype = _modes.default_dtype
        if flat:
            kinds = {type(x) for x in flat}
            dtype = max((_modes.scalar_dtype(k) for k in kinds), key=lambda d: d.category)
    return _fill(flat, dtype).reshape(shape)


def _fill(flat: list, dtype: Dtype) -> np.ndarray:
    if dtype.category == _dtypes.INTEGER and any(isinstance(x, float) for x in flat):
        flat = [int(x) for x in flat]
    try:
        if dtype.category == _dtypes.INTEGER and dtype is not _dtypes.uint64:
            return np.array(flat, np.int64).astype(dtype.numpy)
        return np.array(flat).astype(dtype.numpy) if flat else np.empty(0, dtype.numpy)
    except OverflowError:
        raise RuntimeError("Overflow when unpacking long long") from None


def _plain(data: Any) -> Any:
    """Nested sequences as nested lists of Python numbers."""
    if type(data) in _dtypes.SCALAR_CATEGORY:
        return data
    if isinstance(data, Tensor):
        return data.tolist() if data.ndim else data.item()
    if isinstance(data, np.generic):
        return data.item()
    if isinstance(data, np.ndarray):
        return data.tolist()
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if hasattr(data, "__len__") and hasattr(data, "__getitem__"):
        return [_plain(data[i]) for i in range(len(data))]
    if isinstance(data, int | float | complex):
        return data
    return data


def _shape_of(data: Any) -> tuple[int, ...]:
    shape = []
    while isinstance(data, list):
        shape.append(len(data))
        if not data:
            break
        data = data[0]
    return tuple(shape)


def _flatten(data: Any, shape: tuple[int, ...], depth: int, out: list) -> None:
    if depth == len(shape):
        if isinstance(data, list):
            raise TypeError("only number, sequence or tensor elements are allowed at the same depth")
        out.append(data)
        return
    if not isinstance(data, list):
        raise TypeError(f"expected sequence of length {shape[depth]} at dim {depth} (got a number)")
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
    for item in data:
        _flatten(item, shape, depth + 1, out)


def as_tensor(data: Any, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """`data` as a tensor, without a copy where it already is one of that dtype and device."""
    if isinstance(data, Tensor):
        return data.to(dtype=dtype or data.dtype, device=device or data.device)
    return tensor(data, dtype=dtype, device=device)


def legacy_tensor(*args: Any, device: Any = None, **kwargs: Any) -> Tensor:
    """What `Tensor(...)` makes: an uninitialised tensor of a size, or a tensor of the default dtype from data."""
    if kwargs:
        raise TypeError(f"new() received an invalid keyword argument: {next(iter(kwargs))}")
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0].detach()
    if len(args) == 1 and isinstance(args[0], list | tuple | np.ndarray) and type(args[0]).__name__ != "Size":
        return tensor(args[0], dtype=_modes.default_dtype, device=device)
    return empty(*args, device=device) if args else empty(0, device=device)


# -- filled with one number --------------------------------------------------------------------------------------------


def shape_of(size: tuple) -> tuple[int, ...]:
    """The shape meant by `f(2, 3)`, `f((2, 3))` or `f(torch.Size([2, 3]))`."""
    if len(size) == 1 and not isinstance(size[0], int | Tensor | np.integer):
        size = tuple(size[0])
    shape = tuple(int(n) for n in size)
    for n in shape:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}")
    return shape


def _filled(name: str, fill: Any, doc: str) -> Callable[..., Tensor]:
    def factory(*size: Any, out: Tensor | None = None, dtype: Dtype | None = None, layout: Any = None,
                device: Any = None, requires_grad: bool = False, pin_memory: bool = False, names: Any = None,
                memory_format: Any = None) -> Tensor:  # fmt: skip
        _no_pinning(name, pin_memory)
        _only_strided(name, layout)
        if names is not None:
            raise _errors.unsupported(name, "names")
        array = np.full(shape_of(size), fill, (dtype or _modes.default_dtype).numpy)
        made = of_array(array, device, requires_grad)
        return made if out is None else out.copy_(made)

    def with_keyword(*size: Any, **kwargs: Any) -> Tensor:
        if "size" in kwargs:
            size = (kwargs.pop("size"),)
        return factory(*size, **kwargs)

    with_keyword.__name__ = with_keyword.__qualname__ = name
    with_keyword.__doc__ = doc
    return with_keyword


def _only_strided(name: str, layout: Any) -> None:
    if layout is not None and getattr(layout, "name", layout) != "strided":
        raise _errors.unsupported(name, "layout")


zeros = _filled("zeros", 0, "A tensor of zeros; `zeros(2, 3)` or `zeros((2, 3))`, of the default dtype.")
ones = _filled("ones", 1, "A tensor of ones; `ones(2, 3)` or `ones((2, 3))`, of the default dtype.")
empty = _filled("empty", 0, "A tensor whose contents are unspecified (zeros here).")


def full(size: Any, fill_value: Any, *, out: Tensor | None = None, dtype: Dtype | None = None, layout: Any = None,
         device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:  # fmt: skip
    """A tensor of one repeated number; its dtype follows the number's type."""
    _no_pinning("full", pin_memory)
    _only_strided("full", layout)
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    dtype = dtype or _modes.scalar_dtype(type(fill_value))
    made = of_array(np.full(shape_of((size,)), fill_value, dtype.numpy), device, requires_grad)
    return made if out is None else out.copy_(made)


# -- sequences ---------------------------------------------------------------------------------------------------------


def arange(*args: Any, out: Tensor | None = None, dtype: Dtype | None = None, layout: Any = None, device: Any = None,
           requires_grad: bool = False, pin_memory: bool = False, **named: Any) -> Tensor:  # fmt: skip
    """Numbers from `start` (0) up to but without `end`, `step` (1) apart: `arange(end)`, `arange(start, end, step)`."""
    _no_pinning("arange", pin_memory)
    _only_strided("arange", layout)
    given = [a.item() if isinstance(a, Tensor | np.generic) else a for a in args]
    start = named.get("start", given[0] if len(given) > 1 else 0)
    end = named.get("end", given[1] if len(given) > 1 else given[0] if given else None)
    step = named.get("step", given[2] if len(given) > 2 else 1)
    if dtype is None:
        floats = any(isinstance(x, float) for x in (start, end, step))
        dtype = _modes.default_dtype if floats else _dtypes.int64
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    made = of_array(_range(start, end, step, dtype), device, requires_grad)
    return made if out is None else out.copy_(made)


def _range(start: Any, end: Any, step: Any, dtype: Dtype) -> np.ndarray:
    if dtype.category == _dtypes.INTEGER:
        start, end, step = int(start), int(end), int(step)
        return np.arange(start, end, step, dtype=np.int64).astype(dtype.numpy)
    count = math.ceil((end - start) / step)
    return (np.arange(count, dtype=np.float64) * step + start).astype(dtype.numpy)


def linspace(start: Any, end: Any, steps: int, *, out: Tensor | None = None, dtype: Dtype | None = None,
             layout: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """`steps` numbers from `start` to `end`, both included, evenly spaced."""
    _only_strided("linspace", layout)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    start, end = float(start), float(end)
    dtype = dtype or _modes.default_dtype
    made = of_array(_spaced(start, end, int(steps), dtype), device, requires_grad)
    return made if out is None else out.copy_(made)


def _spaced(start: float, end: float, steps: int, dtype: Dtype) -> np.ndarray:
    """As PyTorch rounds it: from the start in the first half, from the end in the second."""
    work = np.float32 if dtype is _dtypes.float32 else np.float64
    if steps == 1:
        return np.full(1, start).astype(dtype.numpy)
    i, step = np.arange(steps), work((work(end) - work(start)) / work(max(steps - 1, 1)))
    low = work(start) + step * i.astype(work)
    high = work(end) - step * (steps - 1 - i).astype(work)
    return np.where(i < steps // 2, low, high).astype(dtype.numpy)


def logspace(start: float, end: float, steps: int, base: float = 10.0, **options: Any) -> Tensor:
    """`base` to the power of `steps` evenly spaced exponents."""
    dtype = options.pop("dtype", None) or _modes.default_dtype
    exponents = np.linspace(float(start), float(end), int(steps))
    return of_array((base**exponents).astype(dtype.numpy), options.pop("device", None), **options)


def eye(n: int, m: int | None = None, *, out: Tensor | None = None, dtype: Dtype | None = None, layout: Any = None,
        device: Any = None, requires_grad: bool = False) -> Tensor:  # fmt: skip
    """A matrix with ones on its diagonal."""
    _only_strided("eye", layout)
    made = of_array(np.eye(n, m, dtype=(dtype or _modes.default_dtype).numpy), device, requires_grad)
    return made if out is None else out.copy_(made)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Dtype = _dtypes.int64, device: Any = None) -> Tensor:
    """Row and column numbers of the lower triangle."""
    return of_array(np.stack(np.tril_indices(row, offset, col)).astype(dtype.numpy), device)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Dtype = _dtypes.int64, device: Any = None) -> Tensor:
    """Row and column numbers of the upper triangle."""
    return of_array(np.stack(np.triu_indices(row, offset, col)).astype(dtype.numpy), device)


# -- like another tensor -----------------------------------------------------------------------------------------------


def _like(name: str, fill: Any) -> Callable[..., Tensor]:
    def like(input: Tensor, *, dtype: Dtype | None = None, layout: Any = None, device: Any = None,
             requires_grad: bool = False, pin_memory: bool = False, memory_format: Any = None) -> Tensor:  # fmt: skip
        _no_pinning(name, pin_memory)
        _only_strided(name, layout)
        return _full_like(input, fill, dtype, device, requires_grad, memory_format)

    like.__name__ = like.__qualname__ = name
    like.__doc__ = f"As `{name[:-5]}`, with the shape, dtype, device and memory order of `input`."
    return like


def _full_like(input: Tensor, fill: Any, dtype: Any, device: Any, requires_grad: bool, memory_format: Any) -> Tensor:
    from torchlike import _functions

    array = np.full(tuple(input.shape), fill, (dtype or input.dtype).numpy)
    made = of_array(array, device or input.device)
    if input._strides is not None or memory_format is not None:
        made = _functions._in_format(made, input, memory_format)
    return made.requires_grad_(requires_grad)


zeros_like = _like("zeros_like", 0)
ones_like = _like("ones_like", 1)
empty_like = _like("empty_like", 0)


def full_like(input: Tensor, fill_value: Any, *, dtype: Dtype | None = None, layout: Any = None, device: Any = None,
              requires_grad: bool = False, pin_memory: bool = False, memory_format: Any = None) -> Tensor:  # fmt: skip
    """As `full`, with the shape, dtype, device and memory order of `input`."""
    _no_pinning("full_like", pin_memory)
    _only_strided("full_like", layout)
    return _full_like(input, fill_value, dtype, device, requires_grad, memory_format)


def _new(name: str, factory: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def new(self: Tensor, *args: Any, dtype: Dtype | None = None, device: Any = None, **options: Any) -> Tensor:
        return factory(*args, dtype=dtype or self.dtype, device=device or self.device, **options)

    new.__name__ = new.__qualname__ = name
    new.__doc__ = f"As `{name[4:]}`, with the dtype and device of this tensor."
    return new


METHODS = {f"new_{n}": _new(f"new_{n}", f) for n, f in
           {"zeros": zeros, "ones": ones, "empty": empty, "full": full, "tensor": tensor}.items()}  # fmt: skip
FUNCTIONS = {f.__name__: f for f in (
    tensor, as_tensor, from_numpy, zeros, ones, empty, full, arange, linspace, logspace, eye, tril_indices,
    triu_indices, zeros_like, ones_like, empty_like, full_like,
)} | {"asarray": as_tensor}  # fmt: skip
