"""Timers that end a process whose block does not finish in time. Those over files are not supported."""

import sys

from torchlike.distributed import _absent

from .api import TimerClient as TimerClient
from .api import TimerRequest as TimerRequest
from .api import TimerServer as TimerServer
from .api import configure as configure
from .api import expires as expires
from .local_timer import LocalTimerClient as LocalTimerClient
from .local_timer import LocalTimerServer as LocalTimerServer

_absent.fill(sys.modules[__name__], "FileTimerClient FileTimerRequest FileTimerServer")
_absent.submodule(__name__ + ".file_based_local_timer", "FileTimerClient FileTimerRequest FileTimerServer")
