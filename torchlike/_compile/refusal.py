"""The exception that ends a capture."""

from __future__ import annotations


class Refusal(Exception):
    """Raised if a call depends on, does or returns something that a replay cannot repeat. The message is the reason."""
