"""Tests of the composite functions against PyTorch."""
