"""Sparsifiers and what they share."""
