"""Interrupts (SIGINT) at chosen times."""

import contextlib
import os
import signal
import time


@contextlib.contextmanager
def alarms_interrupt():
    """Turn SIGALRM into SIGINT within the block."""
    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    # processes started in the background ignore SIGINT
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)
        signal.signal(signal.SIGINT, heard)


def cut_short(step, delay):
    """Return whether a SIGINT after `delay` seconds interrupted repeated calls of `step`."""
    end = time.perf_counter() + delay + 1e-3
    try:  # the signal may arrive while the timer is being stopped
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            while time.perf_counter() < end:
                step()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return True
    return False
