"""Why a call is not compiled."""

from __future__ import annotations


class Refusal(Exception):
    """A call reaches, does or returns something that a recording cannot repeat; the message is the reason."""
