"""`python -m tests.cli.calls`: call functions and classes without useful arguments, to find those that always refuse.

Reads a JSON list of names from stdin, and writes a JSON object to stdout: the errors that name torchlike, by name. A
name in the list is called with None for each required parameter, so that a function which refuses reaches its error.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import os
import re
import signal
import sys
import tempfile
import warnings
from typing import Any

import torchlike

SECONDS = 5
# Functions that wait for other processes or a debugger, or that start processes.
WAITING = re.compile(r"breakpoint|barrier|spawn|start_processes|\.main$|\.run$|init_process_group|rendezvous|Store$")


def found(name: str) -> Any:
    """Return the object that a name leads to."""
    at: Any = torchlike
    path = "torchlike"
    for word in name.split(".")[1:]:
        path += "." + word
        at = getattr(at, word) if hasattr(at, word) else importlib.import_module(path)
    return at


def refusal(function: Any) -> str:
    """Return the text of the error that calling a function raises, if it is NotImplementedError and names torchlike."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        parameters = ()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    count = sum(p.kind in positional and p.default is p.empty for p in parameters)
    try:
        signal.alarm(SECONDS)
        function(*[None] * count)
    except NotImplementedError as error:
        return str(error) if "torchlike" in str(error) else ""
    except BaseException:
        return ""
    finally:
        signal.alarm(0)
    return ""


def refused(names: list[str]) -> dict[str, str]:
    """Return the errors of the names that refuse."""
    texts = {}
    for name in names:
        function = found(name)
        if callable(function) and not WAITING.search(name):
            texts[name] = refusal(function)
    return {name: text for name, text in texts.items() if text}


def main() -> None:
    """Read the names and write the errors."""

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    names = json.load(sys.stdin)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        texts = refused(names)
        os.chdir("/")
    print(json.dumps(texts))


if __name__ == "__main__":
    main()
