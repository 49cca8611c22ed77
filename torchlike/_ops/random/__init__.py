"""Operators whose results are random numbers."""
