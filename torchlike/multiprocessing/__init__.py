"""`torch.multiprocessing`: Python's `multiprocessing` under PyTorch's names.

A tensor in shared memory (`Tensor.share_memory_`) that is sent to another process is shared: a write is visible in
both. Any other tensor is copied. A forked child process computes with NumPy if its
parent has used XLA, because the threads of XLA exist only in the parent; what needs XLA raises RuntimeError there.
Processes that train should be started by the method "spawn", which is the default of `spawn` and `start_processes`.
"""

from __future__ import annotations

import sys
from multiprocessing import Array as Array
from multiprocessing import AuthenticationError as AuthenticationError
from multiprocessing import Barrier as Barrier
from multiprocessing import BoundedSemaphore as BoundedSemaphore
from multiprocessing import BufferTooShort as BufferTooShort
from multiprocessing import Condition as Condition
from multiprocessing import Event as Event
from multiprocessing import JoinableQueue as JoinableQueue
from multiprocessing import Lock as Lock
from multiprocessing import Manager as Manager
from multiprocessing import Pipe as Pipe
from multiprocessing import Pool as Pool
from multiprocessing import Process as Process
from multiprocessing import ProcessError as ProcessError
from multiprocessing import Queue as Queue
from multiprocessing import RawArray as RawArray
from multiprocessing import RawValue as RawValue
from multiprocessing import RLock as RLock
from multiprocessing import Semaphore as Semaphore
from multiprocessing import SimpleQueue as SimpleQueue
from multiprocessing import TimeoutError as TimeoutError
from multiprocessing import Value as Value
from multiprocessing import active_children as active_children
from multiprocessing import allow_connection_pickling as allow_connection_pickling
from multiprocessing import cpu_count as cpu_count
from multiprocessing import current_process as current_process
from multiprocessing import freeze_support as freeze_support
from multiprocessing import get_all_start_methods as get_all_start_methods
from multiprocessing import get_context as get_context
from multiprocessing import get_logger as get_logger
from multiprocessing import get_start_method as get_start_method
from multiprocessing import log_to_stderr as log_to_stderr
from multiprocessing import parent_process as parent_process
from multiprocessing import reducer as reducer
from multiprocessing import set_executable as set_executable
from multiprocessing import set_forkserver_preload as set_forkserver_preload
from multiprocessing import set_start_method as set_start_method

from . import reductions as reductions
from .reductions import init_reductions as init_reductions
from .spawn import ENV_VAR_PARALLEL_START as ENV_VAR_PARALLEL_START
from .spawn import ProcessContext as ProcessContext
from .spawn import ProcessException as ProcessException
from .spawn import ProcessExitedException as ProcessExitedException
from .spawn import ProcessRaisedException as ProcessRaisedException
from .spawn import SpawnContext as SpawnContext
from .spawn import spawn as spawn
from .spawn import start_processes as start_processes

_STRATEGIES = frozenset({"file_descriptor", "file_system"} if sys.platform == "linux" else {"file_system"})


def get_all_sharing_strategies() -> set[str]:
    """Return the sharing strategies that PyTorch supports on this system.

    They have no effect in torchlike: shared memory is always a file without a name, sent as a descriptor.
    """
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """Return the current sharing strategy, which has no effect."""
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Set the sharing strategy, which has no effect (see `get_all_sharing_strategies`).

    Args:
      new_strategy (str): one of `get_all_sharing_strategies()`.

    Raises:
      AssertionError: the strategy does not exist on this system.
    """
    global _strategy
    if new_strategy not in _STRATEGIES:
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}, expected one of {set(_STRATEGIES)}")
    _strategy = new_strategy


_strategy = "file_descriptor" if sys.platform == "linux" else "file_system"

init_reductions()
