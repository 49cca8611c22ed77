"""The handlers of the logger of collectives."""

from __future__ import annotations

import logging

_log_handlers: dict[str, logging.Handler] = {"default": logging.NullHandler()}
