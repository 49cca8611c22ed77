"""PyTorch's `repr` of tensors, character by character, from a host array.

One `_Format` is chosen for all numbers that will be printed. For a large tensor, these are the corners only. Then the
rows are laid out to the line width, and suffixes such as `dtype=` are appended.
"""

from __future__ import annotations

import contextlib
import math
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from torchlike import _dtypes
from torchlike._dtypes import modes
from torchlike._engine.trace.batched_values import Row
from torchlike._tensor.tensor import Tensor, wrap


@dataclass
class _Options:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {"default": _Options(), "short": _Options(precision=2, edgeitems=2), "full": _Options(threshold=math.inf)}
_options = _Options()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set the printing options of tensors. The defaults are in parentheses.

    Args:
      precision: the number of digits after the decimal point (4).
      threshold: the number of elements above which only the corners are printed (1000).
      edgeitems: the number of elements that are then printed at each end of each dimension (3).
      linewidth: the number of characters in a line (80).
      profile: `"default"`, `"short"` or `"full"`: the initial values of the other options.
      sci_mode: use scientific notation: True, False, or None to decide by the numbers. Every call sets this option.

    Raises:
      ValueError: the profile is unknown. PyTorch ignores an unknown profile.

    >>> import torchlike as torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([1 / 3])
    tensor([0.33])
    >>> torch.set_printoptions(profile="default")
    """
    global _options
    if profile is not None and profile not in _PROFILES:
        raise ValueError(f"profile must be one of {', '.join(_PROFILES)}; received: {profile!r}")
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    start = _options if profile is None else _PROFILES[profile]
    _options = replace(start, sci_mode=sci_mode, **{name: v for name, v in given.items() if v is not None})


def get_printoptions() -> dict[str, Any]:
    """Return the current options, as `set_printoptions` takes them."""
    return asdict(_options)


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Set options of `set_printoptions` in a `with` block."""
    global _options
    before = _options
    set_printoptions(**options)
    try:
        yield
    finally:
        _options = before


def tensor_repr(
    array: np.ndarray | None,
    dtype: Any,
    *,
    default_dtype: Any,
    requires_grad: bool = False,
    grad_fn: str | None = None,
    device: str = "cpu",
    prefix: str = "tensor(",
    size: tuple[int, ...] | None = None,
    contents: str | None = None,
) -> str:
    """Return PyTorch's `repr` of a tensor with the given values and properties.

    `array` is None for a tensor without data (device `meta`), and `size` is then its shape. `dtype` and `default_dtype`
    are printed as `torch.float32`, for example. `contents` replaces the numbers.

    >>> tensor_repr(np.float32([1, 2.5]), "torch.float32", default_dtype="torch.float32", grad_fn="MulBackward0")
    'tensor([1.0000, 2.5000], grad_fn=<MulBackward0>)'
    """
    suffixes = [] if str(device) == "cpu" else [f"device='{device}'"]
    suffixes += _shape_and_dtype(array, size, str(dtype), str(default_dtype))
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if contents is None:
        contents = "..." if array is None else numbers(array, len(prefix))
    return with_suffixes(prefix + contents, suffixes, len(prefix))


SELF_EVIDENT = ("torch.int64", "torch.bool")  # dtypes that are clear from the printed numbers


def _shape_and_dtype(array: np.ndarray | None, size: tuple[int, ...] | None, dtype: str, default: str) -> list[str]:
    """Return `size=` and `dtype=`, if they are not clear from the printed numbers."""
    shape = tuple(size or ()) if array is None else array.shape
    if array is None or not array.size:
        hidden_size, implied = array is None or array.ndim != 1, (default,)
    else:
        complex_default = "torch.complex128" if default == "torch.float64" else "torch.complex64"
        hidden_size, implied = not _options.edgeitems, (default, complex_default, *SELF_EVIDENT)
    sizes = [f"size={tuple(map(int, shape))}"] if hidden_size else []
    return sizes if dtype in implied else [*sizes, f"dtype={dtype}"]


def with_suffixes(text: str, suffixes: list[str], indent: int, new_line: bool = False) -> str:
    """Append suffixes to the text, wrapped to the line width. If `new_line`, the first suffix begins a new line."""
    width = len(text) - text.rfind("\n") + 1
    for i, suffix in enumerate(suffixes):
        if width + len(suffix) + 2 > _options.linewidth or (new_line and not i):
            text += ",\n" + " " * indent + suffix
            width = indent + len(suffix)
        else:
            text += ", " + suffix
            width += len(suffix) + 2
    return text + ")"


