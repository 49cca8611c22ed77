"""Preparation of `os.fork`: pending work runs in the parent, and the child computes with NumPy only."""

from __future__ import annotations

import os

import jax

from torchlike._engine.trace import flush, trace
from torchlike._engine.xla import background
from torchlike._engine.xla.forked import forked
from torchlike._engine.xla.jax_private import backend_is_started


def compute_with_numpy() -> None:
    """Let this process compute with NumPy only. Work that needs XLA raises RuntimeError."""
    forked.is_closed = True
    flush.set_executor("numpy")


def _before() -> None:
    """Finish the work of the process: no compile and no program runs, and no other thread records an operator.

    The child would wait forever for the result of a program, or for a lock of another thread.
    """
    background.wait_for_all()
    flush.boundary()
    if backend_is_started():
        for array in jax.live_arrays():
            try:
                array.block_until_ready()
            except Exception:  # the error of the program is raised where its result is used
                continue
    trace.lock.acquire()


def _in_child() -> None:
    trace.lock.release()
    if backend_is_started():
        forked.is_child = True
        compute_with_numpy()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=trace.lock.release, after_in_child=_in_child)
