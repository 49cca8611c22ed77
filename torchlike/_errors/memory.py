"""PyTorch's error messages about storages, memory and reading elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torchlike._errors.dtypes import scalar_name
from torchlike._errors.shown import shown_as

Ints = tuple[int, ...]

_LARGEST = (1 << 63) - 1  # the largest size in bytes
_CANNOT = "DefaultCPUAllocator: can't allocate memory"


@shown_as(RuntimeError)
class Overlap(RuntimeError):
    """An in-place write to memory that an operand, or another element of the target, also uses."""


def overlapping_write() -> Overlap:
    return Overlap(
        "unsupported operation: more than one element of the written-to tensor refers to a single "
        "memory location. Please clone() the tensor before performing the operation."
    )


def overlapping_operands() -> Overlap:
    return Overlap(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
        "single memory location. Please clone() the tensor before performing the operation."
    )


def not_one_element(count: int) -> RuntimeError:
    return RuntimeError(f"a Tensor with {count} elements cannot be converted to Scalar")


def not_one_scalar() -> ValueError:
    return ValueError("only one element tensors can be converted to Python scalars")


def not_one_index() -> TypeError:
    return TypeError("only integer tensors of a single element can be converted to an index")


def item_of_meta() -> RuntimeError:
    return RuntimeError("Tensor.item() cannot be called on meta tensors")


def ambiguous_bool(what: str) -> RuntimeError:
    return RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")


def contains_only(got: Any) -> RuntimeError:
    return RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(got)}.")


def unallocated() -> RuntimeError:
    return RuntimeError(
        "The memory of this tensor was released by resize_(0) of its storage. Resize the storage to "
        "its original size before you read or write the tensor."
    )


_PENDING = {"conj": "conjugate", "neg": "negative"}


def numpy_of_pending(mark: str) -> RuntimeError:
    return RuntimeError(
        f"Can't call numpy() on Tensor that has {_PENDING[mark]} bit set. Use tensor.resolve_{mark}().numpy() instead."
    )


def export_of_pending(mark: str) -> BufferError:
    return BufferError(f"Can't export tensors with the {_PENDING[mark]} bit set")


def view_of_pending(mark: str) -> RuntimeError:
    what = "conjugate view tensors" if mark == "conj" else "tensors with negative bit set"
    return RuntimeError(f"torch.Tensor.view is not supported for {what} when converting to a different dtype.")


def numpy_of_device(device: Any) -> TypeError:
    return TypeError(
        f"can't convert {device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
    )


def no_numpy_type(dtype: Any) -> TypeError:
    return TypeError(f"Got unsupported ScalarType {scalar_name(dtype)}")


_NOT_WRITABLE = (
    " is not writable, and PyTorch does not support non-writable tensors. This means {} You may want to copy the {} to "
    "protect its data or make it writable before converting it to a tensor. This type of warning will be suppressed "
    "for the rest of this program."
)
NOT_WRITABLE_ARRAY = "The given NumPy array" + _NOT_WRITABLE.format(
    "writing to this tensor will result in undefined behavior.", "array"
)
NOT_WRITABLE_BUFFER = "The given buffer" + _NOT_WRITABLE.format(
    "you can write to the underlying (supposedly non-writable) buffer using the tensor.", "buffer"
)


def deleting_data() -> RuntimeError:
    return RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


def not_resizable() -> RuntimeError:
    return RuntimeError("Trying to resize storage that is not resizable")


def used_capsule() -> RuntimeError:
    return RuntimeError(
        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might "
        "have already constructed a tensor from it once."
    )


def dlpack_of_grad() -> BufferError:
    return BufferError("Can't export tensors that require gradient, use tensor.detach()")


def non_leaf_deepcopy() -> RuntimeError:
    return RuntimeError(
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
        "the moment.  If you were attempting to deepcopy a module, this may be because of a "
        "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
    )


def non_leaf_to_process() -> RuntimeError:
    return RuntimeError(
        "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
        "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor before "
        "serializing (e.g., putting it on the queue)."
    )


def before_storage(offset: int) -> RuntimeError:
    return RuntimeError(f"Tensor: invalid storage offset {offset}")


def beyond_storage(size: Ints, stride: Ints, offset: int, itemsize: int, need: int, have: int) -> RuntimeError:
    return RuntimeError(
        f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
        f"{itemsize} requiring a storage size of {need} are out of bounds for storage of size {have}"
    )


def amount(size: int) -> str:
    """Return a number of bytes as PyTorch's allocator writes it."""
    for unit, bits in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << bits:
            return f"{size / (1 << bits):.2f} {unit}"
    return f"{size} bytes"


