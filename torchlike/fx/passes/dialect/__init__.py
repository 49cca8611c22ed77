"""Passes for one kind of operators."""
