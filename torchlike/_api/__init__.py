"""The public names of the package: their sources and the import machinery."""
