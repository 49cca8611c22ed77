"""Processes that a launcher started."""

from . import errors as errors
