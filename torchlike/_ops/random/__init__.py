"""Operators of random results."""
