"""`torch.package`: its classes can be imported, and raise when constructed. A package would run Python code."""

from ._refused import PackageExporter as PackageExporter
from ._refused import PackageImporter as PackageImporter
