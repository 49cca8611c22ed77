"""Ctrl-C at moments that are spread evenly over a piece of work.

A signal is heard where the interpreter looks for one: when a function begins, after a call, and when a loop turns back.
`Points` sends it at the n-th such place, so that a trial can be repeated. `Alarm` and `Killer` send it after a time.
All are used alike: `cut_short(name, work, fraction)` runs `work`, interrupts it after this fraction of how long work of
this name lasts, and returns whether it was interrupted.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

Work = Callable[[], Any]
_BEGUN = -1  # in place of an offset: the function begins, or a generator goes on


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextlib.contextmanager
def heard_as_interrupts() -> Iterator[list]:
    """Inside, SIGALRM and SIGINT raise KeyboardInterrupt; gives the list of those that Python could not raise, in
    finalizers and callbacks."""
    lost: list = []

    def unraisable(args: Any) -> None:
        lost.append((args.exc_type, str(args.object)))

    alarm = signal.signal(signal.SIGALRM, _interrupt)
    ctrl_c = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process ignores it
    hook, sys.unraisablehook = sys.unraisablehook, unraisable
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        yield lost
    finally:
        sys.setswitchinterval(interval)
        sys.unraisablehook = hook
        signal.signal(signal.SIGALRM, alarm)
        signal.signal(signal.SIGINT, ctrl_c)


class Moments:
    """How long pieces of work last, in some unit, and how one is cut short."""

    name = ""

    def __init__(self) -> None:
        self._lengths: dict[Any, float] = {}

    def knows(self, name: Any) -> bool:
        """Whether work of this name was measured."""
        return name in self._lengths

    def length(self, name: Any) -> float:
        """How long work of this name lasts."""
        return self._lengths[name]

    def measure(self, name: Any, work: Work) -> None:
        """Run it undisturbed."""
        self._lengths[name] = self._length(work)

    def cut_short(self, name: Any, work: Work, fraction: float) -> bool:
        """Run it, and interrupt it at this fraction of its length."""
        try:
            try:
                self._arm(fraction * self._lengths[name], work)
            finally:
                self._disarm()
        except KeyboardInterrupt:
            return True
        return False

    def close(self) -> None:
        """Free what the moments need."""

    def _length(self, work: Work) -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    def _arm(self, delay: float, work: Work) -> None:
        raise NotImplementedError

    def _disarm(self) -> None:
        raise NotImplementedError


class Alarm(Moments):
    """SIGALRM, whose handler is a Python function that raises, as those of timeouts do."""

    name = "alarm"

    def _arm(self, delay: float, work: Work) -> None:
        signal.setitimer(signal.ITIMER_REAL, max(delay, 1e-6))
        work()

    def _disarm(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)


class Killer(Moments):
    """SIGINT, sent to the process by another thread."""

    name = "kill"

    def __init__(self) -> None:
        super().__init__()
        self._delays: queue.SimpleQueue = queue.SimpleQueue()
        self._called_off = False  # no `Event`: one that is interrupted while it is waited for may stay locked
        self._is_done = True
        self._thread = threading.Thread(target=self._shoot, daemon=True)
        self._thread.start()

    def _shoot(self) -> None:
        while (moment := self._delays.get()) is not None:
            left = moment - time.perf_counter()
            if left > 0:
                time.sleep(left)
            if not self._called_off:  # to the main thread: another one might take it later
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # type: ignore[arg-type]
            self._is_done = True

    def _arm(self, delay: float, work: Work) -> None:
        self._called_off = self._is_done = False
        self._delays.put(time.perf_counter() + delay)
        work()

    def _disarm(self) -> None:
        self._called_off = True
        while not self._is_done:
            time.sleep(1e-5)

    def close(self) -> None:
        self._delays.put(None)
        self._thread.join()


class Points(Moments):
    """A signal at the n-th place where the interpreter looks for one, in whatever function that is."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__()
        self.number, self.name = number, f"{number.name} by place"
        self._count, self._target = 0, -1
        self._tracer = self._enter  # held: an interpreter that is interrupted while it traces may lose its own

    def _length(self, work: Work) -> float:
        self._traced(-1, work)
        return self._count

    def _arm(self, delay: float, work: Work) -> None:
        self._traced(int(delay), work)

    def _traced(self, target: int, work: Work) -> None:
        self._count, self._target = 0, target
        before = sys.gettrace()
        sys.settrace(self._tracer)
        try:
            work()
        finally:
            sys.settrace(before)

    def _disarm(self) -> None:
        pass

    def _enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        if 0 <= self._target < self._count:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        places, handlers, before = _looks(frame.f_code), _handlers(frame.f_code), _BEGUN

        def look(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal before
            if event == "opcode":
                at = frame.f_lasti
                # The signal comes one instruction late: not where another handler is in charge of that.
                if before in places and (before == _BEGUN or handlers(before) == handlers(at)):
                    self._pass()
                before = at
            return look

        return look

    def _pass(self) -> None:
        self._count += 1
        if self._count - 1 == self._target:
            signal.raise_signal(self.number)


@functools.cache
def _looks(code: CodeType) -> frozenset[int]:
    """The offsets of the instructions that look for signals when they have run."""
    calls = ("CALL", "CALL_KW", "CALL_FUNCTION_EX")
    found = [i.offset for i in dis.get_instructions(code) if i.opname in calls or "JUMP_BACKWARD" in i.opname]
    return frozenset([*found, _BEGUN])


@functools.cache
def _handlers(code: CodeType) -> Callable[[int], Any]:
    """Gives the exception handler in charge of the instruction at an offset."""
    entries = dis._parse_exception_table(code)  # type: ignore[attr-defined]

    def handler(offset: int) -> Any:
        return next((entry.target for entry in entries if entry.start <= offset < entry.end), None)

    return handler
