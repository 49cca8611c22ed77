"""Preparation of `os.fork`: pending work runs in the parent, and the child computes with NumPy only."""

from __future__ import annotations

import os
import time

import jax

from torchlike._engine.report import log
from torchlike._engine.trace import flush, trace
from torchlike._engine.trace.interrupts import uninterrupted
from torchlike._engine.xla import background
from torchlike._engine.xla.forked import forked
from torchlike._engine.xla.jax_private import backend_is_started
from torchlike._engine.xla.mesh import active


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
    log.waited_to_fork(time.perf_counter() - started)
    flush.boundary()
    if backend_is_started():
        for array in jax.live_arrays():
            try:
                array.block_until_ready()
            except Exception:  # the error of the program is raised where its result is used
                continue


class _Fork:
    """The hooks of `os.fork`. During a fork, no other thread records an operator.

    Python drops the exceptions of a hook, interrupts included.
    """

    def __init__(self) -> None:
        self._holds = False

    def before(self) -> None:
        prepare_fork()
        with uninterrupted():
            self._holds = trace.lock.acquire()

    def after(self) -> None:
        with uninterrupted():
            if self._holds:
                self._holds = False
                trace.lock.release()

    def in_child(self) -> None:
        self.after()
        if backend_is_started():
            forked.is_child = True
            compute_with_numpy()


_fork = _Fork()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_fork.before, after_in_parent=_fork.after, after_in_child=_fork.in_child)