def out_of_memory(
    device: Any, needed: int, limit: int | None = None, used: int = 0, place: Any = None, largest: Sequence[str] = ()
) -> RuntimeError:
    """Return PyTorch's error for memory that a device cannot allocate.

    Args:
      device: The device.
      needed: The bytes that were asked for.
      limit: The bytes that XLA may use, or None if they are not known.
      used: The bytes in use.
      place: The user's line that ran the program.
      largest: Descriptions of the largest tensors of the program.
    """
    if str(device) == "cpu":
        return RuntimeError(
            f"[enforce fail at alloc_cpu.cpp:127] err == 0. {_CANNOT}: you tried to allocate {needed} bytes. Error "
            "code 12 (Cannot allocate memory)"
        )
    from torchlike._errors.making import OutOfMemoryError

    kind = "GPU" if device.type == "cuda" else device.type.upper()
    said = [f"{device.type.upper()} out of memory. Tried to allocate {amount(needed)}."]
    if limit is not None:
        free = amount(max(limit - used, 0))
        said.append(f"{kind} {device.index or 0} has a total capacity of {amount(limit)} of which {free} is free.")
    if place is not None:
        said.append(f"The program was run by {place}.")
    if largest:
        said.append(f"Its largest tensors are {'; '.join(largest)}.")
    return OutOfMemoryError(" ".join(said), tried=needed)


def is_out_of_memory(error: Exception) -> bool:
    """Return whether an error says that the host or an accelerator has not enough memory."""
    from torchlike._errors.making import OutOfMemoryError

    return isinstance(error, MemoryError | OutOfMemoryError) or _CANNOT in str(error)


def host_out_of_memory(error: MemoryError) -> RuntimeError:
    return out_of_memory("cpu", amount_of_host(error))


def amount_of_host(error: MemoryError) -> int:
    """Return the number of bytes of a failed allocation of NumPy, or 0 if the error does not name it."""
    shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
    return 0 if shape is None or dtype is None else math.prod(shape) * dtype.itemsize


def check_overflow(shape: Ints, itemsize: int) -> None:
    """Raise PyTorch's error if a contiguous tensor has more bytes than a size can be."""
    count = 1
    for n in shape:
        count *= n
        if count >> 64:  # a later dim of size 0 does not prevent the error
            raise _overflowed(shape)
    if count * itemsize > _LARGEST:
        raise _overflowed(shape)
    if not count and math.prod([n or 1 for n in shape[1:]]) > _LARGEST:
        raise RuntimeError("Stride calculation overflowed")


def check_count(shape: Ints) -> None:
    """Raise PyTorch's error if a shape has more elements than a size can be."""
    if math.prod(shape) > _LARGEST:
        raise count_overflow()


def count_overflow() -> RuntimeError:
    return RuntimeError("numel: integer multiplication overflow")


def checked_extent(shape: Ints, strides: Ints, itemsize: int) -> int:
    """Return the number of bytes of a tensor with strides. Raise PyTorch's error if a stride is negative, or if the
    number is larger than a size can be.
    """
    last = sum([(n - 1) * s for n, s in zip(shape, strides)])
    needed = 0 if 0 in shape else (last + 1) * itemsize
    if needed > _LARGEST or min(strides, default=0) < 0:
        raise _overflowed(shape, strides)
    return needed


def _overflowed(shape: Ints, strides: Ints | None = None) -> RuntimeError:
    also = "" if strides is None else f" and strides={list(strides)}"
    return RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}{also}")
