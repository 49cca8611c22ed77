"""The functions that PyTorch's files call to make tensors.

The same objects stand for PyTorch's functions when a file is written and do their work when one is read.
"""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike._functions_pending import marked
from torchlike._storage_io import meta_tensor
from torchlike.serialization import _errors as errors
from torchlike.serialization import _tensors
from torchlike.serialization._storages import LoadedStorage


def rebuild_tensor(storage: LoadedStorage, offset: int, size: tuple, stride: tuple) -> Any:
    return storage.tensor(storage.dtype, offset, size, stride)


def rebuild_tensor_v2(
    storage: LoadedStorage,
    offset: int,
    size: tuple,
    stride: tuple,
    requires_grad: bool,
    hooks: Any,
    metadata: Any = None,
) -> Any:
    made = _with_metadata(storage.tensor(storage.dtype, offset, size, stride), metadata)
    return made.requires_grad_() if requires_grad else made


def rebuild_tensor_v3(
    storage: LoadedStorage,
    offset: int,
    size: tuple,
    stride: tuple,
    requires_grad: bool,
    hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Any:
    made = _with_metadata(storage.tensor(dtype, offset, size, stride), metadata)
    return made.requires_grad_() if requires_grad else made


def _with_metadata(tensor: Any, metadata: dict | None) -> Any:
    """PyTorch stores a lazy conjugation or negation as a mark beside the data."""
    for mark, value in (metadata or {}).items():
        if mark not in ("conj", "neg"):
            raise NotImplementedError(f"load: tensors marked {mark!r} are not supported")
        if value:
            tensor = marked(tensor, [mark])
    return tensor


def rebuild_parameter(data: Any, requires_grad: bool, hooks: Any) -> Any:
    return torchlike.nn.Parameter(data, requires_grad)


def rebuild_parameter_with_state(data: Any, requires_grad: bool, hooks: Any, state: Any) -> Any:
    return _with_state(torchlike.nn.Parameter(data, requires_grad), state)


def rebuild_meta_tensor_no_storage(dtype: Any, size: tuple, stride: tuple, requires_grad: bool) -> Any:
    made = meta_tensor(dtype, size, stride)
    return made.requires_grad_() if requires_grad else made


def rebuild_sparse_tensor(layout: Any, data: tuple) -> Any:
    if layout is torchlike.sparse_coo:
        indices, values, size, *rest = data
        return torchlike.sparse_coo_tensor(indices, values, size, is_coalesced=rest[0] if rest else None)
    return torchlike.sparse_compressed_tensor(*data, layout=layout)


def rebuild_from_type_v2(function: Any, cls: type, args: tuple, state: Any) -> Any:
    """A tensor of a subclass, or one with attributes."""
    made = function(*args)
    if type(made) is not cls:
        made = _tensors.as_subclass(made, cls)
    return _with_state(made, state)


def _with_state(tensor: Any, state: Any) -> Any:
    if state is None:
        return tensor
    if _tensors.sets_state(type(tensor)):
        tensor.__setstate__(state)
        return tensor
    if isinstance(state, tuple):  # slots beside the dict
        state = {**(state[0] or {}), **(state[1] or {})}
    for name, value in state.items():
        setattr(tensor, name, value)
    return tensor


_LAYOUTS = {
    f"torch.{name}": getattr(torchlike, name)
    for name in ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
    if hasattr(torchlike, name)
}


def get_layout(name: str) -> Any:
    if name not in _LAYOUTS:
        raise errors.unknown_layout(name)
    return _LAYOUTS[name]


def load_from_bytes(data: bytes) -> Any:
    """What a tensor pickled by plain `pickle` refers to."""
    import io

    from torchlike.serialization._load import load

    return load(io.BytesIO(data), weights_only=False)
