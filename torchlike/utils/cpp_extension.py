"""Extensions in C++ and CUDA: not there, since they take PyTorch's own tensors."""

from __future__ import annotations

from typing import Any

from torchlike._internal import _errors

CUDA_HOME: str | None = None
_INSTEAD = (
    "such code takes PyTorch's tensors; write the operator in JAX (torchlike.jax.wrap, which takes jax.ffi's too)"
)


def load(*args: Any, **kwargs: Any) -> Any:
    """Refused: the code would take PyTorch's tensors."""
    raise _errors.arguments.cannot("utils.cpp_extension.load", _INSTEAD)


def load_inline(*args: Any, **kwargs: Any) -> Any:
    """Refused: the code would take PyTorch's tensors."""
    raise _errors.arguments.cannot("utils.cpp_extension.load_inline", _INSTEAD)


def CppExtension(*args: Any, **kwargs: Any) -> Any:
    """Refused: the code would take PyTorch's tensors."""
    raise _errors.arguments.cannot("utils.cpp_extension.CppExtension", _INSTEAD)


def CUDAExtension(*args: Any, **kwargs: Any) -> Any:
    """Refused: the code would take PyTorch's tensors."""
    raise _errors.arguments.cannot("utils.cpp_extension.CUDAExtension", _INSTEAD)


class BuildExtension:
    """A command for setup scripts, refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("utils.cpp_extension.BuildExtension", _INSTEAD)
