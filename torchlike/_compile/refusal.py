"""The exception that ends a capture."""

from __future__ import annotations


class Refusal(Exception):
    """A call depends on, does or returns something that a recording cannot repeat; the message is the reason."""
