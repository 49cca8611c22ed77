"""A kernel for Jupyter whose notebooks are programs in which `import torch` imports torchlike."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torchlike._api import one_flag

_NEEDED = ("ipykernel", "jupyter_client")
_DESCRIPTION = """\
Install a kernel for Jupyter and for editors that use its kernels. In its notebooks, 'import torch' imports torchlike. \
The kernel uses this Python: {python}"""


def install_kernel(args: Sequence[str]) -> str:
    """Install the kernel that the command line `args` describes. Return the folder of its specification.

    Raises:
      ModuleNotFoundError: ipykernel is not installed.
      OSError: the folder cannot be written.
      ValueError: the name is not a valid name of a kernel, or the axes are not those of a mesh.
    """
    given = _parser().parse_args(args)
    if given.mesh is not None:
        one_flag.parse(given.mesh)
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"a kernel for Jupyter requires ipykernel; install it with: {sys.executable} -m pip install ipykernel"
        )
    kernels = importlib.import_module("jupyter_client.kernelspec").KernelSpecManager()
    prefix = sys.prefix if given.sys_prefix else given.prefix
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.json").write_text(json.dumps(specification(given.display_name, given.mesh), indent=1))
        return kernels.install_kernel_spec(folder, given.name, user=prefix is None, prefix=prefix)


def specification(display_name: str, mesh: str | None = None) -> dict[str, Any]:
    """Return the contents of `kernel.json`: the command that starts ipykernel under torchlike."""
    flags = ["--mesh", mesh] if mesh else []
    return {
        "argv": [
            *(sys.executable, "-m", "torchlike", *flags),
            *("-m", "ipykernel_launcher", "-f", "{connection_file}"),
        ],
        "display_name": display_name,
        "language": "python",
        "metadata": {"debugger": True},
    }


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        "python -m torchlike --install-kernel", description=_DESCRIPTION.format(python=sys.executable)
    )
    where = made.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="for this user, in every environment (default)")
    where.add_argument("--sys-prefix", action="store_true", help="in the environment of this Python")
    where.add_argument("--prefix", metavar="DIR", help="in the environment DIR")
    made.add_argument("--name", default="torchlike", help="name of the kernel (default: torchlike)")
    made.add_argument(
        "--display-name",
        metavar="TEXT",
        default=f"Python {sys.version_info.major} (torchlike)",
        help="name that Jupyter shows (default: %(default)s)",
    )
    made.add_argument("--mesh", metavar="AXES", help="start the kernel with --mesh AXES, such as data=8")
    return made
