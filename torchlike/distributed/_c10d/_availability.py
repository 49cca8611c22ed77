"""What the distributed package supports, and its level of debugging."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from enum import Enum
from typing import Any

from torchlike._internal import warn
from torchlike.distributed._reducing import RedOpType
from torchlike.profiler import record_function


def is_available() -> bool:
    """Return True: the distributed package is available."""
    return True


def is_gloo_available() -> bool:
    """Return True: the backend name "gloo" is accepted."""
    return True


def is_mpi_available() -> bool:
    """Return False: MPI is not supported."""
    return False


def is_ucc_available() -> bool:
    """Return False: UCC is not supported."""
    return False


def is_xccl_available() -> bool:
    """Return False: XCCL is not supported."""
    return False


def is_torchelastic_launched() -> bool:
    """Return whether a launcher such as `torchlike.distributed.run` started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


class DebugLevel(Enum):
    """The level of debugging: `OFF`, `INFO` or `DETAIL`. It has no effect on collectives."""

    OFF = 0
    INFO = 1
    DETAIL = 2


def _level_of_environment() -> DebugLevel:
    word = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if word not in DebugLevel.__members__:
        raise ValueError("The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL.")
    return DebugLevel[word]


class _Level:
    """The level of debugging."""

    chosen = _level_of_environment()


def get_debug_level() -> DebugLevel:
    """Return the level of debugging: that of the variable TORCH_DISTRIBUTED_DEBUG, or of `set_debug_level`."""
    return _Level.chosen


def set_debug_level(arg0: DebugLevel) -> None:
    """Set the level of debugging.

    Args:
      arg0 (DebugLevel): the level. It has no effect on collectives.
    """
    _Level.chosen = DebugLevel(arg0)


def set_debug_level_from_env() -> None:
    """Set the level of debugging to that of the environment variable TORCH_DISTRIBUTED_DEBUG."""
    _Level.chosen = _level_of_environment()


class _reduce_op:
    """The deprecated holder of the reduction operators. `ReduceOp` replaces it."""

    def __getattribute__(self, key: str) -> Any:
        if key.startswith("__") and key != "__members__":
            return object.__getattribute__(self, key)
        warn(
            "`torch.distributed.reduce_op` is deprecated, please use `torch.distributed.ReduceOp` instead",
            FutureWarning,
        )
        members = RedOpType.__members__
        if key == "__members__":
            return members
        return members[key] if key in members else object.__getattribute__(self, key)


reduce_op = _reduce_op()


@contextlib.contextmanager
def record_comm(name: str) -> Iterator[None]:
    """Name the collectives of a block in profiles.

    Args:
      name (str): the name.

    >>> with record_comm("gather the weights"):
    ...     pass
    """
    with record_function(name):
        yield
