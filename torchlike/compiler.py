"""Functions that control `torch.compile` and query its state."""

from torchlike._compile.api import allow_in_graph as allow_in_graph
from torchlike._compile.api import assume_constant_result as assume_constant_result
from torchlike._compile.api import compile as compile
from torchlike._compile.api import cudagraph_mark_step_begin as cudagraph_mark_step_begin
from torchlike._compile.api import disable as disable
from torchlike._compile.api import is_compiling as is_compiling
from torchlike._compile.api import is_compiling as is_dynamo_compiling
from torchlike._compile.api import list_backends as list_backends
from torchlike._compile.api import reset as reset
from torchlike._compile.api import set_stance as set_stance

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
    "set_stance",
]


def is_exporting() -> bool:
    """Return whether the calling code is being exported: always False."""
    return False
