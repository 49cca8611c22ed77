"""Signals that the launcher passes on to its processes."""

from __future__ import annotations

import os
import signal
import threading
import time
from types import FrameType

from torchlike.distributed.elastic.utils.logging import get_logger

logger = get_logger(__name__)
DEFAULT_SIGNALS = "SIGTERM,SIGINT,SIGHUP,SIGQUIT"


class SignalException(Exception):
    """The error of a launcher that received a signal. `sigval` is the signal."""

    def __init__(self, msg: str, sigval: signal.Signals) -> None:
        super().__init__(msg)
        self.sigval = sigval


class Watch:
    """Turns signals into `SignalException`, at the moments at which the launcher waits.

    A signal that arrives at another moment, for example while a process is started, is raised at the next wait. So no
    process is lost.

    Args:
      names: the names of the signals, separated by commas.
    """

    def __init__(self, names: str = DEFAULT_SIGNALS) -> None:
        self._names = [name.strip() for name in names.split(",") if name.strip()]
        self._got: signal.Signals | None = None
        self._waits = False
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Watch:
        if threading.current_thread() is not threading.main_thread():
            logger.warning("signals are not passed on, because the launcher does not run in the main thread")
            return self
        for name in self._names:
            found = getattr(signal, name, None)
            if not isinstance(found, signal.Signals):
                logger.warning("Failed to register signal handler for %s", name)
                continue
            self._before[found] = signal.signal(found, self._receive)
        return self

    def __exit__(self, *error: object) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)  # type: ignore[arg-type]

    def sleep(self, seconds: float) -> None:
        """Wait. A signal ends the wait.

        Raises:
          SignalException: if a signal has arrived.
        """
        self._waits = True
        try:
            self._check()
            time.sleep(seconds)
        finally:
            self._waits = False

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self._got = self._got or signal.Signals(number)
        if self._waits:
            self._check()

    def _check(self) -> None:
        if self._got is not None:
            raise SignalException(f"Process {os.getpid()} got signal: {self._got}", self._got)
