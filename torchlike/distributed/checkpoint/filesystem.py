"""Checkpoints in folders."""

from torchlike.distributed.checkpoint._files.file_reader import FileSystemReader as FileSystemReader
from torchlike.distributed.checkpoint._files.file_system import FileSystem as FileSystem
from torchlike.distributed.checkpoint._files.file_system import FileSystemBase as FileSystemBase
from torchlike.distributed.checkpoint._files.file_writer import FileSystemWriter as FileSystemWriter
from torchlike.distributed.checkpoint._files.file_writer import SerializationFormat as SerializationFormat
from torchlike.distributed.checkpoint._files.storage_info import _StorageInfo as _StorageInfo
from torchlike.distributed.checkpoint._files.storage_info import _StoragePrefix as _StoragePrefix
