"""The import hook in child processes that `multiprocessing` starts by the methods "spawn" and "forkserver"."""

from __future__ import annotations

import multiprocessing.spawn
import sys
from typing import Any

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


def install_in_children() -> None:
    """Add the hook to the data that `multiprocessing` sends to each new child process."""
    prepared = multiprocessing.spawn.get_preparation_data
    if getattr(prepared, "installs_hook", False):
        return

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {**prepared(name), "import_hook": _Installation()}

    get_preparation_data.installs_hook = True  # type: ignore[attr-defined]
    multiprocessing.spawn.get_preparation_data = get_preparation_data
