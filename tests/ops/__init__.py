"""Rows of the registry against PyTorch: samples are data, and a few generic tests run over rows and samples."""
