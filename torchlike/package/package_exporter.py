"""The writer of packages, which is not supported."""

from ._refused import PackageExporter as PackageExporter
from ._refused import PackagingError as PackagingError

__all__ = ["PackageExporter", "PackagingError"]
