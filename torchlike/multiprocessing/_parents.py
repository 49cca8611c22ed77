"""The end of child processes whose parent process is killed."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def asks_to_die(number: signal.Signals, parent: int | None) -> Callable[[], None]:
    """Return a function that a new child process calls. It asks Linux for a signal at the end of the parent.

    On other systems, the function does nothing, and the children of a parent that is killed by SIGKILL go on.

    Args:
      number: the signal.
      parent: the process id of the parent, or None if it is unknown. If the parent has already ended, the child sends
        the signal to itself.
    """
    if sys.platform != "linux":
        return lambda: None
    prctl = ctypes.CDLL(None).prctl

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if parent is not None and os.getppid() != parent:
            os.kill(os.getpid(), number)

    return ask
