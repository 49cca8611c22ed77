"""Utilities for programs that a launcher starts."""
