"""Compiles the C files of `torchlike/_native` for a wheel, or in place for an editable installation.

They are optional. Where there is no compiler, or no headers of Python, the wheel is pure Python and NumPy does their
work.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# -O3 makes vectors of loops. So that it may: nobody looks at `errno` or at the processor's traps, and loops marked
# `omp simd` have turns that do not depend on each other (no OpenMP library comes with that). NaN and infinity stay.
FLAGS = ["-O3", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math"]


class CustomBuildHook(BuildHookInterface):
    """Adds the compiled modules to a wheel, and says in its tag for which machines it is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        try:
            compiled = compile_all(root, sorted(root.glob("torchlike/_native/*.c")))
        except Exception as error:
            print(f"torchlike: no C compiler; NumPy does what torchlike._native would do ({error})", file=sys.stderr)
            for stale in root.glob("torchlike/_native/*.so"):
                stale.unlink()
            return
        build_data["pure_python"] = False
        build_data["artifacts"] += [path.relative_to(root).as_posix() for path in compiled]
        # Of Python only the stable interface of 3.11 is used, so one wheel serves every later version.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp311-abi3-{platform}"


def compile_all(root: Path, files: list[Path]) -> list[Path]:
    """The extension modules, each beside its source."""
    from setuptools import Distribution, Extension

    flags = [] if os.name == "nt" else FLAGS
    modules = [
        Extension(f"torchlike._native.{file.stem}", [str(file)], extra_compile_args=flags, py_limited_api=True)
        for file in files
    ]
    command: Any = Distribution({"name": "torchlike", "ext_modules": modules}).get_command_obj("build_ext")
    with tempfile.TemporaryDirectory() as objects:
        command.build_lib, command.build_temp = str(root), objects
        command.force = True  # the files' times say nothing about the compiler and its flags
        command.ensure_finalized()
        command.run()
        return [Path(command.get_ext_fullpath(module.name)) for module in modules]
