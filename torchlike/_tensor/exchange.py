"""Memory shared with other libraries: NumPy arrays, buffers and DLPack.

On the CPU, writes to a tensor are visible in the other object and vice versa, while both are alive (see
`shared_storage`). JAX arrays are immutable, so they are imported and exported without a copy, but writes are not
shared. Writes to tensors of bfloat16 and 8-bit floats are not shared either, because NumPy has no such dtypes.
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
from torchlike._engine.xla import transfers
from torchlike._tensor import from_data, shared_storage, storage_io
from torchlike._tensor import storage as _storage
from torchlike._tensor.tensor import Tensor, wrap

# -- NumPy -------------------------------------------------------------------------------------------------------------


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array. Writes to either are visible in the other.

    Args:
      ndarray: an array of any shape. Its strides must be non-negative multiples of the element size. A read-only array
        gives a warning.

    Returns a tensor of the array's shape, dtype and strides. Raises TypeError for an object that is not an array and
    for an unsupported dtype, and ValueError for unsupported strides or byte orders.

    >>> import numpy as np
    >>> a = np.ones((2, 3))
    >>> t = torchlike.from_numpy(a.T)
    >>> t[2, 0] = 5
    >>> a[0]
    array([1., 1., 5.])

    >>> import numpy
    >>> torchlike.from_numpy(numpy.array([1, 2]))
    tensor([1, 2])
    """
    if not isinstance(ndarray, np.ndarray):
        kind = type(ndarray)
        name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
        raise TypeError(f"expected np.ndarray (got {name})")
    _warn_unless_writable(ndarray, _errors.memory.NOT_WRITABLE_ARRAY)
    return over(ndarray)


def over(array: np.ndarray, writable: bool = False) -> Tensor:
    """Return a tensor over the memory of an array. `writable` overrides a read-only flag of the array."""
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
    if not writable and isinstance(owner, bytes | jax.Array):  # immutable memory, so no sharing is needed
        storage.take_back()
    made._storage = storage
    return made


def _warn_unless_writable(array: np.ndarray, sentence: str) -> None:
    if not array.flags.writeable:
        _errors.warned.once(sentence)


def to_numpy(tensor: Tensor, force: bool = False) -> np.ndarray:
    """Return the memory of the tensor as an array with the same shape and strides."""
    if force:
        tensor = tensor.detach().cpu()
        tensor = tensor.clone() if _storage.marks(tensor) else tensor
    elif tensor.requires_grad and modes.local.grad:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    part = shared_storage.geometry(tensor)
    shown = part[0]
    if shown.device is not devices.cpu:
        raise _errors.memory.numpy_of_device(shown.device)
    for mark in _storage.marks(tensor):
        raise _errors.memory.numpy_of_pending(mark)
    if shown.dtype in _dtypes.NARROW:
        raise _errors.memory.no_numpy_type(shown.dtype)
    if not shown.numel:
        return np.empty(shown.shape, shown.dtype.numpy)
    return shared_storage.lend(tensor, part)


def frombuffer(
    buffer: Any, *, dtype: Dtype | None = None, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Return a one-dim tensor that shares the memory of an object with the buffer protocol.

    Writes to either are visible in the other.

    Args:
      buffer: an object with a contiguous buffer, such as a bytearray.
      dtype: the element type.
      count: the number of elements. A negative number means all elements.
      offset: the number of bytes to skip.

    Raises ValueError if `count` and `offset` do not fit the buffer, and RuntimeError for a buffer that is not
    contiguous.

    >>> torchlike.frombuffer(bytearray([1, 0, 2, 0]), dtype=torchlike.uint8)
    tensor([1, 0, 2, 0], dtype=torch.uint8)
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
    """Return the first `size` elements of a file as a one-dim tensor on the CPU.

    Args:
      shared: if True, map the file, so that writes to the tensor go to the file, and extend a file that is too short.
        Otherwise, read the file once.
      filename: the path.
      size: the number of elements.
      layout: not supported; it must be None.
      device: the CPU.

    Raises RuntimeError if the file cannot be opened or is too short.
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
    if not nbytes:  # NumPy's stride is 0 then, which cannot be viewed as another dtype
        made = made.as_strided((0,), (1,))
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
    """DLPack's device type codes."""

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
    """A wrapper of a DLPack capsule with the `__dlpack__` method that importers call."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return DLDeviceType.kDLCPU, 0


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """Return a tensor over the memory of an array that supports DLPack, or of a DLPack capsule on the CPU.

    Args:
      ext_tensor: an object with `__dlpack__`, or a capsule.
      device: the device of the result. Memory on another device is copied.
      copy: True always copies.

    Writes are visible on both sides, except for `jax.Array`s, which are immutable, for GPU memory, and for bfloat16 and
    8-bit floats.

    >>> import numpy
    >>> torchlike.from_dlpack(numpy.array([1, 2]))
    tensor([1, 2])
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
        # A program may reuse the memory of a tensor, but the user may still need this array. A GPU array is copied.
        return _of_jax(np.asarray(source) if place is devices.cpu else source.copy(), place)
    if type(source).__name__ == "PyCapsule":
        if '"used_' in repr(source):
            raise _errors.memory.used_capsule()
        # Old capsules have no read-only flag, so NumPy treats them as read-only.
        return over(np.from_dlpack(_Capsule(source)), writable=True)
    if not hasattr(source, "__dlpack__"):
        raise _errors.memory.used_capsule()
    if source.__dlpack_device__()[0] == DLDeviceType.kDLCPU:
        try:
            return over(np.from_dlpack(source))
        except (BufferError, RuntimeError):  # a dtype that NumPy does not have
            return _of_jax(np.array(jax.dlpack.from_dlpack(source)), devices.cpu)
    return _taken(jax.dlpack.from_dlpack(source))


def _of_jax(array: Any, place: devices.device) -> Tensor:
    return wrap(Value(aval(array.shape, _dtypes.from_numpy(np.dtype(array.dtype)), place), array))


def _check_exported(tensor: Tensor) -> None:
    for mark in _storage.marks(tensor):
        raise _errors.memory.export_of_pending(mark)


def to_dlpack(tensor: Tensor) -> Any:
    """Return a DLPack capsule over the memory of the tensor.

    Args:
      tensor: a tensor.
    """
    return tensor.detach().__dlpack__()


def dlpack(
    self: Tensor,
    *,
    stream: Any = -1,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a DLPack capsule over the memory of the tensor.

    On a GPU, the capsule shows the current, immutable JAX array, so later writes to the tensor are not visible in it.
    For bfloat16 and 8-bit floats, it shows a copy.

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

    return transfers.private([concrete(self._value)], self.device)[0].__dlpack__()


def dlpack_device(self: Tensor) -> tuple[DLDeviceType, int]:
    """Return DLPack's device type code and the device index."""
    kinds = {"cpu": DLDeviceType.kDLCPU, "cuda": DLDeviceType.kDLCUDA}
    if self.device.type not in kinds:
        raise ValueError(f"Unknown device type {self.device.type} for Dlpack")
    return kinds[self.device.type], self.device.index or 0
