"""Errors of operators of neural networks."""
