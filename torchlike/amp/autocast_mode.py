"""`autocast`: a context manager and decorator for automatic mixed precision."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np

import torchlike
from torchlike import _dtypes, _errors
from torchlike._errors.warned import warn
from torchlike._tensor import autocast as _autocast
from torchlike._tensor.tensor import Tensor


def is_autocast_available(device_type: str) -> bool:
    """Return whether mixed precision is supported for a device type.

    Args:
      device_type: for example "cpu" or "cuda".

    >>> import torchlike as torch
    >>> torch.amp.is_autocast_available("cpu")
    True
    """
    return _autocast.is_known(_autocast.named(device_type, "_is_autocast_available"))


def _kind(device_type: Any) -> str:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    return _autocast.named(device_type, "autocast")


class autocast:
    """A region in which matrix products and convolutions run in a lower-precision dtype.

    Operators that need the range of float32 run in float32. Each operator declares its cast policy. The operands of an
    operator are cast at the call, and gradients flow back through the cast. A float32 weight is cast only once in an
    outermost region, unless `cache_enabled` is False. The operands of in-place operators and of calls with `out=` are
    not cast.

    Args:
      device_type: the device type of the tensors to cast: "cpu", "cuda" or "xla".
      dtype: the lower-precision dtype. By default bfloat16 on the CPU and on TPUs, float16 on CUDA.
      enabled: if False, disable mixed precision inside the region.
      cache_enabled: whether casts of weights are cached.

    >>> import torchlike as torch
    >>> with torch.autocast("cpu"):
    ...     print(torch.ones(2, 2).mm(torch.ones(2, 2)).dtype)
    torch.bfloat16
    """

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        self.device = device_type
        self._kind = _kind(device_type)
        self.fast_dtype = _autocast.fast_dtype(self._kind) if dtype is None else dtype
        if not _autocast.is_known(self._kind):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = torchlike.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._enabled = enabled
        if enabled and not self._is_possible():
            self._enabled = False
        self._before: list[tuple] = []

    def _is_possible(self) -> bool:
        """Return whether the device exists and supports the dtype. Warn if not."""
        if self._kind == "cuda":
            if not torchlike.cuda.is_available():
                warn(_errors.autocast.NO_CUDA)
                return False
        elif self.fast_dtype not in (_dtypes.bfloat16, _dtypes.float16):
            warn(_errors.autocast.no_such_fast_dtype(self.device))
            return False
        return True

    def _check(self) -> None:
        """Raise PyTorch's errors about the settings. It gives them when the region begins."""
        if not isinstance(self._enabled, bool):
            raise _errors.arguments.wrong_type("set_autocast_enabled", "enabled", 2, "bool", self._enabled)
        if not isinstance(self.fast_dtype, _dtypes.dtype):
            raise _errors.arguments.wrong_type("set_autocast_dtype", "dtype", 2, "torch.dtype", self.fast_dtype)
        if not isinstance(self._cache_enabled, bool):
            raise _errors.autocast.must_be("enabled", "bool", self._cache_enabled)

    def __enter__(self) -> Self:
        self._check()
        state, kind = _autocast.state, self._kind
        self._before.append((_autocast.is_enabled(kind), _autocast.fast_dtype(kind), state.cache_enabled))
        state.cache_enabled = self._cache_enabled
        _autocast.autocast_increment_nesting()
        _autocast.change(kind, self._enabled, self.fast_dtype)
        return self

    def __exit__(self, *_: object) -> None:
        enabled, dtype, _autocast.state.cache_enabled = self._before.pop()
        if _autocast.autocast_decrement_nesting() == 0:
            _autocast.state.cache.clear()
        _autocast.change(self._kind, enabled, dtype)

    def __call__(self, func: Callable) -> Any:
        @functools.wraps(func)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return decorated


def _cast(value: Any, kind: str, dtype: _dtypes.dtype) -> Any:
    """Cast the floating-point tensors of the device type in `value` to `dtype`. Float64 tensors are not cast."""
    if isinstance(value, Tensor):
        return value.to(dtype) if _autocast.is_eligible(value, kind) else value
    if isinstance(value, str | np.ndarray):
        return value
    if isinstance(value, Mapping):
        return {_cast(k, kind, dtype): _cast(v, kind, dtype) for k, v in value.items()}
    if isinstance(value, Iterable):
        made = [_cast(v, kind, dtype) for v in value]
        return type(value)(made) if isinstance(value, list | tuple) else made
    return value


def custom_fwd(fwd: Callable | None = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """Decorate the forward of a `Function` for mixed precision.

    Args:
      fwd: the static method `forward`. Without it, a decorator is returned.
      device_type: the device type of the autocast region, for example "cuda".
      cast_inputs: a dtype. If it is given and autocast is enabled, floating-point arguments on the device are cast to
        it, and autocast is disabled inside. Otherwise, autocast keeps its state. The state is saved for `custom_bwd`.

    >>> import torchlike as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    ...     def forward(ctx, x):
    ...         return 2 * x
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, grad):
    ...         return 2 * grad
    >>> with torch.autocast("cpu"):
    ...     print(Double.apply(torch.ones(1, dtype=torch.bfloat16)).dtype)
    torch.float32
    """
    kind = _kind(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        ctx, is_on = args[0], torchlike.is_autocast_enabled(device_type)
        ctx._dtype = torchlike.get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = is_on and cast_inputs is None
        if cast_inputs is None or not is_on:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, kind, cast_inputs), **_cast(kwargs, kind, cast_inputs))

    return decorated


def custom_bwd(bwd: Callable | None = None, *, device_type: str) -> Any:
    """Decorate the backward of a `Function` so that it runs with the autocast state of its forward.

    Args:
      bwd: the static method `backward`. Without it, a decorator is returned.
      device_type: the device type of the autocast region, as for `custom_fwd`, which shows an example.

    >>> import torchlike as torch
    >>> callable(torch.amp.custom_bwd(device_type="cpu"))
    True
    """
    _kind(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorated


def autocast_decorator(autocast_instance: Any, func: Callable) -> Callable:
    """Return a function that calls `func` within a context of automatic mixed precision.

    Args:
      autocast_instance: the context.
      func: the function.

    >>> import torchlike as torch
    >>> multiply = torch.amp.autocast_mode.autocast_decorator(torch.autocast("cpu"), torch.mm)
    >>> multiply(torch.ones(1, 1), torch.ones(1, 1)).dtype
    torch.bfloat16
    """

    @functools.wraps(func)
    def decorate_autocast(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return decorate_autocast
