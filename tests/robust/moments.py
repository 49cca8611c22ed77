"""Interrupts at moments that are spread evenly over a piece of work.

The interpreter checks for signals when a function begins, after a call, and when a loop jumps back. `Points` sends the
signal at the n-th such point, so a trial is reproducible. `Alarm` and `Killer` send it after a time.

All classes have the same interface: `cut_short(name, work, fraction)` runs `work`, interrupts it after this fraction of
the duration measured for `name`, and returns whether it was interrupted.
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
_BEGUN = -1  # used instead of an offset when a function begins or a generator resumes


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextlib.contextmanager
def heard_as_interrupts() -> Iterator[list]:
    """Raise KeyboardInterrupt for SIGALRM and SIGINT within the block.

    Yield a list of the errors in finalizers and callbacks, which Python cannot raise.
    """
    lost: list = []

    def unraisable(args: Any) -> None:
        lost.append((args.exc_type, str(args.object)))

    alarm = signal.signal(signal.SIGALRM, _interrupt)
    ctrl_c = signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes ignore SIGINT by default
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
    """The durations of pieces of work, in a unit of the subclass, and a method that interrupts them."""

    name = ""

    def __init__(self) -> None:
        self._lengths: dict[Any, float] = {}

    def knows(self, name: Any) -> bool:
        """Return whether work of this name was measured."""
        return name in self._lengths

    def length(self, name: Any) -> float:
        """Return the duration of work of this name."""
        return self._lengths[name]

    def measure(self, name: Any, work: Work) -> None:
        """Measure the work without an interrupt."""
        self._lengths[name] = self._length(work)

    def cut_short(self, name: Any, work: Work, fraction: float) -> bool:
        """Run the work, and interrupt it at this fraction of its duration."""
        try:
            try:
                self._arm(fraction * self._lengths[name], work)
            finally:
                self._disarm()
        except KeyboardInterrupt:
            return True
        return False

    def close(self) -> None:
        """Release resources."""

    def _length(self, work: Work) -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    def _arm(self, delay: float, work: Work) -> None:
        raise NotImplementedError

    def _disarm(self) -> None:
        raise NotImplementedError


class Alarm(Moments):
    """SIGALRM with a Python handler that raises, a common way to implement timeouts."""

    name = "alarm"

    def _arm(self, delay: float, work: Work) -> None:
        signal.setitimer(signal.ITIMER_REAL, max(delay, 1e-6))
        work()

    def _disarm(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)


class Killer(Moments):
    """SIGINT, sent to the main thread by another thread."""

    name = "kill"

    def __init__(self) -> None:
        super().__init__()
        self._delays: queue.SimpleQueue = queue.SimpleQueue()
        self._called_off = False  # no `Event`: its lock may stay held if the waiting thread is interrupted
        self._is_done = True
        self._thread = threading.Thread(target=self._shoot, daemon=True)
        self._thread.start()

    def _shoot(self) -> None:
        while (moment := self._delays.get()) is not None:
            left = moment - time.perf_counter()
            if left > 0:
                time.sleep(left)
            if not self._called_off:  # sent to the main thread, because another thread might receive it later
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
    """A signal at the n-th point where the interpreter checks for signals, in any function."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__()
        self.number, self.name = number, f"{number.name} by place"
        self._count, self._target = 0, -1
        # keep a reference, because an interpreter that is interrupted while it traces may drop its own
        self._tracer = self._enter

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
                # The signal arrives one instruction late. Skip points where that instruction has another exception
                # handler.
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
    """Return the offsets of the instructions after which the interpreter checks for signals."""
    calls = ("CALL", "CALL_KW", "CALL_FUNCTION_EX")
    found = [i.offset for i in dis.get_instructions(code) if i.opname in calls or "JUMP_BACKWARD" in i.opname]
    return frozenset([*found, _BEGUN])


@functools.cache
def _handlers(code: CodeType) -> Callable[[int], Any]:
    """Return a function from an offset to the exception handler of the instruction there."""
    entries = dis._parse_exception_table(code)  # type: ignore[attr-defined]

    def handler(offset: int) -> Any:
        return next((entry.target for entry in entries if entry.start <= offset < entry.end), None)

    return handler
