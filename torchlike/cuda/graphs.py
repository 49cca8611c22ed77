"""`torch.cuda.graphs`: CUDA graphs, which are not supported: `torch.compile` compiles a step into one program."""

from __future__ import annotations

from typing import Any

from torchlike import _errors
from torchlike.cuda import _refused

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]
_INSTEAD = "use torch.compile, which compiles a whole step into one program"


def is_current_stream_capturing() -> bool:
    """Return False: CUDA graphs are not supported. As in PyTorch's CPU build, raise RuntimeError without a GPU."""
    from torchlike.cuda import is_available

    if not is_available():
        raise _errors.making.no_instance("_cuda_isCurrentStreamCapturing")
    return False


class CUDAGraph:
    """A CUDA graph. Not supported: the constructor raises an error that suggests `torch.compile`.

    Args:
      keep_graph: not used.
    """

    def __init__(self, keep_graph: bool = False) -> None:
        _refused.refuse("CUDAGraph", _INSTEAD, _errors.making.no_instance("CUDAGraph"))


class graph:
    """The capture of a CUDA graph. Not supported: the constructor raises an error that suggests `torch.compile`.

    Args:
      cuda_graph, args, kwargs: not used.
    """

    def __init__(self, cuda_graph: Any, *args: Any, **kwargs: Any) -> None:
        _refused.refuse("graph", _INSTEAD, _errors.making.no_cuda_stream())


graph_pool_handle = _refused.function(
    "graph_pool_handle", _INSTEAD, lambda: _errors.making.no_instance("_graph_pool_handle")
)
make_graphed_callables = _refused.function(
    "make_graphed_callables", _INSTEAD, lambda: _errors.making.no_instance("CUDAGraph")
)
