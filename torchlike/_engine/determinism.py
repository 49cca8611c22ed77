"""Settings of determinism and of threads. On the CPU, XLA is deterministic and uses one thread per processor."""

from __future__ import annotations

import os
from typing import Any

from torchlike._dtypes import devices, modes
from torchlike._engine.xla.forked import forked
from torchlike._engine.xla.target import THREADS
from torchlike._errors.warned import warn

_mode = {"enabled": False, "warn_only": False, "fills_uninitialized": True}
_NONDETERMINISTIC_GPU = (
    "XLA chooses the algorithms of GPUs at startup. For deterministic algorithms, set the environment "
    "variable XLA_FLAGS=--xla_gpu_deterministic_ops=true before the program starts."
)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Request deterministic algorithms.

    All algorithms on the CPU are deterministic. A training program that is interpreted at first differs in its last
    bits from the compiled program that replaces it after a fixed number of steps. With `mode`, training programs are
    compiled at once, so that training from a checkpoint continues with the same bits. If there is a GPU and XLA is not
    configured to be deterministic on it, warn how to configure XLA.

    Args:
      mode: True to request them.
      warn_only: in PyTorch, warn about algorithms that are not deterministic instead of raising an error.
    """
    _mode["enabled"], _mode["warn_only"] = bool(mode), bool(warn_only)
    _update()
    if mode:
        warn_of_gpu()


def is_enabled() -> bool:
    """Return whether deterministic algorithms are enabled."""
    return _mode["enabled"]


def fills_uninitialized() -> bool:
    """Return whether uninitialized memory is filled while deterministic algorithms are enabled."""
    return _mode["fills_uninitialized"]


def set_fill_uninitialized(mode: bool) -> None:
    """Set whether uninitialized memory is filled while deterministic algorithms are enabled."""
    if not isinstance(mode, bool):
        raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
    _mode["fills_uninitialized"] = mode
    _update()


def _update() -> None:
    modes.fill_uninitialized = _mode["enabled"] and _mode["fills_uninitialized"]


def warn_of_gpu() -> None:
    """Warn if there is a GPU and XLA is not configured to be deterministic on it."""
    if devices.jax_devices("cuda") and "xla_gpu_deterministic_ops" not in os.environ.get("XLA_FLAGS", ""):
        warn(_NONDETERMINISTIC_GPU)


def are_deterministic_algorithms_enabled() -> bool:
    """Return whether deterministic algorithms are enabled.

    >>> torchlike.are_deterministic_algorithms_enabled()
    False
    """
    return _mode["enabled"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return whether a nondeterministic algorithm causes a warning instead of an error.

    >>> torchlike.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return _mode["warn_only"]


def get_deterministic_debug_mode() -> int:
    """Return 0 if deterministic algorithms are not enabled, 1 if violations warn, 2 if they raise."""
    return 0 if not _mode["enabled"] else 1 if _mode["warn_only"] else 2


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Set the mode of deterministic algorithms by number or name: 0 "default", 1 "warn", 2 "error".

    Args:
      debug_mode: the number or the name.
    """
    names = {"default": 0, "warn": 1, "error": 2}
    if isinstance(debug_mode, str) and debug_mode not in names:
        raise RuntimeError(
            f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
        )
    level = names[debug_mode] if isinstance(debug_mode, str) else debug_mode
    if level not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {level}")
    use_deterministic_algorithms(level > 0, warn_only=level == 1)


def get_num_threads() -> int:
    """Return the number of threads in XLA's pool on the CPU, and 1 in a process that computes with NumPy.

    >>> torchlike.get_num_threads() >= 1
    True
    """
    return 1 if forked.is_closed else THREADS


def set_num_threads(num: int) -> None:
    """Warn if `num` differs from the current number of threads. The size of XLA's pool is fixed at process start.

    Args:
      num: the number of threads.

    >>> torchlike.set_num_threads(torchlike.get_num_threads())
    """
    _no_other_number("set_num_threads", num)


def get_num_interop_threads() -> int:
    """Return the number of threads that run operators in parallel: the size of XLA's only pool."""
    return get_num_threads()


def set_num_interop_threads(num: int) -> None:
    """Warn if `num` differs from the current number of threads, as `set_num_threads` does.

    Args:
      num: the number of threads.
    """
    _no_other_number("set_num_interop_threads", num)


def _no_other_number(name: str, num: Any) -> None:
    if not isinstance(num, int):
        raise RuntimeError(f"{name} expects an int, but got {type(num).__name__}")
    if num <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    if num == get_num_threads():
        return
    if forked.is_closed:
        warn(f"{name}({num}) has no effect: this process computes with NumPy.")
        return
    warn(
        f"{name}({num}) has no effect: XLA's thread pool has {THREADS} threads, one for each CPU that was available to "
        "the process at startup (see taskset)."
    )


FUNCTIONS = {
    f.__name__: f
    for f in (
        use_deterministic_algorithms,
        are_deterministic_algorithms_enabled,
        is_deterministic_algorithms_warn_only_enabled,
        get_deterministic_debug_mode,
        set_deterministic_debug_mode,
        get_num_threads,
        set_num_threads,
        get_num_interop_threads,
        set_num_interop_threads,
    )
}
