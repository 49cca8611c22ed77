"""Functions that control `torch.compile` and query its state."""

import functools
from collections.abc import Callable
from typing import Any

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
from torchlike._tensor.tensor import Tensor

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
    "wrap_numpy",
]


def is_exporting() -> bool:
    """Return whether the calling code is being exported: always False."""
    return False


def wrap_numpy(fn: Callable) -> Callable:
    """Return a function of tensors that calls `fn`, a function of NumPy arrays.

    Tensors among the arguments become arrays, and arrays among the results become tensors, also inside of containers.

    Args:
      fn: the function. Gradients do not flow through it.

    >>> import torchlike as torch
    >>> torch.compiler.wrap_numpy(lambda x: x * 2)(torch.ones(2))
    tensor([2., 2.])
    """
    from numpy import ndarray

    from torchlike import from_numpy
    from torchlike.utils._pytree import tree_map_only

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = tree_map_only(Tensor, lambda x: x.numpy(), (args, kwargs))
        return tree_map_only(ndarray, from_numpy, fn(*args, **kwargs))

    return wrapped
