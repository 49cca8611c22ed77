"""C++ and CUDA extensions, which are not supported because they require PyTorch's own tensors."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from torchlike._internal import _errors

CUDA_HOME: str | None = None
_INSTEAD = (
    "such code takes PyTorch's tensors; write the operator in JAX (torchlike.jax.wrap, which takes jax.ffi's too)"
)


def load(*args: Any, **kwargs: Any) -> Any:
    """Raise `NotImplementedError`, because the extension code would require PyTorch's tensors."""
    raise _errors.arguments.cannot("utils.cpp_extension.load", _INSTEAD)


def load_inline(*args: Any, **kwargs: Any) -> Any:
    """Raise `NotImplementedError`, because the extension code would require PyTorch's tensors."""
    raise _errors.arguments.cannot("utils.cpp_extension.load_inline", _INSTEAD)


def CppExtension(*args: Any, **kwargs: Any) -> Any:
    """Raise `NotImplementedError`, because the extension code would require PyTorch's tensors."""
    raise _errors.arguments.cannot("utils.cpp_extension.CppExtension", _INSTEAD)


def CUDAExtension(*args: Any, **kwargs: Any) -> Any:
    """Raise `NotImplementedError`, because the extension code would require PyTorch's tensors."""
    raise _errors.arguments.cannot("utils.cpp_extension.CUDAExtension", _INSTEAD)


class BuildExtension:
    """A build command for setup scripts. Not supported: the constructor raises."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("utils.cpp_extension.BuildExtension", _INSTEAD)


def SyclExtension(*args: Any, **kwargs: Any) -> Any:
    """Raise `NotImplementedError`, because the extension code would require PyTorch's tensors."""
    raise _errors.arguments.cannot("utils.cpp_extension.SyclExtension", _INSTEAD)


def include_paths(*args: Any, **kwargs: Any) -> Any:
    """Raise `NotImplementedError`, because there are no headers of PyTorch."""
    raise _errors.arguments.cannot("utils.cpp_extension.include_paths", _INSTEAD)


def library_paths(*args: Any, **kwargs: Any) -> Any:
    """Raise `NotImplementedError`, because there are no libraries of PyTorch."""
    raise _errors.arguments.cannot("utils.cpp_extension.library_paths", _INSTEAD)


def get_compiler_abi_compatibility_and_version(*args: Any, **kwargs: Any) -> Any:
    """Raise `NotImplementedError`, because no binary of PyTorch can be compared with the compiler."""
    raise _errors.arguments.cannot("utils.cpp_extension.get_compiler_abi_compatibility_and_version", _INSTEAD)


def get_default_build_root() -> str:
    """Return the folder in which PyTorch builds extensions."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return os.path.realpath(Path(cache, "torch_extensions"))


def get_cxx_compiler() -> str:
    """Return the name of the C++ compiler."""
    return os.environ.get("CXX", "cl" if os.name == "nt" else "c++")


def check_compiler_is_gcc(compiler: str) -> bool:
    """Return whether a compiler is GCC.

    Args:
      compiler: its name or path.
    """
    shown = _printed(compiler, "-v") or _printed(compiler, "--version") or ""
    return "\nCOLLECT_GCC=" in f"\n{shown}" and "gcc version" in shown


def _printed(*command: str) -> str | None:
    """Return the output of a program, or None if it cannot be run."""
    try:
        return subprocess.check_output(command, stderr=subprocess.STDOUT, env={**os.environ, "LC_ALL": "C"}).decode()
    except (subprocess.CalledProcessError, OSError):
        return None


def is_ninja_available() -> bool:
    """Return whether the build system Ninja can be run."""
    return _printed("ninja", "--version") is not None


def verify_ninja_availability() -> None:
    """Raise an error if the build system Ninja cannot be run."""
    if not is_ninja_available():
        raise RuntimeError("Ninja is required to load C++ extensions (pip install ninja to get it)")
