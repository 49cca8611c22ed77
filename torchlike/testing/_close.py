"""`assert_close`, which compares values up to rounding and reports the greatest differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

import torchlike
from torchlike import Tensor
from torchlike._errors.warned import warn

# dtype -> (rtol, atol), PyTorch's default tolerances for rounding differences
TOLERANCES = {
    torchlike.float16: (1e-3, 1e-5),
    torchlike.bfloat16: (1.6e-2, 1e-5),
    torchlike.float32: (1.3e-6, 1e-5),
    torchlike.float64: (1e-7, 1e-7),
    torchlike.complex64: (1.3e-6, 1e-5),
    torchlike.complex128: (1e-7, 1e-7),
}

_OLD_TOLERANCES = {
    torchlike.float16: (1e-3, 1e-3),
    torchlike.float32: (1e-4, 1e-5),
    torchlike.float64: (1e-5, 1e-8),
}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Assert that `actual` and `expected` are close: `|actual - expected| <= atol + rtol * |expected|` elementwise.

    The arguments are tensors, NumPy arrays, numbers, or sequences and mappings of these.

    Args:
      actual: the actual value.
      expected: the expected value.
      allow_subclasses: whether a tensor may be compared with a tensor of a subclass of its class.
      rtol: the relative tolerance. Give both tolerances or neither. Default: the larger default tolerance of the two
        dtypes.
      atol: the absolute tolerance.
      equal_nan: whether two NaN values are equal.
      check_device: whether the devices must be equal.
      check_dtype: whether the dtypes of tensors, and the types of numbers, must be equal.
      check_layout: accepted for compatibility, without effect.
      check_stride: whether the strides must be equal.
      msg: an error message that replaces the generated one, or a function that maps the generated message to another.

    Raises:
      AssertionError: The values are not close, or one of the checked attributes differs.
      TypeError: The types cannot be compared.
      ValueError: Only one of `rtol` and `atol` is given.

    >>> torchlike.testing.assert_close(torchlike.tensor([1.0]), torchlike.tensor([1.0 + 1e-7]))
    """
    if (rtol is None) is not (atol is None):
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}."
        )
    how = _Rules(rtol, atol, equal_nan, check_device, check_dtype, check_stride, allow_subclasses)
    try:
        _compare(actual, expected, how, "")
    except AssertionError as error:
        text = str(error)
        raise AssertionError(msg(text) if callable(msg) else msg or text) from None


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Assert that two values are close. Deprecated: use `assert_close`.

    Unlike `assert_close`, it uses larger default tolerances, does not compare dtypes, and treats NaN values as equal.
    It warns with `FutureWarning`.

    Args:
      actual (Tensor or array-like): the actual value.
      expected (Tensor or array-like): the expected value. Anything but a tensor gets the dtype of `actual`.
      rtol (float, optional): the relative tolerance. Give both tolerances or neither. Default: the larger one of the
        two dtypes, which is 1e-4 for float32.
      atol (float, optional): the absolute tolerance. Default: the larger one of the two dtypes, which is 1e-5 for
        float32.
      equal_nan (bool, default True): whether two NaN values are equal.
      msg (str, default ""): an error message that replaces the generated one.

    Raises:
      AssertionError: the values are not close.
      ValueError: only one of `rtol` and `atol` is given.
    """
    warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. "
        "Please use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
    )
    actual = actual if isinstance(actual, Tensor) else torchlike.tensor(actual)
    expected = expected if isinstance(expected, Tensor) else torchlike.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        known = [_OLD_TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (actual, expected)]
        rtol, atol = max(k[0] for k in known), max(k[1] for k in known)
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


class _Rules:
    def __init__(
        self, rtol: Any, atol: Any, equal_nan: bool, device: bool, dtype: bool, stride: bool, sub: bool
    ) -> None:
        self.rtol, self.atol, self.equal_nan = rtol, atol, equal_nan
        self.device, self.dtype, self.stride, self.subclasses = device, dtype, stride, sub

    def tolerances(self, *dtypes: Any) -> tuple[float, float]:
        if self.rtol is not None:
            return self.rtol, self.atol
        known = [TOLERANCES.get(d, (0.0, 0.0)) for d in dtypes]
        return max(k[0] for k in known), max(k[1] for k in known)


def _compare(actual: Any, expected: Any, how: _Rules, at: str) -> None:
    if isinstance(actual, Tensor | np.ndarray) and _is_related(actual, expected, how.subclasses):
        _tensors(_tensor(actual), _tensor(expected), how, at)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        _mappings(actual, expected, how, at)
    elif _is_sequence(actual) and _is_sequence(expected):
        _sequences(actual, expected, how, at)
    elif isinstance(actual, bool | np.bool_) and isinstance(expected, bool | np.bool_):
        if actual != expected:
            raise AssertionError(f"Booleans mismatch: {actual} is not {expected}{at}")
    elif _is_number(actual) and _is_number(expected):
        _numbers(actual, expected, how, at)
    elif actual is None and expected is None:
        return
    elif actual is None or expected is None:
        raise AssertionError(f"None mismatch: {actual} is not {expected}{at}")
    else:
        raise TypeError(
            f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.{at}"
        )


def _is_related(actual: Any, expected: Any, subclasses: bool) -> bool:
    if subclasses:
        return isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    return type(actual) is type(expected)


def _tensor(x: Any) -> Tensor:
    return torchlike.from_numpy(x) if isinstance(x, np.ndarray) else x.detach()


def _is_sequence(x: Any) -> TypeGuard[Sequence]:
    return isinstance(x, Sequence) and not isinstance(x, str | bytes)


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float | complex | np.number)


def _mappings(actual: Mapping, expected: Mapping, how: _Rules, at: str) -> None:
    missing, extra = expected.keys() - actual.keys(), actual.keys() - expected.keys()
    if missing or extra:
        raise AssertionError(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {sorted(missing)}\n"
            f"Additional keys in the actual mapping: {sorted(extra)}{at}"
        )
    for key in expected:
        _compare(actual[key], expected[key], how, _item(at, key))


def _sequences(actual: Sequence, expected: Sequence, how: _Rules, at: str) -> None:
    if len(actual) != len(expected):
        raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}{at}")
    for i, (a, e) in enumerate(zip(actual, expected)):
        _compare(a, e, how, _item(at, i))


def _item(at: str, key: Any) -> str:
    place = at.rpartition("item ")[2] if at else ""
    return f"\n\nThe failure occurred for item {place}[{key!r}]"


def _numbers(actual: Any, expected: Any, how: _Rules, at: str) -> None:
    actual, expected = (x.item() if isinstance(x, np.number) else x for x in (actual, expected))
    if how.dtype and type(actual) is not type(expected):
        raise AssertionError(f"The (d)types do not match: {type(actual)} != {type(expected)}.{at}")
    kinds = [
        torchlike.float64
        if isinstance(x, float | np.floating)
        else torchlike.complex128
        if isinstance(x, complex)
        else torchlike.int64
        for x in (actual, expected)
    ]
    _scalars(actual, expected, *how.tolerances(*kinds), how.equal_nan, at)


def _scalars(actual: Any, expected: Any, rtol: float, atol: float, equal_nan: bool, at: str) -> None:
    difference = abs(actual - expected)
    both_nan = actual != actual and expected != expected
    if actual == expected or difference <= atol + rtol * abs(expected) or (equal_nan and both_nan):
        return
    exact = rtol == atol == 0
    relative = difference / abs(expected) if expected else float("inf")
    lines = [
        f"Scalars are not {'equal' if exact else 'close'}!",
        "",
        f"Expected {expected} but got {actual}.",
        f"Absolute difference: {difference}" + ("" if exact else f" (up to {atol} allowed)"),
        f"Relative difference: {relative}" + ("" if exact else f" (up to {rtol} allowed)"),
    ]
    raise AssertionError("\n".join(lines) + at)


def _tensors(actual: Tensor, expected: Tensor, how: _Rules, at: str) -> None:
    def same(name: str, a: Any, e: Any) -> None:
        if a != e:
            raise AssertionError(f"The values for attribute '{name}' do not match: {a} != {e}.{at}")

    same("shape", actual.shape, expected.shape)
    if how.device:
        same("device", actual.device, expected.device)
    if how.dtype:
        same("dtype", actual.dtype, expected.dtype)
    if how.stride:
        same("stride()", actual.stride(), expected.stride())
    rtol, atol = how.tolerances(actual.dtype, expected.dtype)
    with torchlike.no_grad():
        common = torchlike.promote_types(actual.dtype, expected.dtype)
        if not (common.is_floating_point or common.is_complex):
            common = torchlike.int64  # wide enough for the differences
        _values(actual.cpu().to(common), expected.cpu().to(common), rtol, atol, how.equal_nan, at)


def _values(actual: Tensor, expected: Tensor, rtol: float, atol: float, equal_nan: bool, at: str) -> None:
    if not actual.ndim:
        return _scalars(actual.item(), expected.item(), rtol, atol, equal_nan, at)
    close = torchlike.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if close.all():
        return
    exact = rtol == atol == 0
    difference = (actual - expected).abs()
    relative = difference / expected.abs()
    wrong, count = int((~close).sum()), close.numel()
    lines = [
        f"Tensor-likes are not {'equal' if exact else 'close'}!",
        "",
        f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})",
    ]
    for name, found, allowed in (("absolute", difference, atol), ("relative", relative, rtol)):
        greatest = int(found.masked_fill(close, 0).argmax())
        where = tuple(int(i) for i in np.unravel_index(greatest, close.shape))
        limit = "" if exact else f" (up to {allowed} allowed)"
        lines.append(f"Greatest {name} difference: {found[where].item()} at index {where}{limit}")
    raise AssertionError("\n".join(lines) + at)
