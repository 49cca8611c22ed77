"""Preparation of `os.fork`: pending work runs in the parent, and the child computes with NumPy only."""

from __future__ import annotations

import itertools
import os
import time
from typing import Any

import jax

from torchlike._engine.report import log
from torchlike._engine.trace import flush, trace
from torchlike._engine.trace.interrupts import uninterrupted
from torchlike._engine.xla import background
from torchlike._engine.xla.forked import forked, locks_held_in_forks
from torchlike._engine.xla.jax_private import backend_is_started, keep_threads
from torchlike._engine.xla.mesh import active

_PAUSE = 0.0005  # seconds between two attempts to acquire the locks of a fork


def compute_with_numpy() -> None:
    """Let this process compute with NumPy only. Work that needs XLA raises RuntimeError."""
    if not forked.is_closed:
        forked.is_closed = True
        active.mesh = None
        flush.set_executor("numpy")
        jax.monitoring.register_event_duration_secs_listener(_refuse)


def _refuse(event: str, duration_secs: float, **_: object) -> None:
    """Raise before JAX compiles a program that other code made. In a forked process, the compile would never end."""
    if event == "/jax/core/compile/jaxpr_to_mlir_module_duration":
        forked.check("a program of JAX")


def prepare_fork() -> None:
    """Finish the work of the process, so that no compile and no program runs.

    A child process would wait forever for the result of a program, or for a lock of the compile.
    """
    started = time.perf_counter()
    background.wait_for_all()
    log.report_wait_to_fork(time.perf_counter() - started)
    flush.boundary()
    if backend_is_started():
        for array in jax.live_arrays():
            try:
                array.block_until_ready()
            except Exception:  # the error of the program is raised where its result is used
                continue


class _Fork:
    """The hooks of `os.fork`. During a fork, no other thread records an operator or samples random numbers.

    Python drops the exceptions of a hook, interrupts included.
    """

    def __init__(self) -> None:
        self._held: list[Any] = []

    def before(self) -> None:
        try:
            prepare_fork()
        finally:
            with uninterrupted():
                self._hold()

    def _hold(self) -> None:
        """Acquire all locks. If one is in use, release the others before the next attempt: its holder may need them."""
        while True:
            trace.lock.acquire()
            taken = [trace.lock]
            others = locks_held_in_forks()
            taken += itertools.takewhile(lambda lock: lock.acquire(blocking=False), others)
            if len(taken) == len(others) + 1:
                self._held = taken
                return
            _release(taken)
            time.sleep(_PAUSE)

    def after(self) -> None:
        with uninterrupted():
            held, self._held = self._held, []
            _release(held)

    def in_child(self) -> None:
        self.after()
        if backend_is_started():
            forked.is_child = True
            keep_threads()
            compute_with_numpy()


def _release(locks: list[Any]) -> None:
    for lock in reversed(locks):
        lock.release()


_fork = _Fork()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fork.before, after_in_parent=_fork.after, after_in_child=_fork.in_child)