def numbers(array: np.ndarray, indent: int) -> str:
    """Return the numbers in brackets. The first line starts at column `indent`."""
    if not array.size:
        return "[]"
    short = array.size > _options.threshold
    if array.dtype in _dtypes.FLOAT8_NUMPY:
        array = array.astype(np.float32)
    seen: Any = _corners(array) if short else array
    if array.dtype.kind == "c":
        return _lay_out(array, indent, short, _complex_format(_Format(seen.real), _Format(seen.imag)))
    one = _Format(seen)
    return _lay_out(array, indent, short, (one, one.width))


class _Format:
    """A common format for all printed numbers of a tensor, so that the columns line up."""

    def __init__(self, values: np.ndarray) -> None:
        self.floating = values.dtype.kind in "fV"
        self.whole, self.scientific, self.width = True, False, 1
        if self.floating:
            self._choose(values.astype(np.float64).ravel())
        elif values.size:
            extremes = {values.min(), values.max()}  # the longest integer is one of them
            self.width = max(len(str(v)) for v in extremes)

    def _choose(self, values: np.ndarray) -> None:
        usual = values[np.isfinite(values) & (values != 0)]
        if not usual.size:
            return
        sizes = np.abs(usual)
        low, high = float(sizes.min()), float(sizes.max())
        self.whole = bool((usual == np.ceil(usual)).all())
        if _options.sci_mode is None:
            self.scientific = high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4
        else:
            self.scientific = bool(_options.sci_mode)
        extra = self.whole and not self.scientific  # space for the decimal point of 1.
        self.width = max(1, max(map(len, map(self._text, usual.tolist()))) + extra)

    def _text(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{_options.precision}e}"
        return f"{value:.0f}" if self.whole else f"{value:.{_options.precision}f}"

    def __call__(self, value: Any) -> str:
        text = self._text(value)
        if self.floating and self.whole and not self.scientific and math.isfinite(value):
            text += "."
        return text.rjust(self.width)


def _complex_format(real: _Format, imaginary: _Format) -> tuple[Callable[[complex], str], int]:
    def text(value: complex) -> str:
        second = imaginary(value.imag).lstrip() + "j"
        return real(value.real) + (second if second[0] in "+-" else "+" + second)

    return text, real.width + imaginary.width + 1


def _corners(array: np.ndarray) -> np.ndarray:
    """Return the elements that are printed if only the ends of each dim are printed."""
    edge = _options.edgeitems
    if not edge:
        return array if array.ndim < 2 else array[(slice(0),) * array.ndim]
    for axis, length in enumerate(array.shape):
        if length > 2 * edge:
            array = np.take(array, [*range(edge), *range(length - edge, length)], axis)
    return array


def _lay_out(array: np.ndarray, indent: int, short: bool, how: tuple[Callable[[Any], str], int]) -> str:
    if not array.ndim:
        return how[0](array.item())
    edge = _options.edgeitems
    cut = short and len(array) > 2 * edge
    ends = (array[:edge], array[len(array) - edge :]) if cut else (array, array[:0])
    if array.ndim == 1:
        return _row(ends, cut or (short and not edge), indent, *how)
    first, last = ([_lay_out(item, indent + 1, short, how) for item in end] for end in ends)
    separator = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return "[" + separator.join([*first, *(["..."] if cut else []), *last]) + "]"


def _row(ends: tuple[np.ndarray, np.ndarray], cut: bool, indent: int, text: Callable[[Any], str], width: int) -> str:
    first, last = ([text(v) for v in end.tolist()] for end in ends)
    gap = [" ..." if _options.edgeitems else "..."] if cut else []
    words = [*first, *gap, *last]
    per_line = max(1, (_options.linewidth - indent) // (width + 2))
    lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def tensor_text(t: Tensor, contents: str | None = None) -> str:
    """Return PyTorch's `repr` of a tensor, character by character. `contents` replaces the numbers."""
    value = t._value
    if isinstance(value, Row):
        inside = textwrap.indent(tensor_text(wrap(value.whole)), "    ")
        return f"BatchedTensor(lvl={value.level.depth}, bdim=0, value=\n{inside}\n)"
    node, kind = t.grad_fn, type(t)
    # Programs may import the package under either name.
    plain = kind.__module__.partition(".")[0] in ("torchlike", "torch")
    array = t._host() if not t.is_meta else None
    made_by = None if node is None else type(node).__name__
    text = tensor_repr(
        array,
        t.dtype,
        default_dtype=modes.default_dtype,
        requires_grad=t.requires_grad,
        grad_fn=made_by,
        device=str(t.device),
        size=tuple(t.shape),
        contents=contents,
        prefix="tensor(" if plain else f"{kind.__name__}(",
    )
    return text if plain or not hasattr(t, "_is_param") else f"Parameter({text})"
