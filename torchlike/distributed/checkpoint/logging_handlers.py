"""The handler of the logger of checkpoints."""

from __future__ import annotations

import logging

from torchlike.distributed.logging_handlers import _log_handlers

DCP_LOGGER_NAME = "dcp_logger"
_log_handlers[DCP_LOGGER_NAME] = logging.NullHandler()
