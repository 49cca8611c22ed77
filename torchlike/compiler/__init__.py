"""Functions that control `torch.compile` and query its state."""

import functools
from collections.abc import Callable
from typing import Any

from torchlike._compile.api import allow_in_graph as allow_in_graph
from torchlike._compile.api import assume_constant_result as assume_constant_result
from torchlike._compile.api import compile as compile
from torchlike._compile.api import cudagraph_mark_step_begin as cudagraph_mark_step_begin
from torchlike._compile.api import disable as disable
from torchlike._compile.api import get_default_backend as get_default_backend
from torchlike._compile.api import is_compiling as is_compiling
from torchlike._compile.api import is_compiling as is_dynamo_compiling
from torchlike._compile.api import list_backends as list_backends
from torchlike._compile.api import reset as reset
from torchlike._compile.api import set_default_backend as set_default_backend
from torchlike._compile.api import set_stance as set_stance
from torchlike._errors.arguments import cannot as _cannot
from torchlike._tensor.tensor import Tensor
from torchlike.compiler import config as config

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "config",
    "disable",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "keep_portable_guards_unsafe",
    "keep_tensor_guards_unsafe",
    "list_backends",
    "load_cache_artifacts",
    "load_compiled_function",
    "nested_compile_region",
    "reset",
    "save_cache_artifacts",
    "set_default_backend",
    "set_enable_guard_collectives",
    "set_stance",
    "skip_all_guards_unsafe",
    "skip_guard_on_all_nn_modules_unsafe",
    "skip_guard_on_globals_unsafe",
    "skip_guard_on_inbuilt_nn_modules_unsafe",
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


def nested_compile_region(
    fn: Callable | None = None, *, options: Any = None, max_reuse_entries: int = 8, reuse_hash_fn: Any = None
) -> Callable:
    """Return the function itself. PyTorch compiles it once for all its calls in one compiled program.

    Here a compiled program contains the operators of each call, and XLA compiles it as a whole.

    Args:
      fn: the function. Without it, a decorator is returned.
      options: not supported; it must be None.
      max_reuse_entries: has no effect.
      reuse_hash_fn: has no effect.

    >>> import torchlike as torch
    >>> torch.compiler.nested_compile_region(lambda x: x + 1)(torch.ones(1))
    tensor([2.])
    """
    if options is not None:
        raise _cannot("compiler.nested_compile_region with options", "leave the options out")
    return (lambda given: given) if fn is None else fn


def save_cache_artifacts() -> None:
    """Return None: there are no artifacts. XLA's programs are kept in the folder `TORCHLIKE_CACHE_DIR`."""


def _refused(name: str, doc: str, instead: str) -> Callable:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise _cannot(f"compiler.{name}", instead)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raise an error: {doc}; {instead}.\n\nArgs:\n  args, kwargs: not used.\n"
    return refuse


def _filter(name: str) -> Callable:
    return _refused(name, "guards cannot be left out", "set_stance lists what to do without a valid recording")


load_cache_artifacts = _refused(
    "load_cache_artifacts", "there are no artifacts", "copy the folder that TORCHLIKE_CACHE_DIR names"
)
load_compiled_function = _refused("load_compiled_function", "functions are not saved", "use torch.export.save")
set_enable_guard_collectives = _refused(
    "set_enable_guard_collectives", "guards use no collectives", "every process checks its own guards"
)
keep_portable_guards_unsafe = _filter("keep_portable_guards_unsafe")
keep_tensor_guards_unsafe = _filter("keep_tensor_guards_unsafe")
skip_all_guards_unsafe = _filter("skip_all_guards_unsafe")
skip_guard_on_all_nn_modules_unsafe = _filter("skip_guard_on_all_nn_modules_unsafe")
skip_guard_on_globals_unsafe = _filter("skip_guard_on_globals_unsafe")
skip_guard_on_inbuilt_nn_modules_unsafe = _filter("skip_guard_on_inbuilt_nn_modules_unsafe")
