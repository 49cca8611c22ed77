"""The names of PyTorch's C++ module for process groups that Python programs use."""

from torchlike.distributed import BuiltinCommHookType as BuiltinCommHookType
from torchlike.distributed import FileStore as FileStore
from torchlike.distributed import GradBucket as GradBucket
from torchlike.distributed import HashStore as HashStore
from torchlike.distributed import PrefixStore as PrefixStore
from torchlike.distributed import ProcessGroup as ProcessGroup
from torchlike.distributed import ReduceOp as ReduceOp
from torchlike.distributed import Store as Store
from torchlike.distributed import TCPStore as TCPStore
from torchlike.distributed import Work as Work
from torchlike.distributed._reducer import Reducer as Reducer
