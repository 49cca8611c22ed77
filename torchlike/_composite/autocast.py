"""Functions of `torch` that query and set automatic mixed precision. The state is per thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _dtypes, _errors
from torchlike._errors.warned import warn
from torchlike._tensor import autocast

_state = autocast.state


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return whether autocast is enabled for a device type.

    Args:
      device_type: "cpu", "cuda" or another device type. PyTorch requires it; without it, the answer is that for "cuda".

    >>> with torchlike.autocast("cpu"):
    ...     torchlike.is_autocast_enabled("cpu")
    True
    """
    return autocast.is_enabled(autocast.kind_of(device_type, "is_autocast_enabled"))


def set_autocast_enabled(*args: Any, **kwargs: Any) -> None:
    """Enable or disable autocast for a device type.

    The signatures are `set_autocast_enabled(device_type, enabled)` and, for CUDA, `set_autocast_enabled(enabled)`.

    Args:
      args, kwargs: `device_type` (str) and `enabled` (bool).
    """
    if len(args) == 1 and not kwargs:
        args = ("cuda", *args)
        _check_bool(args[1], 1)
    _set_enabled(*args, **kwargs)


def _set_enabled(device_type: str, enabled: bool) -> None:
    kind = autocast.kind_of(device_type, "set_autocast_enabled")
    _check_bool(enabled, 2)
    autocast.set_enabled(kind, enabled)


def _check_bool(enabled: Any, position: int) -> None:
    if not isinstance(enabled, bool):
        raise _errors.arguments.wrong_type("set_autocast_enabled", "enabled", position, "bool", enabled)


def get_autocast_dtype(device_type: str) -> _dtypes.dtype:
    """Return the lower-precision dtype that autocast uses on a device type, for example for matrix products.

    Args:
      device_type: "cpu", "cuda" or another device type.

    >>> torchlike.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    return autocast.fast_dtype(autocast.named(device_type, "get_autocast_dtype"))


def set_autocast_dtype(device_type: str, dtype: _dtypes.dtype) -> None:
    """Set the lower-precision dtype that autocast uses on a device type.

    Args:
      device_type: "cpu", "cuda" or another device type.
      dtype: the dtype, such as `torch.bfloat16`.
    """
    kind = autocast.named(device_type, "set_autocast_dtype")
    if not isinstance(dtype, _dtypes.dtype):
        raise _errors.arguments.wrong_type("set_autocast_dtype", "dtype", 2, "torch.dtype", dtype)
    autocast.set_fast_dtype(kind, dtype)


def _of_one_kind(name: str, kind: str) -> list[Callable]:
    """Return the deprecated functions of PyTorch that are specific to one device type."""
    ours = autocast.named(kind, name)

    def told(old: str, new: str) -> None:
        warn(_errors.autocast.renamed(old, new), DeprecationWarning)

    def is_enabled() -> bool:
        told(f"is_autocast_{name}_enabled()", f"is_autocast_enabled('{kind}')")
        return autocast.is_enabled(ours)

    def set_enabled(enabled: bool) -> None:
        told(f"set_autocast_{name}_enabled(enabled)", f"set_autocast_enabled('{kind}', enabled)")
        if not isinstance(enabled, bool):
            raise _errors.autocast.must_be("enabled", "bool", enabled)
        autocast.set_enabled(ours, enabled)

    def get_dtype() -> _dtypes.dtype:
        told(f"get_autocast_{name}_dtype()", f"get_autocast_dtype('{kind}')")
        return autocast.fast_dtype(ours)

    def set_dtype(dtype: _dtypes.dtype) -> None:
        told(f"set_autocast_{name}_dtype(dtype)", f"set_autocast_dtype('{kind}', dtype)")
        if not isinstance(dtype, _dtypes.dtype):
            raise _errors.autocast.must_be("dtype", "torch.dtype", dtype)
        autocast.set_fast_dtype(ours, dtype)

    made = [get_dtype, set_dtype] if name == "gpu" else [is_enabled, set_enabled, get_dtype, set_dtype]
    for function in made:
        verb, _, noun = function.__name__.partition("_")
        function.__name__ = function.__qualname__ = f"{verb}_autocast_{name}_{noun}"
        function.__doc__ = f"The deprecated form of `{verb}_autocast_{noun}` for {kind}."
        if verb == "set":
            function.__doc__ += f"\n\nArgs:\n  {noun}: the new setting."
    return made


def is_autocast_cache_enabled() -> bool:
    """Return whether autocast caches the casts of weights until the outermost `autocast` block ends."""
    return _state.cache_enabled


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Set whether autocast caches the casts of weights until the outermost `autocast` block ends.

    Args:
      enabled: True to cache the casts.
    """
    if not isinstance(enabled, bool):
        raise _errors.autocast.must_be("enabled", "bool", enabled)
    _state.cache_enabled = enabled


def clear_autocast_cache() -> None:
    """Clear the cache of cast weights."""
    _state.cache.clear()


FUNCTIONS = {
    f.__name__: f
    for f in (
        is_autocast_enabled,
        set_autocast_enabled,
        get_autocast_dtype,
        set_autocast_dtype,
        is_autocast_cache_enabled,
        set_autocast_cache_enabled,
        clear_autocast_cache,
        autocast.autocast_increment_nesting,
        autocast.autocast_decrement_nesting,
        *_of_one_kind("cpu", "cpu"),
        *_of_one_kind("gpu", "cuda"),
        *_of_one_kind("xla", "xla"),
        *_of_one_kind("ipu", "ipu"),
    )
}
