"""Error files, through which a failed process reports its error to the launcher."""

from __future__ import annotations

import functools
import json
import os
import time
import traceback
from collections.abc import Callable
from typing import Any


def record(fn: Callable[..., Any], error_handler: Any = None) -> Callable[..., Any]:
    """Wrap a function so that its exceptions are written to the error file and raised again.

    The environment variable TORCHELASTIC_ERROR_FILE names the error file. If it is not set, nothing is written. With an
    `error_handler`, `error_handler.record_exception(error)` is called instead.
    """

    @functools.wraps(fn)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except Exception as error:
            if error_handler is not None:
                error_handler.record_exception(error)
            elif "TORCHELASTIC_ERROR_FILE" in os.environ:
                _write(os.environ["TORCHELASTIC_ERROR_FILE"], error)
            raise

    return recorded


def _write(path: str, error: Exception) -> None:
    told = {
        "message": f"{type(error).__name__}: {error}",
        "extraInfo": {"py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))},
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"message": told}, file)
