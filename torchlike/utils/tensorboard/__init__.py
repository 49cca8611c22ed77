"""Logging for TensorBoard. Importing this module requires the package `tensorboard`."""

import re

import tensorboard

from torchlike._internal import settle as _settle

if tuple(map(int, re.findall(r"\d+", getattr(tensorboard, "__version__", "0"))[:2])) < (1, 15):
    raise ImportError("TensorBoard logging requires TensorBoard version 1.15 or above")

from tensorboard.summary.writer.record_writer import RecordWriter as RecordWriter

from torchlike.utils.tensorboard.writer import FileWriter as FileWriter
from torchlike.utils.tensorboard.writer import SummaryWriter as SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]

_settle(__name__, globals())
