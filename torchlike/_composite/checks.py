"""`torch._check` and similar functions: raise an error unless a condition is true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._errors.warned import warn
from torchlike._tensor.tensor import Tensor

_Message = Callable[[], object] | None


def _check_with(error_type: type[Exception], cond: Any, message: _Message) -> None:
    """Raise `error_type` with the message `message()` unless `cond` is true."""
    if not isinstance(cond, bool):
        raise _errors.making.check_of(cond)
    if cond:
        return
    raise error_type(_sentence(message))


def _sentence(message: _Message) -> str:
    if message is None:
        return _errors.making.NO_MESSAGE
    if not callable(message):
        raise TypeError("message must be a callable")
    return str(message())


def _check(cond: Any, message: _Message = None) -> None:
    """Raise RuntimeError unless `cond` is true."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: _Message = None) -> None:
    """Raise IndexError unless `cond` is true."""
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: _Message = None) -> None:
    """Raise ValueError unless `cond` is true."""
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: _Message = None) -> None:
    """Raise TypeError unless `cond` is true."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: _Message = None) -> None:
    """Raise NotImplementedError unless `cond` is true."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: int, message: _Message = None, *, max: int | None = None) -> None:
    """Raise RuntimeError unless `i` is a valid size: not negative and at most `max`. Deprecated in PyTorch."""
    warn(_errors.making.CHECK_IS_SIZE, FutureWarning)
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(error_type: type[Exception], cond: Any, message: _Message = None) -> None:
    """Raise `error_type` unless every element of `cond` is true."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if str(cond.dtype) != "torch.bool":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond.all()), message)


def _check_tensor_all(cond: Any, message: _Message = None) -> None:
    """Raise RuntimeError unless every element of `cond` is true."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _assert_async(input: Tensor, assert_msg: str | None = None) -> None:
    """Raise RuntimeError if the only element of a tensor is zero. Despite its name, the function blocks."""
    if not bool(input):
        raise RuntimeError(assert_msg or "Expected Tensor with single nonzero value, but got zero")
