"""The interactive prompt, in which `import torch` imports torchlike."""

from __future__ import annotations

import code
import os
import sys
import tokenize
from importlib.metadata import version
from typing import Any

from torchlike._api import programs
from torchlike._tensor import tracebacks
from torchlike.torch_version import OWN

_HELP = 'Type "help", "copyright", "credits" or "license" for more information.'


def versions() -> str:
    """Return the versions of torchlike, JAX and Python as a line of text."""
    return f"torchlike {OWN}, JAX {version('jax')}, Python {sys.version.split()[0]}"


def start(argv: list[str]) -> None:
    """Prompt for statements until end of input, as `python` without a program does. `argv` is `sys.argv`."""
    programs.enter("")
    console = _Console(vars(programs.begin(argv, programs.BUILTIN)))
    if not sys.flags.quiet:
        banner = f"Python {sys.version} on {sys.platform}\ntorchlike {OWN}: 'import torch' imports torchlike.\n{_HELP}"
        print(banner, file=sys.stderr)
    _run_startup_file(console)
    _interact(console)


def after(program: programs.Program) -> None:
    """Run a program, and then prompt for statements in its `__main__`, as `python -i` does."""
    try:
        program.run()
    except BaseException as error:
        programs.report(error)
    _interact(_Console(vars(sys.modules["__main__"])))


class _Console(code.InteractiveConsole):
    """Python's console, whose statements have a file name each.

    Their lines are then part of tracebacks, and torchlike tells statements apart in warnings and reports. The names are
    those that Python's own prompt uses since version 3.13.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__(names, "<stdin>")
        self._count = 0

    def runsource(self, source: str, filename: str = "<stdin>", symbol: str = "single") -> bool:
        name = f"<stdin>-{self._count}"
        programs.keep_source(name, source)
        is_incomplete = super().runsource(source, name, symbol)
        self._count += not is_incomplete
        return is_incomplete

    def showtraceback(self) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            error.__traceback__ = tracebacks.for_user(error, error.__traceback__)
        super().showtraceback()

    def showsyntaxerror(self, filename: str | None = None, **kwargs: Any) -> None:
        super().showsyntaxerror("<stdin>", **kwargs)

    def raw_input(self, prompt: str = "") -> str:
        if sys.stdin.isatty() and sys.stdout.isatty():
            return input(prompt)
        print(prompt, end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.removesuffix("\n")


def _interact(console: _Console) -> None:
    _prepare_readline()
    console.interact(banner="", exitmsg="")


def _prepare_readline() -> None:
    """Set up completion and history as Python does for its own prompt.

    From Python 3.13 on, the variable chooses the module `readline`, which `input` uses, for the history.
    """
    set_up = getattr(sys, "__interactivehook__", None)
    if set_up is None:
        return
    chosen = os.environ.setdefault("PYTHON_BASIC_REPL", "")
    os.environ["PYTHON_BASIC_REPL"] = "1"
    try:
        set_up()
    finally:
        os.environ["PYTHON_BASIC_REPL"] = chosen


def _run_startup_file(console: _Console) -> None:
    path = os.environ.get("PYTHONSTARTUP")
    if not path or sys.flags.ignore_environment:
        return
    try:
        with tokenize.open(path) as file:
            compiled = compile(file.read(), path, "exec", dont_inherit=True)
    except OSError as error:
        print(f"Could not open PYTHONSTARTUP\n{type(error).__name__}: {error}", file=sys.stderr)
    except SyntaxError as error:
        programs.report(error.with_traceback(None))
    else:
        console.runcode(compiled)
