"""The reader of packages, which is not supported."""

from ._refused import PackageImporter as PackageImporter

__all__ = ["PackageImporter"]
