"""C++ and CUDA extensions, which are not supported because they require PyTorch's own tensors."""

from __future__ import annotations

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
