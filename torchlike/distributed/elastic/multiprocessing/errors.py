"""What a process leaves behind for its launcher when it fails."""

from __future__ import annotations

import functools
import json
import os
import time
import traceback
from collections.abc import Callable
from typing import Any


def record(fn: Callable[..., Any], error_handler: Any = None) -> Callable[..., Any]:
    """Have an error of the function written as JSON to the file that TORCHELASTIC_ERROR_FILE names, if it does; it is
    raised all the same. An `error_handler` has `record_exception(error)` called in place of that."""

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
