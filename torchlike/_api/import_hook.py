"""The import hook that makes ``import torch`` import torchlike in this process.

A name that torchlike lacks stays missing. The hook creates no placeholders, so ``hasattr`` and ``try: import`` give
correct answers.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

from torchlike._api import pickled_names
from torchlike._api.homes import HOMES, settle, show_public
from torchlike._api.spawned import SPAWNING, Preparing, install_in_children

_OURS = __name__.partition(".")[0]
_THEIRS = "torch"
_BESIDE = {"functorch": "torchlike.func._functorch"}  # packages of PyTorch's own wheel beside torch


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
    pickled_names.add(module)
    if "._" not in name or name.removeprefix(_OURS + ".") in HOMES:
        sys.modules.setdefault(_THEIRS + name.removeprefix(_OURS), module)
        settle(name, vars(module), _THEIRS)
    else:
        show_public(vars(module), _OURS, _THEIRS)


class TorchFinder(importlib.abc.MetaPathFinder):
    """A meta path finder that resolves ``torch``, ``torch.*`` and ``functorch`` to torchlike's own modules."""

    def find_spec(self, fullname, path=None, target=None):
        top, dot, rest = fullname.partition(".")
        loader = _Renaming if top == _OURS else Preparing if fullname in SPAWNING else None
        if loader is not None:
            spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
            if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
                spec.loader = loader(spec.loader.name, spec.loader.path)
            return spec
        if fullname in _BESIDE:
            return importlib.machinery.ModuleSpec(fullname, _Alias(_BESIDE[fullname]))
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
    """Make `import torch` import torchlike from now on, in this process.

    Libraries that import torch, such as torchvision and transformers, then use torchlike too, and `importlib.metadata`
    finds a package `torch`. Child processes that `multiprocessing` starts import torchlike as well, by every start
    method. Further calls have no effect. `python -m torchlike` and `%load_ext torchlike` call this function. Call it
    before torch, and any library that uses torch, is imported for the first time. PyTorch has no such function.

    Raises:
      ImportError: PyTorch itself is already imported in this process.

    >>> torchlike.install()  # doctest: +SKIP
    >>> import torch  # doctest: +SKIP
    >>> torch is torchlike  # doctest: +SKIP
    True
    """
    ours = sys.modules[_OURS]
    if sys.modules.get(_THEIRS, ours) is not ours:
        raise ImportError(
            "PyTorch is already imported in this process, so 'import torch' cannot mean torchlike. Start a new process "
            "(in a notebook, restart the kernel), and call torchlike.install() there before the first import of torch "
            "or of a library that imports torch."
        )
    if not any(isinstance(finder, TorchFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, TorchFinder())
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _OURS:
            _rename(name, module)
    install_in_children()
    ours.__name__ = _THEIRS  # libraries compare it with the first part of dotted names


def load_ipython_extension(ipython: Any) -> None:
    """Call `install`: `%load_ext torchlike` in IPython and notebooks.

    The extension cannot be unloaded, because modules that have imported torchlike as torch keep it.

    Args:
      ipython: the shell, which is not used.
    """
    install()


def own_name(name: str) -> str:
    """Return torchlike's name of a module of PyTorch. Return the name of any other module unchanged."""
    return _OURS + name.removeprefix(_THEIRS) if name.startswith(_THEIRS + ".") else name
