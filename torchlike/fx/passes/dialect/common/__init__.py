"""Passes for any operators."""
