"""Flushes. A flush looks up the program of a trace by key, runs it, and stores the results in their Values."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Iterator
from itertools import chain, repeat
from sys import getrefcount
from time import perf_counter
from typing import Any

import jax
import numpy as np

from torchlike._dtypes.devices import device as Device
from torchlike._dtypes.precision import switches
from torchlike._dtypes.recorder import current
from torchlike._engine.heap import release_freed_blocks
from torchlike._engine.interpreter.costs import is_cold
from torchlike._engine.interpreter.executor import Failed, Interpreted
from torchlike._engine.programs import programs
from torchlike._engine.report import log
from torchlike._engine.report.program_statistics import Making, ledger
from torchlike._engine.report.timing import tell, timed, watchers
from torchlike._engine.trace import failures
from torchlike._engine.trace import trace as _trace
from torchlike._engine.trace.interrupts import reraise
from torchlike._engine.trace.ownership import LIST_ITEM, lent
from torchlike._engine.trace.value import Value
from torchlike._engine.trace.waiting import on_host
from torchlike._engine.xla import disk_cache, layout, memory
from torchlike._engine.xla import executor as xla_executor
from torchlike._engine.xla.mesh import active
from torchlike._errors.callers import users_place


def run(device: Device, draws: bool = False) -> None:
    """Flush one device because results are needed, and end an active capture.

    `draws` is True if random sampling needs the results (for example the rates of a Poisson distribution).
    """
    capture = current().capture
    if capture is not None:
        capture.stop(
            "random sampling reads the elements of a tensor" if draws else "the elements of a tensor are needed", draws
        )
    flush(device, is_read=True)


def flush(device: Device, is_read: bool = False) -> None:
    """Run the pending trace of one device. `is_read` says that the program reads a result now.

    The flush is atomic under interrupts: either all results are committed, or none is and the trace is still pending.
    """
    awaited = _flush(device, is_read)
    while awaited is not None:
        # The lock is not held here, because finalizers in the compiling thread may need it.
        trace = device.trace
        awaited.wait([] if trace is None else [plan.name for plan, _ in _trace.operators(trace.code)])
        awaited = _flush(device, is_read, again=True)


def _flush(device: Device, is_read: bool, again: bool = False) -> xla_executor.Fused | None:
    """Run the pending trace of one device.

    If its program is still being compiled in the background and must not be interpreted any more, do nothing and return
    that program. `again` says that this happened before.
    """
    with _trace.lock:
        trace = device.trace
        if trace is None:
            _trace.pending.pop(device, None)
            return
        if _trace.ahead.session is not None:
            _trace.ahead.session.needs(device)
        if _trace.observers and not again:
            _trace.observe(plan for plan, _ in _trace.operators(trace.code))
        values = [r() for r in trace.results]  # strong references, so no Value is freed between the key and the run
        live = tuple([i for i, v in enumerate(values) if v is not None])
        if live or trace.mesh is not None:
            # The array of an input whose Value was freed can be donated if no other references to it exist. A host
            # array can always be donated, because it is copied first. The reference count is taken inline, because a
            # function call may add references to its arguments, depending on active tracers and profilers.
            arrays = trace.arrays
            dead = [i for i, r in enumerate(trace.inputs) if r() is None]
            if lent:
                dead = [i for i in dead if id(arrays[i]) not in lent]
            donated = tuple(
                [i for i in dead if getrefcount(arrays[i]) <= LIST_ITEM or arrays[i].__class__ is np.ndarray]
            )
            key = (
                tuple(trace.code),
                len(trace.arrays),
                live,
                donated,
                _shared(trace.scalars),
                switches.of[device.type],
                _executor,
            )
            if active.mesh is not None:
                key = (*key, layout.layout_of(device, trace, live))
            awaited = _run(device, trace, key, [values[i] for i in live], is_read)
            if awaited is not None:
                return awaited
        device.trace = None
        _trace.pending.pop(device, None)
    return None


def _run(device: Device, trace: _trace.Trace, key: tuple, values: list, is_read: bool) -> xla_executor.Fused | None:
    """Run a trace as one program. If that fails, run its operators one by one. For the result, see `_flush`."""
    try:
        program = programs.get(key)
        if program is None:
            _first_run(device, trace, key, None, values)
        elif program.__class__ is not Interpreted or _executor == "numpy":
            _execute(device, trace, program, values)
        elif program.is_hot(trace, is_read):
            if program.compiling is not None and not program.compiling.is_ready():
                return program.compiling
            _first_run(device, trace, key, program, values)
        else:
            if program.is_warm():
                program.compiling = xla_executor.Fused(device, trace, key[2], key[3], later=True)
            _execute(device, trace, program, values)
    except Exception as error:
        reraise(error)
        if trace.mesh is not None and not trace.mesh.is_disagreement(error):
            failures.abandon(device, trace, values, error)
            raise
        if device.trace is not trace:  # the results are committed; the error is a warning that became an exception
            raise
        log.logger.debug("a program failed, so its operators run one by one", exc_info=error)
        failures.isolate(device, trace, key[2], values, memory.explained(error, device, trace.code, users_place()))
    return None


def _shared(scalars: list) -> tuple[int, ...]:
    """Return, for each sequence of numbers, the index of the first sequence that is the same object."""
    first: dict[int, int] = {}
    return tuple([first.setdefault(id(numbers), i) for i, numbers in enumerate(scalars)])


def _first_run(device: Device, trace: _trace.Trace, key: tuple, known: Any, values: list) -> None:
    """Build a new program, or compile one that was interpreted before. Run it, and report the compile event."""
    account = ledger.open(device, trace, key[2], users_place()) if known is None else known.account
    making, started = Making(account), perf_counter()
    if known is not None and known.compiling is not None:
        program = known.compiling
        making.was_in_background(*program.finish())
    else:
        program = _build(device, trace, key[2], key[3], known is None, account.at_once)
    program.account = account
    if program.__class__ is Interpreted:
        account.came_again()
    making.is_built(program.__class__ is Interpreted, program.donated_bytes)
    tell(account, started, perf_counter(), True)
    programs.add(key, program)
    _execute(device, trace, program, values)
    making.has_run(hot=known is not None)
    if program.__class__ is not Interpreted:  # the host arrays that it moved to the device are free
        release_freed_blocks(account.compile_seconds)
    log.log_compile(making, _executor)


def forget_programs() -> None:
    """Free every compiled program. The next run compiles again, or loads from the disk cache."""
    with _trace.lock:
        programs.clear()
        ledger.lines.clear()
    jax.clear_caches()


def clear_cache() -> disk_cache.Contents:
    """Delete every compiled program, both in memory and in torchlike's disk cache.

    Programs compile again at their next run, in this process and in every process that starts later. A cache folder
    that the user configured for JAX (`JAX_COMPILATION_CACHE_DIR`) is not touched. `python -m torchlike --clear-cache`
    does the same from a shell. PyTorch has no such function.

    Returns:
      The contents that were removed from disk: `folder`, `programs` (their number) and `bytes`.
    """
    forget_programs()
    cache = disk_cache.cache
    return disk_cache.Contents("", 0, 0) if cache is None else cache.clear()


def _build(
    device: Device, trace: _trace.Trace, live: tuple[int, ...], donated: tuple[int, ...], is_new: bool, at_once: bool
) -> Any:
    """Return a program for a trace: interpreted if that is estimated to be cheaper, and compiled otherwise.

    With `at_once`, a training program is compiled unless it is small.
    """
    if device.type == "cpu" and (_executor == "numpy" or (_executor == "auto" and is_new and is_cold(trace, at_once))):
        return Interpreted(trace, live)
    return xla_executor.Fused(device, trace, live, donated)


def _execute(device: Device, trace: _trace.Trace, program: Any, values: list) -> None:
    """Run a program, commit its results, and end the trace."""
    commit = functools.partial(_commit, device, trace, values)
    if program.__class__ is Interpreted:
        arrays = timed(program.account, program, trace) if watchers else program(trace)
        if Failed in map(type, arrays):
            if trace.mesh is not None:  # the collectives cannot run again
                raise next(x.error for x in arrays if x.__class__ is Failed)
            failures.isolate(device, trace, program.live, values, None)
        else:
            deque(commit(iter(arrays)), 0)
    else:
        program.executable.fill(device, commit, program.arguments(trace))
    program.account.runs += 1


def _commit(device: Device, trace: _trace.Trace, values: list, arrays: Iterator) -> Iterator:
    """Return an iterator that stores the results of a trace in its Values, and then ends the trace.

    The iterator runs in C, so that no signal handler runs in between.
    """
    return chain(map(setattr, values, repeat("array"), arrays), trace.emptied(), map(_trace.end, (device,), (None,)))


def boundary(is_read: bool = False) -> None:
    """Flush all devices, except during a capture. `is_read` says that the program will probably read a result soon.

    Called at fixed points of a program, such as after backward, after an optimizer step and before the next batch.
    """
    if current().capture is not None:
        return
    for device in list(_trace.pending):
        if _trace.ahead.session is None:
            flush(device, is_read)
        else:
            _trace.ahead.session.cut(device)


switches.on_change.append(boundary)  # pending work has the precision that was set when it was recorded


def prelude() -> None:
    """Flush before a model is called (the pre-forward flush).

    Do nothing if a gradient node was created since a pending trace began. The flush keeps work that precedes a training
    step out of the step's program, so that every step runs the same program.
    """
    latest = _trace.latest.node
    for trace in tuple(_trace.pending.values()):
        if trace.before != latest:
            return
    boundary()


def concrete(value: Value, draws: bool = False) -> Any:
    """Return the array of a value, and run pending work if necessary.

    This is a read of the value: an active capture observes it, or ends if pending work must run. For `draws`, see
    `run`.
    """
    if value.array is None:
        settled = value.settle()
        if settled is not value:
            return settled.array
        if value.aval.device.type == "meta":
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        _trace.wait_for(value)
        if value.array is None:
            run(value.aval.device, draws)
        failures.check(value)
    elif current().capture is not None:
        current().capture.observes(value)
    return value.array


def to_numpy(value: Value, draws: bool = False) -> np.ndarray:
    """Return the value as a read-only NumPy array. For `draws`, see `run`."""
    return on_host(concrete(value, draws))


def element(value: Value) -> Any:
    """Return the only element of a value as a Python number."""
    found = to_numpy(value).reshape(())
    return float(found) if value.aval.dtype.is_floating_point else found.item()


def peek(value: Value) -> np.ndarray:
    """Return the value as an array for reading only. The caller must not keep it: other code may own the memory."""
    array = value.peek()
    return on_host(concrete(value) if array is None else array)


EXECUTORS = ("xla", "numpy", "auto", "immediate")
_executor = "auto"


class set_executor:
    """Choose how recorded work runs. The choice takes effect immediately; a `with` block restores the previous one.

    `"xla"` fuses the operators recorded since the last flush into one compiled program. `"numpy"` interprets them on
    the CPU, operator by operator, and compiles only the operators that NumPy cannot run, each separately. `"auto"` (the
    default) interprets forward work on the CPU until compiling would have paid off, according to a model of both costs.
    Small forward programs whose results are read are never compiled. It interprets a training step once if the step is
    small, and longer if its shapes keep changing. `"immediate"` runs each operator immediately, compiled, for
    debugging.

    Args:
      name: the executor.
    """

    def __init__(self, name: str) -> None:
        if name not in EXECUTORS:
            raise ValueError(f"set_executor expects one of {EXECUTORS}, got {name!r}")
        self._before = _executor, not _trace.limit.length
        boundary()
        self._set("xla" if name == "immediate" else name, name == "immediate")

    def _set(self, executor: str, immediate: bool) -> None:
        global _executor
        _executor = executor
        _trace.limit.length = 0 if immediate else _trace.limit.LONGEST

    def __enter__(self) -> set_executor:
        return self

    def __exit__(self, *_: object) -> None:
        self._set(*self._before)
