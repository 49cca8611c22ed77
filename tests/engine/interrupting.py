"""Ctrl-C at chosen moments."""

import contextlib
import os
import signal
import time


@contextlib.contextmanager
def alarms_interrupt():
    """Inside, an alarm is heard as Ctrl-C."""
    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process started in the background ignores it
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.signal(signal.SIGINT, heard)


def cut_short(step, delay):
    """Whether SIGINT, sent `delay` seconds from now, reached a run of steps that lasts longer than that."""
    end = time.perf_counter() + delay + 1e-3
    try:  # the signal may still come while the timer is being stopped
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            while time.perf_counter() < end:
                step()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return True
    return False
