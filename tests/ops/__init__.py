"""Tests of the operator registry against PyTorch.

The samples are data, and generic tests run over operators and samples.
"""
