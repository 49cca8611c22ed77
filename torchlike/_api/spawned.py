"""The import hook in child processes that are started by the methods "spawn" and "forkserver", and by loky."""

from __future__ import annotations

import functools
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

# The modules whose function `get_preparation_data` returns the data that a new child process reads first. The modules
# of loky, which joblib uses by default, are prepared when they are imported.
SPAWNING = ("multiprocessing.spawn", "loky.backend.spawn", "joblib.externals.loky.backend.spawn")

# `get_preparation_data` is called with this name for the server of the start method "forkserver". The server does not
# install the hook, so it must not import the main module. Without the path of the module, its children import it.
_FORK_SERVER = "ignore"
_INSTALL = """
import sys
sys.path[:] = {path!r}
from torchlike._api.import_hook import install
install()
"""


class _Installation:
    """An object whose unpickling installs the hook. The child reads it before it imports the main module again."""

    def __reduce__(self) -> tuple:
        return exec, (_INSTALL.format(path=sys.path),)


class Preparing(importlib.machinery.SourceFileLoader):
    """A loader of one of the modules `SPAWNING`."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        _prepare(module)


def install_in_children() -> None:
    """Add the hook to the data that is sent to each new child process."""
    import multiprocessing.spawn  # noqa: F401

    for name in SPAWNING:
        if name in sys.modules:
            _prepare(sys.modules[name])


def _prepare(module: Any) -> None:
    prepared = module.get_preparation_data
    if getattr(prepared, "installs_hook", False):
        return

    @functools.wraps(prepared)
    def get_preparation_data(name: str, *args: Any, **options: Any) -> dict[str, Any]:
        data = prepared(name, *args, **options)
        if name == _FORK_SERVER:
            return {key: value for key, value in data.items() if not key.startswith("init_main_")}
        return {**data, "import_hook": _Installation()}

    get_preparation_data.installs_hook = True  # type: ignore[attr-defined]
    module.get_preparation_data = get_preparation_data
