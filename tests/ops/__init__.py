"""Tests of the operator registry against PyTorch: the samples are data, and generic tests run over operators and
samples.
"""
