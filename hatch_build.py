"""Compiles the C files of `torchlike/_native` for a wheel, or in place for an editable installation.

They are optional. Without a compiler or Python's headers, the wheel is pure Python, and NumPy is used in their place.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# -O3 vectorizes loops. The other flags allow it: the code does not read `errno` or the processor's traps, and loops
# marked `omp simd` have independent iterations (without an OpenMP library). NaN and infinity keep their meaning.
FLAGS = ["-O3", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math"]


class CustomBuildHook(BuildHookInterface):
    """A hook that adds the compiled modules to a wheel and sets its platform tag."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        try:
            compiled = compile_all(root, sorted(root.glob("torchlike/_native/*.c")))
        except Exception as error:
            print(f"torchlike: no C compiler, so NumPy replaces torchlike._native ({error})", file=sys.stderr)
            for stale in root.glob("torchlike/_native/*.so"):
                stale.unlink()
            return
        build_data["pure_python"] = False
        build_data["artifacts"] += [path.relative_to(root).as_posix() for path in compiled]
        # The modules use Python's stable ABI of 3.11, so one wheel serves every later version.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp311-abi3-{platform}"


def compile_all(root: Path, files: list[Path]) -> list[Path]:
    """Compile the extension modules. Return their paths, each beside its source."""
    from setuptools import Distribution, Extension

    flags = [] if os.name == "nt" else FLAGS
    modules = [
        Extension(f"torchlike._native.{file.stem}", [str(file)], extra_compile_args=flags, py_limited_api=True)
        for file in files
    ]
    command: Any = Distribution({"name": "torchlike", "ext_modules": modules}).get_command_obj("build_ext")
    with tempfile.TemporaryDirectory() as objects:
        command.build_lib, command.build_temp = str(root), objects
        command.force = True  # the compiler or its flags may have changed, whatever the times of the files are
        command.ensure_finalized()
        command.run()
        return [Path(command.get_ext_fullpath(module.name)) for module in modules]
