"""Copies of tensors between GPUs, and sums of tensors on them. Without a GPU they raise the errors of PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import (
    _errors,
    _flatten_dense_tensors,
    _get_device_index,
    _handle_complex,
    _reorder_tensors_as,
    _take_tensors,
    _unflatten_dense_tensors,
    warn,
)

_BUFFER = 10485760


def _check_native(symbol: str) -> None:
    """Raise the error of PyTorch's CPU build if there is no GPU."""
    if not torchlike.cuda.is_available():
        raise _errors.making.no_native(symbol)


def _copied(tensor: Tensor, index: int | None) -> Tensor:
    """Return the values of a tensor on the device of this index. -1 is the CPU."""
    return tensor.detach().to("cpu" if index == -1 else f"cuda:{index}")


def broadcast(
    tensor: Tensor, devices: Iterable[Any] | None = None, *, out: Sequence[Tensor] | None = None
) -> Sequence[Tensor]:
    """Copy a tensor to GPUs.

    Args:
      tensor: the tensor.
      devices: the GPUs.
      out: tensors on the GPUs that receive the copies, in place of `devices`.

    Returns:
      The copies, or `out`.
    """
    tensor = _handle_complex(tensor)
    if (devices is None) == (out is None):
        raise RuntimeError(
            f"Exactly one of 'devices' and 'out' must be specified, but got devices={devices} and out={out}"
        )
    if out is not None:
        _check_native("_broadcast_out")
        return tuple([each.detach().copy_(tensor) for each in out])
    places = [_get_device_index(device) for device in devices or ()]
    _check_native("_broadcast")
    return tuple([_copied(tensor, index) for index in places])


def broadcast_coalesced(
    tensors: Sequence[Tensor], devices: Iterable[Any], buffer_size: int = _BUFFER
) -> list[list[Tensor]]:
    """Copy tensors to GPUs.

    Args:
      tensors: the tensors.
      devices: the GPUs.
      buffer_size: has no effect. PyTorch joins small tensors up to this size.

    Returns:
      For each GPU a list of the copies.
    """
    places = [_get_device_index(device) for device in devices]
    parts = [_handle_complex(tensor) for tensor in tensors]
    _check_native("_broadcast_coalesced")
    return [[_copied(part, index) for part in parts] for index in places]


def reduce_add(inputs: Sequence[Tensor], destination: Any = None) -> Tensor:
    """Add tensors of several GPUs.

    Args:
      inputs: tensors of one shape.
      destination: the GPU of the result, which must have one of the inputs. None is the current GPU.

    Returns:
      The sum. A single tensor is returned itself.
    """
    place = _get_device_index(destination, optional=True)
    size, root = inputs[0].size(), None
    for i, each in enumerate(inputs):
        if each.device.type == "cpu":
            raise AssertionError(f"reduce_add expects all inputs to be on GPUs, but input {i} is on CPU")
        root = i if each.get_device() == place else root
        if each.size() != size:
            got, expected = ("x".join(map(str, shape)) for shape in (each.size(), size))
            raise ValueError(f"input {i} has invalid size: got {got}, but expected {expected}")
    if root is None:
        raise RuntimeError("reduce_add expects destination to be on the same GPU with one of the tensors")
    total = inputs[root]
    for i, each in enumerate(inputs):
        total = total if i == root else total + each.to(inputs[root].device)
    return total


def reduce_add_coalesced(
    inputs: Sequence[Sequence[Tensor]], destination: Any = None, buffer_size: int = _BUFFER
) -> tuple[Tensor, ...]:
    """Add the tensors of several GPUs.

    Args:
      inputs: for each GPU its tensors.
      destination: the GPU of the results. None is the current GPU.
      buffer_size: the number of bytes up to which dense tensors are joined.

    Returns:
      The sums.
    """
    groups = [*zip(*inputs, strict=True)]
    is_sparse = [all(each.is_sparse for each in group) for group in groups]
    found = [reduce_add(group, destination) for group, sparse in zip(groups, is_sparse) if sparse]
    dense = [
        [each.to_dense() if each.is_sparse else each for each, sparse in zip(column, is_sparse) if not sparse]
        for column in inputs
    ]
    order = [group[0].to_dense() if group[0].is_sparse and not s else group[0] for group, s in zip(groups, is_sparse)]
    for chunks in zip(*[_take_tensors(tensors, buffer_size) for tensors in dense]):
        total = reduce_add([_flatten_dense_tensors(chunk) for chunk in chunks], destination)
        found.extend([each.detach() for each in _unflatten_dense_tensors(total, chunks[0])])
    return _reorder_tensors_as(found, order)


def scatter(
    tensor: Tensor,
    devices: Iterable[Any] | None = None,
    chunk_sizes: Sequence[int] | None = None,
    dim: int = 0,
    streams: Any = None,
    *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:
    """Split a tensor over GPUs.

    Args:
      tensor: the tensor.
      devices: the GPUs.
      chunk_sizes: the sizes of the parts, by default about equal.
      dim: the dimension that is split.
      streams: has no effect. XLA orders the copies.
      out: tensors on the GPUs that receive the parts, in place of `devices` and `chunk_sizes`.

    Returns:
      The parts, or `out`.
    """
    tensor = _handle_complex(tensor)
    if out is None:
        places = [_get_device_index(device) for device in devices or ()]
        _check_native("_scatter")
        parts = tensor.chunk(len(places), dim) if chunk_sizes is None else tensor.split([*chunk_sizes], dim)
        return tuple([_copied(part, index) for part, index in zip(parts, places)])
    for name, value in (("devices", devices), ("chunk_sizes", chunk_sizes)):
        if value is not None:
            raise RuntimeError(f"'{name}' must not be specified when 'out' is specified, but got {name}={value}")
    _check_native("_scatter_out")
    parts = tensor.split([each.size(dim) for each in out], dim)
    return tuple([each.detach().copy_(part) for each, part in zip(out, parts)])


def gather(tensors: Iterable[Tensor], dim: int = 0, destination: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Concatenate tensors of several GPUs.

    Args:
      tensors: the tensors.
      dim: the dimension along which they are concatenated.
      destination: the device of the result, a GPU or the CPU. None is the current GPU.
      out: a tensor that receives the result, in place of `destination`.

    Returns:
      The result, or `out`.
    """
    parts = [_handle_complex(tensor) for tensor in tensors]
    if out is not None:
        if destination is not None:
            raise RuntimeError(
                f"'destination' must not be specified when 'out' is specified, but got destination={destination}"
            )
        _check_native("_gather_out")
        return out.copy_(_joined(parts, dim, out.device.index if out.device.type != "cpu" else -1))
    if destination == -1:
        warn(
            "Using -1 to represent CPU tensor is deprecated. Please use a "
            'device object or string instead, e.g., "cpu".',
            FutureWarning,
        )
    place = _get_device_index(destination, optional=True, allow_cpu=True)
    _check_native("_gather")
    return _joined(parts, dim, place)


def _joined(parts: list[Tensor], dim: int, index: int | None) -> Tensor:
    return torchlike.cat([_copied(part, index) for part in parts], dim)
