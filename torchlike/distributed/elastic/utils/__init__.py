"""Utilities of the launcher."""

from .logging import get_logger as get_logger
