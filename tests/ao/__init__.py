"""Quantization, with PyTorch as the judge."""
