"""The registration of other devices, which is not supported: JAX plugins provide devices."""

from __future__ import annotations

from typing import Any

from torchlike._internal import _errors

__all__ = ["rename_privateuse1_backend", "generate_methods_for_privateuse1_backend"]

_INSTEAD = "a plugin of JAX provides other devices"


def rename_privateuse1_backend(backend_name: str) -> None:
    """Raise an error: PyTorch's device "privateuseone" does not exist.

    Args:
      backend_name: not used.
    """
    raise _errors.arguments.cannot("utils.rename_privateuse1_backend", _INSTEAD)


def generate_methods_for_privateuse1_backend(*args: Any, **kwargs: Any) -> None:
    """Raise an error: PyTorch's device "privateuseone" does not exist.

    Args:
      args, kwargs: not used.
    """
    raise _errors.arguments.cannot("utils.generate_methods_for_privateuse1_backend", _INSTEAD)
