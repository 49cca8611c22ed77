"""Flattening of tensor lists, and rebuilding of tensors from checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any


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
