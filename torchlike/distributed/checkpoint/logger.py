"""The logger of checkpoints. Its default handler drops all records, and checkpoints write none."""

from torchlike.distributed.c10d_logger import _get_or_create_logger
from torchlike.distributed.checkpoint.logging_handlers import DCP_LOGGER_NAME

_dcp_logger = _get_or_create_logger(DCP_LOGGER_NAME)
