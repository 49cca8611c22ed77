"""Operators that read or write at index tensors or masks."""
