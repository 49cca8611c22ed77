"""Memory shared with other libraries: NumPy arrays, buffers, and whatever speaks DLPack.

On the CPU both sides see each other's writes for as long as both live (see `_shared`). JAX's arrays never change, so
they are taken and given without a copy but share no writes; nor does bfloat16, which NumPy has no name for.
"""

from __future__ import annotations

import enum
import os
from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._dtypes import devices, modes
from torchlike._dtypes import dtype as Dtype
from torchlike._dtypes import strides as _layout
from torchlike._engine import Value, aval, concrete
from torchlike._engine.trace.ownership import lend
from torchlike._tensor import from_data, shared_storage, storage_io
from torchlike._tensor import storage as _storage
from torchlike._tensor.tensor import Tensor, wrap

# -- NumPy -------------------------------------------------------------------------------------------------------------


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor over the memory of a NumPy array: what is written to one shows in the other.

    Args:
      ndarray: an array of any shape and of non-negative strides that are whole numbers of elements. One that is not
        writable gives a warning.

    Returns a tensor of the array's shape, dtype and strides. Raises TypeError for what is no array or has a dtype that
    no tensor has; ValueError for strides or byte orders that tensors do not have.

    >>> import numpy as np
    >>> a = np.ones((2, 3))
    >>> t = torchlike.from_numpy(a.T)
    >>> t[2, 0] = 5
    >>> a[0]
    array([1., 1., 5.])
    """
    if not isinstance(ndarray, np.ndarray):
        kind = type(ndarray)
        name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
        raise TypeError(f"expected np.ndarray (got {name})")
    _warn_unless_writable(ndarray, _errors.memory.NOT_WRITABLE_ARRAY)
    return over(ndarray)


def over(array: np.ndarray, writable: bool = False) -> Tensor:
    """A tensor over an array's memory; `writable` where that is known better than the array itself says."""
    from_data.check_array(array)
    item, shape = array.itemsize, array.shape
    steps = tuple(s // item for s in array.strides)
    kind = _dtypes.from_numpy(array.dtype)
    if not array.size:
        return wrap(Value(aval(shape, kind, devices.cpu), array), None, _layout.normal(shape, steps))
    length = _layout.span(shape, steps)
    if _layout.is_dense(shape, steps):
        return _whole(array, aval(shape, kind, devices.cpu), _layout.normal(shape, steps), length, writable)
    whole = _whole(array, aval((length,), kind, devices.cpu), None, length, writable)
    return storage_io.strided_view(whole, shape, steps, 0)


def _whole(array: np.ndarray, kind: Any, strides: tuple[int, ...] | None, length: int, writable: bool) -> Tensor:
    import jax

    made, owner = wrap(Value(kind), None, strides), shared_storage.owner_of(array)
    writable = writable or array.flags.writeable
    storage = shared_storage.borrow(
        kind, strides, array, length * array.itemsize, writable or isinstance(owner, np.ndarray)
    )
    if not writable and isinstance(owner, bytes | jax.Array):  # which nobody ever writes to
        storage.take_back()
    made._storage = storage
    return made


def _warn_unless_writable(array: np.ndarray, sentence: str) -> None:
    if not array.flags.writeable:
        _errors.warned.once(sentence)


def to_numpy(tensor: Tensor, force: bool = False) -> np.ndarray:
    """The tensor's memory as an array of its shape and strides."""
    if force:
        tensor = tensor.detach().cpu()
        tensor = tensor.clone() if _storage.marks(tensor) else tensor
    elif tensor.requires_grad and modes.local.grad:
        raise _errors.memory.numpy_of_grad()
    elif tensor.device.type != "cpu":
        raise _errors.memory.numpy_of_device(tensor.device)
    for mark in _storage.marks(tensor):
        raise _errors.memory.numpy_of_pending(mark)
    if tensor.dtype in _dtypes.NARROW:
        raise _errors.memory.no_numpy_type(tensor.dtype)
    if not tensor.numel():
        return np.empty(tuple(tensor.shape), tensor.dtype.numpy)
    return shared_storage.lend(tensor)


def frombuffer(
    buffer: Any, *, dtype: Dtype | None = None, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A one-dim tensor over the bytes of an object with a buffer: what is written to one shows in the other.

    Args:
      buffer: an object whose bytes lie together, such as a bytearray.
      dtype: the type of the elements.
      count: how many elements; all that are there where negative.
      offset: how many bytes to skip.

    Raises ValueError where `count` and `offset` do not fit the buffer, RuntimeError for bytes that do not lie together.
    """
    if dtype is None:
        raise _errors.arguments.missing("frombuffer", "dtype")
    try:
        size = (view := memoryview(buffer)).nbytes
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if not view.c_contiguous:
        raise RuntimeError("could not retrieve buffer from object")
    _check_bounds(size, dtype.itemsize, count, offset)
    array = np.frombuffer(buffer, dtype.numpy, count, offset)
    _warn_unless_writable(array, _errors.memory.NOT_WRITABLE_BUFFER)
    made = over(array)
    if requires_grad and dtype.category < _dtypes.FLOATING:
        raise _errors.making.cannot_require_grad()
    return made._require_grad(requires_grad)


def from_file(
    filename: Any,
    shared: bool | None = None,
    size: int = 0,
    *,
    dtype: Dtype | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """The first `size` elements of a file, as a tensor of one dim on the CPU.

    Args:
      shared: whether what is written to the tensor goes into the file, which is made long enough; else it is read once.

    Raises RuntimeError where the file cannot be opened or is too short.
    """
    if layout is not None or pin_memory or (device is not None and devices.device(device).type != "cpu"):
        raise _errors.arguments.unsupported("from_file", "layout, device and pin_memory")
    dtype = dtype or modes.default_dtype
    nbytes = size * dtype.itemsize
    try:
        array = _mapped(filename, nbytes) if shared else np.fromfile(filename, np.uint8, nbytes)
    except OSError as e:
        mode = "read-write" if shared else "read-only"
        raise RuntimeError(f"unable to open file <{filename}> in {mode} mode: {e.strerror} ({e.errno})") from None
    if array.size < nbytes:
        held = os.path.getsize(filename)
        raise RuntimeError(f"file <{filename}> size <{held}> is smaller than the required mapping size <{nbytes}>")
    made = over(array)
    return (made if dtype is _dtypes.uint8 else made.view(dtype))._require_grad(requires_grad)


def _mapped(filename: Any, nbytes: int) -> np.ndarray:
    with open(filename, "ab") as file:
        file.truncate(max(nbytes, file.tell()))
    return np.memmap(filename, np.uint8, "r+", shape=(nbytes,)) if nbytes else np.empty(0, np.uint8)


def _check_bounds(size: int, item: int, count: int, offset: int) -> None:
    if size == 0 or count == 0:
        raise ValueError(f"both buffer length ({size}) and count ({count}) must not be 0")
    if not 0 <= offset < size:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({size} bytes) minus 1"
        )
    if count < 0 and (size - offset) % item:
        raise ValueError(
            f"buffer length ({size - offset} bytes) after offset ({offset} bytes) must be a multiple of "
            f"element size ({item})"
        )
    if count > 0 and offset + count * item > size:
        raise ValueError(
            f"requested buffer length ({count} * {item} bytes) after offset ({offset} bytes) must not be "
            f"greater than actual buffer length ({size} bytes)"
        )


# -- DLPack ------------------------------------------------------------------------------------------------------------


class DLDeviceType(enum.IntEnum):
    """DLPack's numbers for kinds of devices."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


class _Capsule:
    """A bare capsule as importers want it: something that can be asked for one."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return DLDeviceType.kDLCPU, 0


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of an array of any library that speaks DLPack, or of a capsule of one on the CPU.

    Args:
      ext_tensor: what has `__dlpack__`, or a capsule.
      device: where the result shall be; a copy where the memory is elsewhere.
      copy: True always copies.

    Writes show on both sides, but for `jax.Array`s, which never change, GPU memory and bfloat16.
    """
    if isinstance(ext_tensor, Tensor):
        if ext_tensor.requires_grad:
            raise _errors.memory.dlpack_of_grad()
        _check_exported(ext_tensor)
        made = ext_tensor.detach()
    else:
        made = over(ext_tensor) if isinstance(ext_tensor, np.ndarray) else _taken(ext_tensor)
    made = made if device is None else made.to(device)
    return made.clone() if copy else made


def _taken(source: Any) -> Tensor:
    import jax

    if isinstance(source, jax.Array):
        place = devices.of_jax(next(iter(source.devices())))
        # Programs may reuse the memory of a JAX array that nobody needs any more; this one is the user's.
        return _of_jax(np.asarray(source) if place is devices.cpu else source.copy(), place)
    if type(source).__name__ == "PyCapsule":
        return over(np.from_dlpack(_Capsule(source)), writable=True)  # old ones do not say, and NumPy fears the worst
    if not hasattr(source, "__dlpack__"):
        raise _errors.memory.invalid_capsule()
    if source.__dlpack_device__()[0] == DLDeviceType.kDLCPU:
        try:
            return over(np.from_dlpack(source))
        except (BufferError, RuntimeError):  # a type that NumPy lacks
            return _of_jax(np.array(jax.dlpack.from_dlpack(source)), devices.cpu)
    return _taken(jax.dlpack.from_dlpack(source))


def _of_jax(array: Any, place: devices.device) -> Tensor:
    return wrap(Value(aval(array.shape, _dtypes.from_numpy(np.dtype(array.dtype)), place), array))


def _check_exported(tensor: Tensor) -> None:
    for mark in _storage.marks(tensor):
        raise _errors.memory.export_of_pending(mark)


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule over the tensor's memory."""
    return tensor.__dlpack__()


def dlpack(
    self: Tensor,
    *,
    stream: Any = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A DLPack capsule over the memory (on a GPU, and for bfloat16, over a copy).

    Raises BufferError for a tensor that requires grad or has no data.
    """
    if self.requires_grad:
        raise _errors.memory.dlpack_of_grad()
    _check_exported(self)
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if self.device.type == "meta":
        raise BufferError("Cannot pack tensors on meta")
    if self.device.type != "cpu":
        return lend(concrete(self._value)).__dlpack__(stream=None if stream == -1 else stream)
    if stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    if self.dtype not in _dtypes.NARROW:
        return to_numpy(self).__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)
    if copy is False:
        raise BufferError(f"torchlike can export {self.dtype!r} only as a copy")
    import jax

    return jax.device_put(np.array(concrete(self._value)), devices.to_jax(self.device)).__dlpack__()


def dlpack_device(self: Tensor) -> tuple[DLDeviceType, int]:
    """DLPack's number of the kind of device, and the device's index."""
    kinds = {"cpu": DLDeviceType.kDLCPU, "cuda": DLDeviceType.kDLCUDA}
    if self.device.type not in kinds:
        raise ValueError(f"Unknown device type {self.device.type} for Dlpack")
    return kinds[self.device.type], self.device.index or 0
