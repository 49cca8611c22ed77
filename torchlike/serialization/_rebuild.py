"""The functions that PyTorch's files call to create tensors.

When a file is written, these functions are saved under the names of PyTorch's functions. When a file is read, they
create the tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import _quantized
from torchlike._dtypes.unsupported import dtype_without_tensors
from torchlike._sparse import _legacy_types as legacy_types
from torchlike._tensor.copying import marked
from torchlike._tensor.storage_io import meta_tensor
from torchlike._tensor.tensor import alias
from torchlike.serialization import _errors as errors
from torchlike.serialization import _locations, _tensors
from torchlike.serialization._classes import wrappers
from torchlike.serialization._storages import LoadedStorage, numel_over_limit
from torchlike.storage import TypedStorage


def in_file(storage: TypedStorage) -> LoadedStorage:
    """Return the `LoadedStorage` of a storage that the pickle created."""
    if storage._file_storage is None:
        raise errors.bad_persistent_id()
    return storage._file_storage


def rebuild_tensor(storage: TypedStorage, offset: int, size: tuple, stride: tuple) -> Any:
    held = in_file(storage)
    return held.tensor(held.dtype, offset, size, stride)


def rebuild_tensor_v2(
    storage: TypedStorage,
    offset: int,
    size: tuple,
    stride: tuple,
    requires_grad: bool,
    hooks: Any,
    metadata: Any = None,
) -> Any:
    made = _with_metadata(rebuild_tensor(storage, offset, size, stride), metadata)
    return made._require_grad() if requires_grad else made


def rebuild_tensor_v3(
    storage: TypedStorage,
    offset: int,
    size: tuple,
    stride: tuple,
    requires_grad: bool,
    hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Any:
    _with_elements(dtype)
    made = _with_metadata(in_file(storage).tensor(dtype, offset, size, stride), metadata)
    return made._require_grad() if requires_grad else made


def _with_elements(dtype: Any) -> None:
    """Raise if tensors of the dtype are not supported, that is, if only the name of the dtype exists."""
    if isinstance(dtype, dtype_without_tensors):
        raise errors.unsupported_name(f"torch.{dtype.name}")


def _with_metadata(tensor: Any, metadata: dict | None) -> Any:
    """Apply the lazy conjugation and negation flags, which PyTorch stores separately from the data."""
    for mark in metadata or ():
        if mark not in ("conj", "neg"):
            raise NotImplementedError(f"load: tensors marked {mark!r} are not supported")
    marks = [mark for mark, value in (metadata or {}).items() if value]
    return _marked(tensor, marks) if marks else tensor


def _marked(tensor: Any, marks: list[str]) -> Any:
    """Return a tensor with the conjugate and negative bits in `marks` set. Expanded dims (stride 0) stay expanded."""
    ends = [1 if step == 0 and size > 1 else size for size, step in zip(tensor.shape, tensor.stride())]
    held = tensor.untyped_storage().nbytes() // tensor.itemsize
    if math.prod(ends) > held:
        raise errors.overlapping_elements(tensor.shape, tensor.stride(), held)
    once = alias(tensor[tuple(map(slice, ends))])
    return alias(marked(once, marks).expand(tensor.shape))


def rebuild_parameter(data: Any, requires_grad: bool, hooks: Any) -> Any:
    return torchlike.nn.Parameter(data, requires_grad)


def rebuild_parameter_with_state(data: Any, requires_grad: bool, hooks: Any, state: Any) -> Any:
    return _with_state(torchlike.nn.Parameter(data, requires_grad), state)


def rebuild_meta_tensor_no_storage(dtype: Any, size: tuple, stride: tuple, requires_grad: bool) -> Any:
    _with_elements(dtype)
    if numel_over_limit((*size, dtype.itemsize)):
        raise errors.too_large_meta(size)
    made = meta_tensor(dtype, size, stride)
    return made._require_grad() if requires_grad else made


def rebuild_sparse_tensor(layout: Any, data: tuple) -> Any:
    """Return a sparse tensor after checking its indices, which PyTorch checks only on request."""
    if data[0].device.type == "meta":
        raise errors.sparse_on_meta()
    try:
        if layout is torchlike.sparse_coo:
            indices, values, size, *rest = data
            return torchlike.sparse_coo_tensor(indices, values, size, is_coalesced=rest[0] if rest else None)
        return torchlike.sparse_compressed_tensor(*data, layout=layout, check_invariants=True)
    except RuntimeError as e:
        raise errors.bad_sparse(str(e)) from None


def rebuild_qtensor(
    storage: TypedStorage,
    offset: int,
    size: tuple,
    stride: tuple,
    quantizer: tuple,
    requires_grad: bool,
    hooks: Any,
) -> Any:
    """Return a quantized tensor. `quantizer` is (scheme, scale, zero point), or (scheme, scales, zero points, axis)."""
    held = in_file(storage)
    ints = held.tensor(held.dtype, offset, size, stride)
    if quantizer[0] is torchlike.per_tensor_affine:
        return _quantized._make_per_tensor_quantized_tensor(ints, *quantizer[1:])
    scheme, scales, zero_points, axis = quantizer
    if isinstance(zero_points, list):  # otherwise, their dtype tells the scheme, and the file names the plain one
        is_float = scheme is torchlike.per_channel_affine_float_qparams
        scales = torchlike.as_tensor(scales, dtype=torchlike.float32 if is_float else torchlike.float64)
        zero_points = torchlike.as_tensor(zero_points, dtype=torchlike.float32 if is_float else torchlike.int64)
    if not 0 <= axis < len(size) or scales.numel() != size[axis] or zero_points.numel() != size[axis]:
        raise errors.bad_quantizer(axis, size)
    return _quantized._make_per_channel_quantized_tensor(ints, scales, zero_points, axis)


def rebuild_njt(members: dict) -> Any:
    """Return a nested tensor of the jagged layout. `members` are the arguments of PyTorch's constructor."""
    from torchlike.nested._internal.nested_tensor import rebuilt

    return rebuilt(*[members[name] for name in ("values", "offsets", "lengths", "_ragged_idx", "requires_grad")])


