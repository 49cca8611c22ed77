"""The import hook that makes ``import torch`` import torchlike in this process, and the script runner that uses it.

A name that torchlike lacks stays missing. The hook creates no placeholders, so ``hasattr`` and ``try: import`` give
correct answers.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import io
import os
import sys
from types import CodeType, ModuleType, TracebackType
from typing import Any

from torchlike._api.names import settle
from torchlike._api.spawned import install_in_children

_OURS = __name__.partition(".")[0]
_THEIRS = "torch"


class _Alias(importlib.abc.Loader):
    """A loader that returns torchlike's module of the same path, so that ``torch.nn is torchlike.nn``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.name)
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has just replaced the module's spec with the spec of the alias. Restore the original.
        module.__spec__ = self.own_spec


class _Renaming(importlib.machinery.SourceFileLoader):
    """A loader of torchlike modules that sets the `__module__` of their public classes to the PyTorch name.

    Programs print this name, and some libraries read it to find the package that a tensor class belongs to.
    """

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _rename(self.name, module)


def _rename(name: str, module: ModuleType) -> None:
    if "._" not in name:
        sys.modules.setdefault(_THEIRS + name.removeprefix(_OURS), module)
        settle(name, vars(module), _THEIRS)


class TorchFinder(importlib.abc.MetaPathFinder):
    """A meta path finder that resolves ``torch`` and ``torch.*`` to torchlike's own modules."""

    def find_spec(self, fullname, path=None, target=None):
        top, dot, rest = fullname.partition(".")
        if top == _OURS:
            spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
            if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
                spec.loader = _Renaming(spec.loader.name, spec.loader.path)
            return spec
        if top != _THEIRS:
            return None
        name = _OURS + dot + rest
        if importlib.util.find_spec(name) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, _Alias(name))

    def find_distributions(self, context=None):
        """Return the package metadata of ``torch`` for `importlib.metadata`.

        Libraries read the installed PyTorch version from this metadata.
        """
        asked = getattr(context, "name", None)
        return iter([_Distribution()] if asked in (None, _THEIRS) else [])


class _Distribution(importlib.metadata.Distribution):
    """Metadata of an installed package named ``torch``, with the version `torch.__version__`."""

    def read_text(self, filename):
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: {_THEIRS}\nVersion: {sys.modules[_OURS].__version__}\n"
        return f"{_THEIRS}\n" if filename == "top_level.txt" else None

    def locate_file(self, path) -> Any:
        return os.path.join(os.path.dirname(os.path.dirname(__file__)), path)


def install() -> None:
    """Make ``import torch`` import torchlike from now on, here and in child processes that `multiprocessing` starts.

    Raises ImportError if PyTorch itself is already imported.
    """
    ours = sys.modules[_OURS]
    if sys.modules.get(_THEIRS, ours) is not ours:
        raise ImportError("PyTorch is already imported in this process, so 'import torch' cannot mean torchlike")
    if not any(isinstance(finder, TorchFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, TorchFinder())
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _OURS:
            _rename(name, module)
    install_in_children()
    ours.__name__ = _THEIRS  # libraries compare it with the first part of dotted names


def run_script(script: str, args: list[str]) -> None:
    """Run the file ``script`` as ``__main__``, as ``python script args`` does."""
    path = os.path.abspath(script)
    with io.open_code(path) as file:
        source = file.read()
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(path)
    _start(path, [script, *args], lambda: compile(source, path, "exec"), None)


def run_module(name: str, args: list[str]) -> None:
    """Run the module ``name`` as ``__main__``, as ``python -m name args`` does.

    For a package, run its ``__main__`` module.

    Raises ModuleNotFoundError if the module does not exist or is not Python code.
    """
    install()  # finding a.b imports a, and a may import torch
    if name.startswith(_THEIRS + "."):
        name = _OURS + name.removeprefix(_THEIRS)
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        return run_module(name + ".__main__", args)
    if spec is None or spec.origin is None or not isinstance(spec.loader, importlib.abc.InspectLoader):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    loader = spec.loader
    return _start(spec.origin, [spec.origin, *args], lambda: loader.get_code(spec.name), spec)


def _start(path, argv, code, spec) -> None:
    main: Any = ModuleType("__main__")
    main.__file__, main.__spec__, main.__loader__ = path, spec, spec and spec.loader
    main.__package__ = spec.parent if spec else None
    main.__builtins__ = sys.modules["builtins"]
    sys.modules["__main__"], sys.argv = main, argv
    install()
    _show_errors_from(path)
    compiled: CodeType = code()
    exec(compiled, main.__dict__)


def _show_errors_from(path: str) -> None:
    """Trim the traceback of an uncaught error so that it starts at the first frame of the program at ``path``.

    The frames before it belong to torchlike. A traceback without a frame of the program is unchanged, except that a
    SyntaxError is shown without a traceback.
    """
    show = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        own = trace
        while own is not None and own.tb_frame.f_code.co_filename != path:
            own = own.tb_next
        if own is not None or isinstance(error, SyntaxError):
            error, trace = error.with_traceback(own), own
        show(kind, error, trace)

    sys.excepthook = hook
