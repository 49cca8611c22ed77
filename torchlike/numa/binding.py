"""`torch.numa.binding`: binding of processes to the memory of a processor. Not supported."""

from __future__ import annotations

from enum import Enum
from typing import Any

from torchlike._internal import _errors


class AffinityMode(str, Enum):  # noqa: UP042 - formatted as PyTorch formats it
    """The units to which processes would be bound."""

    NODE = "node"
    SOCKET = "socket"
    EXCLUSIVE = "exclusive"
    CORE_COMPLEX = "core-complex"


class NumaOptions:
    """The options of the binding. Not supported: the constructor raises NotImplementedError.

    Args:
      args, kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        instead = "bind the processes by numactl or taskset, outside of Python"
        raise _errors.arguments.cannot("numa.binding.NumaOptions", instead)
