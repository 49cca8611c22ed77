"""Masked tensors and their functions."""
