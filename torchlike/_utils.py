"""Small functions that other projects import: tensor lists, checkpoints, wrapped exceptions, devices."""

from __future__ import annotations

import functools
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn


def _flatten_dense_tensors(tensors: Sequence[Any]) -> Any:
    """Return the elements of all tensors, concatenated in one vector."""
    import torchlike

    return torchlike.cat([t.reshape(-1) for t in tensors])


def _unflatten_dense_tensors(flat: Any, tensors: Sequence[Any]) -> tuple:
    """Split a vector into consecutive tensors that have the shapes of `tensors`."""
    found, start = [], 0
    for t in tensors:
        found.append(flat.narrow(0, start, t.numel()).view(t.shape))
        start += t.numel()
    return tuple(found)


def _rebuild_tensor_v2(
    storage: Any,
    storage_offset: int,
    size: Any,
    stride: Any,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: Any = None,
) -> Any:
    """Return the tensor of a checkpoint's storage and metadata. `backward_hooks` must be empty."""
    import torchlike
    from torchlike import _errors
    from torchlike._tensor.copying import marked

    if backward_hooks:
        raise _errors.arguments.unsupported("_rebuild_tensor_v2", "backward_hooks")
    made = torchlike.empty(0, dtype=storage.dtype, device=storage.device)
    made = made.set_(storage, storage_offset, size, stride)
    marks = [mark for mark, value in (metadata or {}).items() if value]
    return marked(made, marks)._require_grad(requires_grad)


def _take_tensors(tensors: Iterable[Any], size_limit: int) -> Iterator[list]:
    """Yield lists of tensors that have one type and at most `size_limit` bytes in total.

    A tensor that exceeds `size_limit` forms a list of its own. The order of the tensors is kept within a type, but not
    between types.
    """
    chunks: dict[str, list] = {}
    taken: dict[str, int] = {}
    for tensor in tensors:
        kind, size = tensor.type(), tensor.numel() * tensor.element_size()
        if taken.get(kind, 0) and taken[kind] + size > size_limit:
            yield chunks[kind]
            chunks[kind], taken[kind] = [], 0
        chunks.setdefault(kind, []).append(tensor)
        taken[kind] = taken.get(kind, 0) + size
    yield from filter(None, chunks.values())


def _reorder_tensors_as(tensors: Iterable[Any], ordered_tensors: Iterable[Any]) -> tuple:
    """Return the tensors in the order of the types of `ordered_tensors`, and those of one type in their own order."""
    by_type: dict[str, list] = {}
    for tensor in tensors:
        by_type.setdefault(tensor.type(), []).append(tensor)
    queues = {kind: iter(found) for kind, found in by_type.items()}
    return tuple([next(queues[tensor.type()]) for tensor in ordered_tensors])


def _handle_complex(tensor: Any) -> Any:
    """Return a complex tensor as a real view, and another tensor itself."""
    import torchlike

    is_real = isinstance(tensor, torchlike.nn.UninitializedParameter) or not tensor.is_complex()
    return tensor if is_real else torchlike.view_as_real(tensor)


def _element_size(dtype: Any) -> int:
    """Return the number of bytes of an element."""
    import torchlike

    if not isinstance(dtype, torchlike.dtype):
        raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
    return dtype.itemsize


def _import_dotted_name(name: str) -> Any:
    """Import a module and return the attribute that the rest of the dotted name leads to."""
    first, *rest = name.split(".")
    return functools.reduce(getattr, rest, __import__(first))


class KeyErrorMessage(str):
    """A message that `repr` shows without quotes, because KeyError shows the `repr` of its argument."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self


class ExceptionWrapper:
    """An exception with its traceback as text, which another thread or process can raise again.

    Args:
      exc_info: the triple of `sys.exc_info()`, by default that of the exception that is being handled.
      where: the place of the error, for the message.
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        exc_info = sys.exc_info() if exc_info is None else exc_info
        self.exc_type = exc_info[0]
        self.exc_msg = "".join(traceback.format_exception(*exc_info))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise an exception of the same type whose message contains the traceback."""
        message: str = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            message = KeyErrorMessage(message)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=message)
        try:
            error = self.exc_type(message)
        except Exception:  # the constructor takes other arguments
            raise RuntimeError(message) from None
        raise error


class _ClassPropertyDescriptor:
    def __init__(self, fget: Any, fset: Any = None) -> None:
        self.fget = fget

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.fget.__get__(instance, type(instance) if owner is None else owner)()


def classproperty(func: Any) -> _ClassPropertyDescriptor:
    """Return a property of a class. The function takes the class."""
    return _ClassPropertyDescriptor(func if isinstance(func, classmethod | staticmethod) else classmethod(func))


def is_compiling() -> bool:
    """Return `torch.compiler.is_compiling()`, with PyTorch's warning that this name is deprecated."""
    import torchlike
    from torchlike._errors.warned import warn

    warn("`torch._utils.is_compiling` is deprecated. Use `torch.compiler.is_compiling` instead.")
    return torchlike.compiler.is_compiling()


def _get_available_device_type() -> str | None:
    """Return the type of the accelerator, or None."""
    from torchlike._dtypes import devices

    return devices.accelerator()


def _get_current_device_index() -> int | None:
    """Return the index of the current accelerator, or None without an accelerator."""
    import torchlike

    accelerator = torchlike.accelerator
    return accelerator.current_device_index() if accelerator.is_available() else None


def _get_all_device_indices() -> list[int] | None:
    """Return the indices of the accelerators, or None without an accelerator."""
    import torchlike

    accelerator = torchlike.accelerator
    return [*range(accelerator.device_count())] if accelerator.is_available() else None


def get_current_device_index() -> int:
    """Return the index of the current GPU, or -1 without a GPU."""
    import torchlike

    cuda = torchlike.cuda
    return cuda.current_device() if cuda.device_count() else -1


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int | None:
    """Return the index of an accelerator.

    Args:
      device: an index, a device, its name or None.
      optional: whether a device without an index is the current accelerator. Otherwise it is an error.
      allow_cpu: whether the CPU is -1. Otherwise it is an error.
    """
    import torchlike

    if isinstance(device, str):
        device = torchlike.device(device)
    index = device if isinstance(device, int) else None
    if isinstance(device, torchlike.device):
        if device.type == "cpu" and not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        index = -1 if device.type == "cpu" else device.index
    if index is None and not optional:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    return _get_current_device_index() if index is None else index


def _get_device_module(device_type: str) -> Any:
    """Return the module of a type of device, such as `torch.cuda`."""
    import torchlike

    found = getattr(torchlike, device_type, None)
    if found is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        )
    return found
