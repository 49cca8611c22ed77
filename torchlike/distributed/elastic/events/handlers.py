"""The destinations of events."""

from __future__ import annotations

import logging

_log_handlers: dict[str, logging.Handler] = {
    "console": logging.StreamHandler(),
    "dynamic_rendezvous": logging.NullHandler(),
    "null": logging.NullHandler(),
}


def get_logging_handler(destination: str = "null") -> logging.Handler:
    """Return the handler of a destination.

    Args:
      destination (str): "console", "dynamic_rendezvous" or "null".

    Raises:
      KeyError: the destination is unknown.
    """
    return _log_handlers[destination]
