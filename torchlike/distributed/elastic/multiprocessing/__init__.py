"""Utilities for processes that a launcher starts."""

from . import errors as errors
