"""The classes of `torch.package`, whose constructors raise errors."""

from __future__ import annotations

from typing import Any

from torchlike._internal import _errors

_INSTEAD = "save the state dict with torch.save, or the program with torch.export.save"


class PackageExporter:
    """The writer of packages. Not supported: the constructor raises NotImplementedError.

    Args:
      args, kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("package.PackageExporter", _INSTEAD)


class PackageImporter:
    """The reader of packages. Not supported: the constructor raises NotImplementedError.

    Args:
      args, kwargs: not used.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("package.PackageImporter", _INSTEAD)


class PackagingError(Exception):
    """The error of PyTorch's writer for a module that cannot be packaged. Nothing raises it."""
