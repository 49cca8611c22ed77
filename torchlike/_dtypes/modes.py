"""The modes of operators: grad mode, inference mode, default dtype and default device.

Grad mode is per thread, as in PyTorch. The hot path reads one attribute of one thread-local object.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any, Self, TypeVar, overload

from torchlike import _dtypes, _errors
from torchlike._dtypes import devices as _device
from torchlike._dtypes.recorder import Recorder, Switch, current, use
from torchlike._errors.warned import warn

_F = TypeVar("_F", bound=Callable)


class _Local(threading.local):
    inference = False
    multithreading = True  # see `set_multithreading_enabled`
    autocast: tuple = ()  # the device types for which autocast is on, each with its dtype
    transforms = 0  # the number of active transforms of `torchlike.func`
    device: _device.device | None = None  # the device of new tensors; None means `process_device`
    devices: tuple = ()  # the values of `device` outside of each open `with` block of a device

    @property
    def grad(self) -> bool:
        """True if operators are recorded for differentiation."""
        return current().grad

    @grad.setter
    def grad(self, grad: bool) -> None:
        use(current().with_grad(grad))


local = _Local()
default_dtype = _dtypes.float32
process_device = _device.cpu  # set by `set_default_tensor_type`
on_default_dtype_change: list = []
on_inference_mode: list = []  # called with True or False when a thread enters or leaves inference mode
fill_uninitialized = False  # whether `empty` and similar functions fill tensors with NaN or the dtype's maximum


def set_default_dtype(d: _dtypes.dtype) -> None:
    """Set the floating-point dtype for Python floats and new tensors.

    Args:
      d: a floating-point dtype.

    >>> torchlike.set_default_dtype(torchlike.float32)
    """
    global default_dtype
    if not isinstance(d, _dtypes.dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    if d in _dtypes.FLOAT8 or d not in _dtypes.ALL:
        raise _errors.dtypes.no_storage(d)
    default_dtype = d
    for forget in on_default_dtype_change:
        forget()


def get_default_dtype() -> _dtypes.dtype:
    """Return the floating-point dtype for Python floats and new tensors.

    >>> torchlike.get_default_dtype()
    torch.float32
    """
    return default_dtype


def default_complex() -> _dtypes.dtype:
    """Return the complex dtype that corresponds to the default dtype."""
    return default_dtype.to_complex()


def scalar_dtype(kind: type) -> _dtypes.dtype:
    """Return the dtype of a tensor made from Python numbers of this type."""
    if kind is float:
        return default_dtype
    return _dtypes.int64 if kind is int else _dtypes.bool_ if kind is bool else default_complex()


def set_default_device(device: str | _device.device | None) -> None:
    """Set the device on which this thread creates new tensors.

    Args:
      device: a device or its name. None means the CPU.

    >>> import torchlike as torch
    >>> torch.set_default_device("meta")
    >>> torch.ones(2).device
    device(type='meta')
    >>> torch.set_default_device(None)
    """
    local.device = None if device is None else canonical(device)


def get_default_device() -> _device.device:
    """Return the device on which this thread creates new tensors.

    >>> with torchlike.device("meta"):
    ...     torchlike.get_default_device()
    device(type='meta')
    """
    return local.device or process_device


def canonical(d: str | int | _device.device | None) -> _device.device:
    """Return the device of a tensor that is created with `device=d`. An accelerator device always has an index."""
    if d is None:
        return get_default_device()
    d = _device.device(d)
    if d.type in ("cpu", "meta"):
        return _device.cpu if d.type == "cpu" else _device.meta
    return _device.device(d.type, _device.current_index(d.type)) if d.index is None else d


def set_process_device(device: str | None) -> None:
    """Set the default device of all threads that have not set their own."""
    global process_device
    process_device = _device.cpu if device is None else canonical(device)


def push_device(d: _device.device) -> None:
    """Make a device the default of this thread, until the matching `pop_device`."""
    local.devices, local.device = (*local.devices, local.device), canonical(d)


def pop_device() -> None:
    """Restore the default device that the last `push_device` replaced."""
    *outside, local.device = local.devices
    local.devices = tuple(outside)


def is_grad_enabled() -> bool:
    """Return whether operators are recorded for differentiation in this thread.

    >>> torchlike.is_grad_enabled()
    True
    """
    return local.grad


def is_inference_mode_enabled() -> bool:
    """Return whether inference mode is on in this thread."""
    return local.inference


_DECORATED_CLASS = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and nothing else."
)


class _Switch:
    """A mode that is a context manager and a decorator. It can also decorate generators and methods."""

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, *_: object) -> None:
        raise NotImplementedError

    def __call__(self, function: _F) -> _F:
        if inspect.isclass(function):
            warn(_DECORATED_CLASS, FutureWarning)
        return _wrap_generator(self._clone, function) if inspect.isgeneratorfunction(function) else self._wrap(function)

    def _wrap(self, function: Callable) -> Any:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self._clone():
                return function(*args, **kwargs)

        return wrapped

    def _clone(self) -> Self:
        return type(self)()


def _wrap_generator(make: Callable[[], _Switch], function: Callable) -> Any:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        step, value = generator.send, None
        while True:
            try:
                with make():
                    produced = step(value)
            except StopIteration as stop:
                return stop.value
            try:
                value = yield produced
                step = generator.send
            except GeneratorExit:
                with make():
                    generator.close()
                raise
            except BaseException as error:
                step, value = generator.throw, error

    return wrapped


class _GradSwitch(_Switch, Switch):
    """A grad mode. It is reset at the end of its `with` block even if an interrupt arrives."""

    mode: bool
    prev: bool

    __enter__, __exit__ = Switch.__enter__, Switch.__exit__

    def _recorders(self, now: Recorder) -> tuple[Recorder, Recorder]:
        return now.with_grad(self.prev), now.with_grad(self.mode and not local.inference)

    def _leave(self) -> None:
        local.grad = self.prev and not local.inference


class set_grad_enabled(_GradSwitch):
    """A switch that turns gradient recording on or off at once. In inference mode it stays off.

    As a context, it restores the previous mode at the end of the `with` block. It is a decorator too.

    Args:
      mode: record gradients.

    >>> import torchlike as torch
    >>> with torch.set_grad_enabled(False):
    ...     print(torch.is_grad_enabled())
    False
    """

    def __init__(self, mode: bool) -> None:
        if mode.__class__ is not bool:
            raise _errors.arguments.wrong_type("set_grad_enabled", "enabled", 1, "bool", mode)
        self.mode, self.prev = mode, local.grad
        self.__enter__()

    def __call__(self, function: _F) -> _F:
        local.grad = self.prev
        return super().__call__(function)

    def _clone(self) -> Self:
        return type(self)(self.mode)

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"


class set_multithreading_enabled(_Switch):
    """Permit or forbid backward passes in several threads.

    A backward pass always runs in the calling thread, so only `is_multithreading_enabled` changes. The object is also a
    context manager, which restores the previous state, and a decorator.

    Args:
      mode: permit several threads.
    """

    def __init__(self, mode: bool) -> None:
        if mode.__class__ is not bool:
            raise _errors.arguments.wrong_type("_set_multithreading_enabled", "enabled", 1, "bool", mode)
        self.mode, self.prev = mode, local.multithreading
        local.multithreading = mode

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        local.multithreading = self.prev

    def _clone(self) -> Self:
        return type(self)(self.mode)


def is_multithreading_enabled() -> bool:
    """Return whether backward passes may use several threads. They never do."""
    return local.multithreading


class no_grad(_GradSwitch):
    """A context manager and decorator that turns off gradient recording.

    Args:
      function: the function to decorate. With None, the instance is a context manager or decorator.

    >>> import torchlike as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     print((w * 2).requires_grad)
    False
    """

    mode = False

    @overload
    def __new__(cls) -> Self: ...
    @overload
    def __new__(cls, function: _F) -> _F: ...
    def __new__(cls, function: Any = None) -> Any:
        made = super().__new__(cls)
        return made(function) if function is not None else made

    def _recorders(self, now: Recorder) -> tuple[Recorder, Recorder]:
        self.prev = now.grad
        return now, now.with_grad(self.mode and not local.inference)


class enable_grad(no_grad):
    """A context manager and decorator that turns on gradient recording, except in inference mode.

    Args:
      function: the function to decorate. With None, the instance is a context manager or decorator.

    >>> import torchlike as torch
    >>> w = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     print((w * 2).requires_grad)
    True
    """

    mode = True


def _set_inference(grad: bool, inference: bool) -> None:
    if inference is not local.inference:
        for told in on_inference_mode:
            told(inference)
    local.grad, local.inference = grad, inference


class inference_mode(_Switch):
    """A context manager and decorator that turns off gradient recording.

    A tensor made in inference mode can never be part of a gradient graph. It can be written to only in inference mode,
    and it cannot be saved for backward. Outside of inference mode, `clone()` makes a normal tensor from it.

    Args:
      mode: True turns inference mode on, False off. It may also be the function to decorate.

    >>> import torchlike as torch
    >>> with torch.inference_mode():
    ...     print(torch.ones(2).is_inference())
    True
    """

    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    @overload
    def __new__(cls, mode: _F) -> _F: ...
    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if callable(mode):
            made.mode = True
            return made(mode)
        return made

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self.prev = local.grad, local.inference
        _set_inference(not self.mode, self.mode)

    def __exit__(self, *_: object) -> None:
        _set_inference(*self.prev)

    def _clone(self) -> Self:
        return type(self)(self.mode)
