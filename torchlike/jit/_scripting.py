"""Whether scripted code is running, and the errors of its calls."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from torchlike._engine.trace.subtrace import Observed
from torchlike._errors.callers import is_users
from torchlike._transforms.answers import answering, current
from torchlike._transforms.marks import marked, unmarked

_running: ContextVar[bool] = ContextVar("scripting", default=False)


class Error(Exception):
    """Raised if scripted code executes `raise`, or if an assertion fails in it."""


Error.__module__ = "torch.jit"
_PROLOGUE = "The following operation failed in the TorchScript interpreter.\nTraceback of TorchScript (most recent call last):\n"  # noqa: E501


_PASSED = (Error, NotImplementedError, Observed)  # `Observed` and its subclasses end a recording


def is_running() -> bool:
    """Return whether scripted code is running."""
    return _running.get()


def call(function: Callable, args: tuple, kwargs: dict) -> Any:
    """Call scripted code. A trace that is running does not see its conversions.

    Raises:
      Error: the code executes `raise`, or an assertion fails.
      RuntimeError: Python refuses an operation, such as the index of a list.
    """
    if _running.get():
        return function(*args, **kwargs)
    args, kwargs = _copied(args), _copied(kwargs)
    traced = current() is not None
    if traced:
        args, kwargs = unmarked(args), unmarked(kwargs)
    token = _running.set(True)
    try:
        with answering(None):
            made = function(*args, **kwargs)
    except _PASSED:
        raise
    except Exception as error:
        raise _converted(error) from error
    finally:
        _running.reset(token)
    return marked(made) if traced else made


def _copied(given: Any) -> Any:
    """Return arguments whose lists and dicts are copies: TorchScript's values are its own."""
    if type(given) in (list, tuple):
        return type(given)(map(_copied, given))
    return {key: _copied(value) for key, value in given.items()} if type(given) is dict else given


def converted(function: Callable, args: tuple, kwargs: dict) -> Any:
    """Call a traced function. Its errors are those of TorchScript's interpreter."""
    try:
        return function(*args, **kwargs)
    except _PASSED:
        raise
    except Exception as error:
        raise failed(f"RuntimeError: {error}") from error


def failed(text: str) -> RuntimeError:
    """Return an error of TorchScript's interpreter."""
    return RuntimeError(_PROLOGUE + text)


def _converted(error: Exception) -> Exception:
    frames = traceback.extract_tb(error.__traceback__)
    last = next((frame for frame in reversed(frames) if is_users(frame.filename)), frames[-1])
    line = (last.line or linecache.getline(last.filename, last.lineno or 0)).strip()
    place = f'{_PROLOGUE}  File "{last.filename}", line {last.lineno}, in {last.name}\n{line} <--- HERE\n'
    is_own = frames[-1] is last and is_users(last.filename)
    if isinstance(error, AssertionError) and is_own:
        return Error(f"{place}RuntimeError: AssertionError: {error}")
    if is_own and "raise " in line:
        kind = type(error)
        return Error(f"{place}{kind.__module__}.{kind.__name__}: {error}")
    return RuntimeError(f"{place}RuntimeError: {error}")


def outside(function: Callable) -> Callable:
    """Return a function in which `is_scripting` is False, for methods that `torch.jit.ignore` marks."""

    def run(*args: Any, **kwargs: Any) -> Any:
        token = _running.set(False)
        try:
            return function(*args, **kwargs)
        finally:
            _running.reset(token)

    return run


def forbidden(function: Callable) -> Callable:
    """Return a function that raises, for methods that `torch.jit.unused` marks."""

    def run(*args: Any, **kwargs: Any) -> Any:
        raise Error(f"{_PROLOGUE}builtins.RuntimeError: Cannot call @unused methods ({function.__name__})")

    return run
