"""The import hook in child processes that `multiprocessing` starts by the methods "spawn" and "forkserver"."""

from __future__ import annotations

import sys
from typing import Any

# The name for which `multiprocessing` prepares the server of the start method "forkserver". The server may import the
# main module before it forks, but does not install the hook. Without the path of the module, its children import it.
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


def install_in_children() -> None:
    """Add the hook to the data that `multiprocessing` sends to each new child process."""
    import multiprocessing.spawn

    prepared = multiprocessing.spawn.get_preparation_data
    if getattr(prepared, "installs_hook", False):
        return

    def get_preparation_data(name: str) -> dict[str, Any]:
        data = prepared(name)
        if name == _FORK_SERVER:
            return {key: value for key, value in data.items() if not key.startswith("init_main_")}
        return {**data, "import_hook": _Installation()}

    get_preparation_data.installs_hook = True  # type: ignore[attr-defined]
    multiprocessing.spawn.get_preparation_data = get_preparation_data
