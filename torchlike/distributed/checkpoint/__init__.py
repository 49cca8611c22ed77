"""Checkpoints of distributed state dicts, in PyTorch's format.

`save` writes a folder with a file `.metadata` and a file of data for each process. `load` reads it in any number of
processes and with any placements. PyTorch reads checkpoints of torchlike, and torchlike reads PyTorch's, without
executing code from them.
"""

import sys

from torchlike._internal import settle as _settle
from torchlike.distributed import _absent
from torchlike.distributed.checkpoint.api import CheckpointException as CheckpointException
from torchlike.distributed.checkpoint.default_planner import DefaultLoadPlanner as DefaultLoadPlanner
from torchlike.distributed.checkpoint.default_planner import DefaultSavePlanner as DefaultSavePlanner
from torchlike.distributed.checkpoint.filesystem import FileSystemReader as FileSystemReader
from torchlike.distributed.checkpoint.filesystem import FileSystemWriter as FileSystemWriter
from torchlike.distributed.checkpoint.hf_storage import HuggingFaceStorageReader as HuggingFaceStorageReader
from torchlike.distributed.checkpoint.hf_storage import HuggingFaceStorageWriter as HuggingFaceStorageWriter
from torchlike.distributed.checkpoint.metadata import BytesStorageMetadata as BytesStorageMetadata
from torchlike.distributed.checkpoint.metadata import ChunkStorageMetadata as ChunkStorageMetadata
from torchlike.distributed.checkpoint.metadata import Metadata as Metadata
from torchlike.distributed.checkpoint.metadata import TensorStorageMetadata as TensorStorageMetadata
from torchlike.distributed.checkpoint.planner import LoadPlan as LoadPlan
from torchlike.distributed.checkpoint.planner import LoadPlanner as LoadPlanner
from torchlike.distributed.checkpoint.planner import ReadItem as ReadItem
from torchlike.distributed.checkpoint.planner import SavePlan as SavePlan
from torchlike.distributed.checkpoint.planner import SavePlanner as SavePlanner
from torchlike.distributed.checkpoint.planner import WriteItem as WriteItem
from torchlike.distributed.checkpoint.state_dict_loader import load as load
from torchlike.distributed.checkpoint.state_dict_loader import load_state_dict as load_state_dict
from torchlike.distributed.checkpoint.state_dict_saver import async_save as async_save
from torchlike.distributed.checkpoint.state_dict_saver import save as save
from torchlike.distributed.checkpoint.state_dict_saver import save_state_dict as save_state_dict
from torchlike.distributed.checkpoint.storage import StorageReader as StorageReader
from torchlike.distributed.checkpoint.storage import StorageWriter as StorageWriter

_absent.fill(sys.modules[__name__], "load_sharded_optimizer_state_dict QuantizedHuggingFaceStorageReader")

_settle(__name__, globals())
