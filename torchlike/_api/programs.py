"""Programs that run as `__main__`, as the command `python` runs them: a script, a module, code, or standard input."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import io
import linecache
import os
import sys
import textwrap
from collections.abc import Callable
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple

from torchlike._api.import_hook import install, own_name
from torchlike._tensor import tracebacks

BUILTIN = {"__loader__": importlib.machinery.BuiltinImporter}  # what Python sets for code that has no file


class Program(NamedTuple):
    """A program that is ready to run: its `sys.argv`, its code, and the names that `__main__` has before it runs."""

    argv: list[str]
    compiled: Callable[[], CodeType]
    names: dict[str, Any]

    def run(self) -> None:
        """Run the program as `__main__`. The report of an uncaught error shows the program's frames only."""
        main = begin(self.argv, self.names)
        try:
            code = self.compiled()
        except SyntaxError as error:
            _show_from(error, None)
            raise
        try:
            exec(code, vars(main))
        except BaseException as error:
            _show_from(error, error.__traceback__ and error.__traceback__.tb_next)
            raise


def script(path: str, args: list[str]) -> Program:
    """Return the file `path` as a program, as in `python path args`."""
    file = os.path.join(os.getcwd(), path)
    with io.open_code(file) as opened:
        source = opened.read()
    enter(os.path.dirname(os.path.realpath(file)))
    loader = importlib.machinery.SourceFileLoader("__main__", file)
    return Program(
        [path, *args],
        lambda: compile(source, file, "exec", dont_inherit=True),
        {"__file__": file, "__cached__": None, "__loader__": loader},
    )


def folder(path: str, args: list[str]) -> Program | None:
    """Return the module `__main__` of a folder or a zip file as a program, as in `python path args`, or None."""
    place = os.path.join(os.getcwd(), path)
    spec = importlib.machinery.PathFinder.find_spec("__main__", [place])
    if spec is None or spec.origin is None or not hasattr(spec.loader, "get_code"):
        return None
    enter(place)
    return _found(spec, [path, *args])


def command(code: str, args: list[str]) -> Program:
    """Return code as a program, as in `python -c code args`."""
    enter("")
    if sys.version_info >= (3, 14):
        code = textwrap.dedent(code)
    if sys.version_info >= (3, 13):  # tracebacks show the lines of such code
        keep_source("<string>", code)
    return Program(["-c", *args], lambda: compile(code, "<string>", "exec", dont_inherit=True), BUILTIN)


def standard_input(argv: list[str]) -> Program:
    """Return the text of standard input as a program, as in `python < file`."""
    enter("")
    source = sys.stdin.buffer.read() if sys.stdin else b""
    names = {"__file__": "<stdin>", "__cached__": None, **BUILTIN}
    return Program(argv, lambda: compile(source, "<stdin>", "exec", dont_inherit=True), names)


def module(name: str, args: list[str]) -> Program:
    """Return the module `name` as a program, as in `python -m name args`. A package runs its `__main__` module.

    Raises:
      ModuleNotFoundError: the module does not exist or is not Python code.
    """
    enter(os.getcwd())
    install()  # finding a.b imports a, and a may import torch
    spec = importlib.util.find_spec(own_name(name))
    if spec is not None and spec.submodule_search_locations is not None:
        return module(f"{spec.name}.__main__", args)
    if spec is None or spec.origin is None or not hasattr(spec.loader, "get_code"):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return _found(spec, [spec.origin, *args])


def _found(spec: importlib.machinery.ModuleSpec, argv: list[str]) -> Program:
    """Return the module of a spec as a program."""
    loader: Any = spec.loader
    names = {"__file__": spec.origin, "__cached__": spec.cached, "__spec__": spec, "__package__": spec.parent}
    return Program(argv, lambda: _code_of(loader, spec.name), {**names, "__loader__": loader})


def _code_of(loader: Any, name: str) -> CodeType:
    code = loader.get_code(name)
    if code is None:
        raise ImportError(f"No code object available for {name}")
    return code


def enter(folder: str) -> None:
    """Make a folder the first place where modules are looked for, unless Python's option `-P` forbids it."""
    if not sys.flags.safe_path:
        sys.path[0] = folder


def begin(argv: list[str], names: dict[str, Any]) -> ModuleType:
    """Install the import hook, and put a new module in the place of `__main__`. Return the module."""
    main = ModuleType("__main__")
    vars(main).update(__builtins__=sys.modules["builtins"], **names)
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    sys.modules["__main__"], sys.argv = main, argv
    install()
    return main


def keep_source(name: str, source: str) -> None:
    """Keep the lines of code that has no file, so that tracebacks and `inspect.getsource` show them."""
    linecache.cache[name] = len(source), None, [line + "\n" for line in source.split("\n")], name


def report(error: BaseException) -> None:
    """Print an error that a program did not catch, and keep it for `pdb.pm()`, as Python does at its prompt."""
    sys.excepthook(type(error), error, error.__traceback__)
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = error


def _show_from(error: BaseException, frames: TracebackType | None) -> None:
    """Make the report of `error` begin at `frames`, because the frames before them belong to torchlike.

    The frames of torchlike's functions are not shown either. Other errors, and a hook that the program has set, are not
    affected.
    """
    show = sys.excepthook
    if frames is not None:
        frames = tracebacks.for_user(error, frames)

    def hook(kind: type[BaseException], raised: BaseException, trace: TracebackType | None) -> None:
        sys.excepthook = show
        if raised is error:
            trace = frames
            error.with_traceback(frames)
        show(kind, raised, trace)

    sys.excepthook = hook
