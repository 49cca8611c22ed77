"""Reductions, cumulative operators, sorting and statistics."""