def rebuild_device_tensor_from_cpu_tensor(data: Any, dtype: Any, device: str, requires_grad: bool) -> Any:
    """Return a tensor whose data PyTorch moved to the CPU before saving."""
    _with_elements(dtype)
    made = data.to(_locations.device_of(device), dtype)
    return made._require_grad() if requires_grad else made


def rebuild_device_tensor_from_numpy(data: Any, dtype: Any, device: str, requires_grad: bool) -> Any:
    """Return a tensor that PyTorch saved as a NumPy array, as older versions do for XLA."""
    return rebuild_device_tensor_from_cpu_tensor(torchlike.from_numpy(data), dtype, device, requires_grad)


def rebuild_from_type_v2(function: Any, cls: type, args: tuple, state: Any) -> Any:
    """Return a tensor of a subclass, or a tensor with user-defined attributes."""
    made = function(*args)
    if isinstance(made, wrappers.Described):
        return wrappers.restored(made, state)
    if type(made) is not cls:
        made = _tensors.as_subclass(made, cls)
    return _with_state(made, state)


def _with_state(tensor: Any, state: Any) -> Any:
    if state is None:
        return tensor
    if _tensors.sets_state(type(tensor)):
        tensor.__setstate__(state)
        return tensor
    if isinstance(state, tuple):  # the state of `__dict__` and the state of slots
        state = {**(state[0] or {}), **(state[1] or {})}
    for name, value in state.items():
        setattr(tensor, name, value)
    return tensor


_LAYOUTS = {
    f"torch.{name}": getattr(torchlike, name)
    for name in ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
    if hasattr(torchlike, name)
}


def _unsupported(path: str) -> Callable[..., Any]:
    def refused(*args: Any) -> Any:
        raise errors.unsupported_name(path)

    return refused


# Names in PyTorch's files that torchlike cannot represent.
UNSUPPORTED: dict[str, Any] = {
    path: _unsupported(path)
    for path in (
        "torch._utils._rebuild_nested_tensor",
        "torch.ScriptObject",  # packed weights of quantized recurrent layers, and of whole quantized models
        *(f"torch.Q{kind}Storage" for kind in ("UInt2x4", "UInt4x2")),
        *(f"torch{on}.sparse.{stem}Tensor" for on in ("", ".cuda") for stem in legacy_types.NAMES if stem != "Bool"),
    )
}


def get_layout(name: str) -> Any:
    if name not in _LAYOUTS:
        raise errors.unknown_layout(name)
    return _LAYOUTS[name]


def load_from_bytes(data: bytes) -> Any:
    """Load the storage that `torch.save` wrote to `data`. Pickles of tensors from plain `pickle` call this function."""
    import io

    from torchlike.serialization._load import load

    return load(io.BytesIO(data), weights_only=False)
