"""The functions of `torch.xpu` for graphs."""

from torchlike.xpu import XPUGraph as XPUGraph
from torchlike.xpu import graph as graph
from torchlike.xpu import graph_pool_handle as graph_pool_handle
from torchlike.xpu import is_current_stream_capturing as is_current_stream_capturing
from torchlike.xpu import make_graphed_callables as make_graphed_callables

__all__ = [
    "is_current_stream_capturing",
    "graph_pool_handle",
    "XPUGraph",
    "graph",
    "make_graphed_callables",
]
