"""Operators with index tensors."""
