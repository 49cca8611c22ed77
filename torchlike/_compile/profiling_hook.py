"""A profiling hook that collects the user code that ran and detects calls with side effects."""

from __future__ import annotations

import gc
import queue
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

from torchlike._compile.code_names import uses
from torchlike._compile.trusted import is_pure_code, is_pure_in_c, is_trusted
from torchlike._engine.xla.jax_private import COMPILERS
from torchlike._errors.callers import Place
from torchlike._tensor.overriding import Function

_CHECK = Function.__call__.__code__
_STEPS = frozenset(("step", "zero_grad"))
_WAITS = frozenset((threading.Condition.wait.__code__, threading.Thread.join.__code__))
_BLOCKING = (type(threading.Lock()), type(threading.RLock()), queue.SimpleQueue)
_OF_THREADS = frozenset(("threading", "concurrent", "queue"))  # the packages whose functions wait for other threads


class Watch:
    """An observer of one call, implemented with `sys.setprofile`.

    `codes` are the user's code objects that ran. `refused` describes the first call of a function that may have side
    effects, with its line. `is_looked_at` tells whether code that computes names of attributes was given an optimizer
    or a scheduler, and `is_asked` whether the user's code called one of its methods other than `step` and `zero_grad`.
    """

    def __init__(self, stop: Callable[[str], None] = lambda reason: None) -> None:
        self.stop = stop  # ends the capture of the call
        self.codes: set[types.CodeType] = set()
        self.refused: str | None = None
        self.is_looked_at = self.is_asked = False
        self._before: Any = None
        self._base: types.FrameType | None = None

    def __enter__(self) -> Watch:
        self._before, self._base = sys.getprofile(), None
        # Callbacks and finalizers that the garbage collector runs are not part of the call.
        self._collects = gc.isenabled()
        gc.disable()
        sys.setprofile(self._saw)
        return self

    def __exit__(self, *_: object) -> None:
        if self._collects:
            gc.enable()
        if self._before is None or callable(self._before):
            sys.setprofile(self._before)
        else:  # a profiler implemented in C, such as `cProfile`
            sys.setprofile(None)
            self._before.enable()
        self._base = None

    def _saw(self, frame: types.FrameType, event: str, what: Any) -> None:
        if self._base is None:  # the first event is the return from `__enter__`
            self._base = frame.f_back
        elif event == "call":
            if frame.f_code in _WAITS and self._is_users_wait(frame):
                self.stop("another thread is awaited")  # it may itself wait for a value of the capture
            module = frame.f_globals.get("__name__")
            if not is_trusted(module):
                if frame.f_code not in self.codes and not self._is_internal(frame):
                    self.codes.add(frame.f_code)
                if not self.is_looked_at and uses(frame.f_code).looks:
                    self.is_looked_at = any(map(_is_stepping, frame.f_locals.values()))
            elif (caller := _caller(frame)) and self._is_users(caller):
                if not is_pure_code(frame.f_code, module):
                    self._refuse(caller, f"{module}.{frame.f_code.co_qualname}")
                if not self.is_asked and frame.f_code.co_name not in _STEPS:
                    self.is_asked = any(map(_is_stepping, frame.f_locals.values()))
        elif event == "return" and _is_stepping(what):
            self.is_looked_at |= not is_trusted(frame.f_globals.get("__name__"))  # any code may be its caller
        elif event == "c_call" and self._is_users(frame) and not is_pure_in_c(what):
            if isinstance(getattr(what, "__self__", None), _BLOCKING):
                self.stop("another thread may be awaited")
            self._refuse(frame, _name(what))

    def _is_users_wait(self, frame: types.FrameType | None) -> bool:
        """Return whether user code waits for another thread."""
        while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _OF_THREADS:
            frame = frame.f_back
        return frame is not None and self._is_users(frame) and not self._is_internal(frame)

    def _is_users(self, frame: types.FrameType) -> bool:
        return not is_trusted(frame.f_globals.get("__name__"))

    def _is_internal(self, frame: types.FrameType | None) -> bool:
        """Return whether a frame runs during an import, or while JAX compiles a program.

        JAX's compiler calls other libraries, such as etils for the paths of its caches.
        """
        while frame is not None and frame is not self._base:
            if is_import(frame.f_code) or frame.f_globals.get("__name__") in COMPILERS:
                return True
            frame = frame.f_back
        return False

    def _refuse(self, frame: types.FrameType, what: str) -> None:
        if self.refused is None and not self._is_internal(frame):
            place = Place(frame.f_code.co_filename, frame.f_lineno)
            self.refused = f"{place} calls {what}, which has side effects or depends on hidden state"


def is_import(code: types.CodeType) -> bool:
    """Return whether this is code of the import system."""
    return code.co_filename.startswith("<frozen importlib")


def _caller(frame: types.FrameType) -> types.FrameType | None:
    """Return the frame that called a function, without the wrapper that checks for `__torch_function__`."""
    caller = frame.f_back
    return caller.f_back if caller is not None and caller.f_code is _CHECK else caller


def _name(what: Any) -> str:
    owner = getattr(what, "__module__", None)
    name = getattr(what, "__qualname__", repr(what))
    return name if owner in (None, "builtins") else f"{owner}.{name}"


def _is_stepping(x: Any) -> bool:
    """Return whether an object is an optimizer or a scheduler."""
    cls = type(x)
    return hasattr(cls, "_followed") and hasattr(cls, "step")
