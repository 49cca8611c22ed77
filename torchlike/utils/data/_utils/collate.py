"""Collating of a list of samples into one batch."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

import torchlike
from torchlike.utils.data import _errors as errors
from torchlike.utils.data._errors import default_collate_err_msg_format as default_collate_err_msg_format
from torchlike.utils.data._utils import host

CollateMap = dict[type | tuple[type, ...], Callable[..., Any]]
_NOT_NUMBERS = "SUO"  # the NumPy dtype kinds without a tensor dtype: bytes, strings and objects
np_str_obj_array_pattern = re.compile(r"[SaUO]")  # a pattern for `dtype.str`; libraries import this name


def collate(batch: Any, *, collate_fn_map: CollateMap | None = None) -> Any:
    """Collate a list of samples into one batch, according to the type of the first sample.

    Mappings, namedtuples and sequences without an entry in `collate_fn_map` are collated member by member and keep
    their type, except that tuples become lists.

    Args:
        batch: the list of samples.
        collate_fn_map: a map from types to functions `f(batch, *, collate_fn_map)`. The type of the sample is first
            looked up exactly and then as a subclass.

    Raises:
        TypeError: The type of the samples is not supported.
        RuntimeError: The samples are sequences of unequal length.
    """
    first = batch[0]
    found = _lookup(type(first), collate_fn_map or {})
    if found is not None:
        return found(batch, collate_fn_map=collate_fn_map)

    def inner(members: Any) -> Any:
        return collate(members, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return _rebuild_mapping(first, {key: inner([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(inner(members) for members in zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return _rebuild_sequence(first, [inner(members) for members in zip(*batch)])
    raise errors.uncollatable(type(first))


def _lookup(kind: type, table: CollateMap) -> Callable[..., Any] | None:
    if kind in table:
        return table[kind]
    return next((f for types, f in table.items() if issubclass(kind, types)), None)


def _rebuild_mapping(like: Mapping, items: dict) -> Any:
    """Return a mapping of the type of `like` with the given items, or a plain dict if that type cannot be created."""
    try:
        if isinstance(like, MutableMapping):
            clone = copy.copy(like)  # preserves constructor arguments, such as a default factory, and extra attributes
            clone.update(items)
            return clone
        kind: Any = type(like)
        return kind(items)
    except TypeError:
        return items


def _rebuild_sequence(like: Sequence, items: list) -> Any:
    """Return a sequence of the type of `like` with the given items.

    Return a list if `like` is a tuple or its type cannot be created from a list.
    """
    if isinstance(like, tuple):
        return items
    try:
        if isinstance(like, MutableSequence):
            clone = copy.copy(like)
            for i, item in enumerate(items):
                clone[i] = item
            return clone
        kind: Any = type(like)
        return kind(items)
    except TypeError:
        return items


def collate_tensor_fn(batch: Sequence, *, collate_fn_map: CollateMap | None = None) -> Any:
    if batch[0].layout is not torchlike.strided:
        raise errors.sparse_batch()
    stacked = None if isinstance(batch, torchlike.Tensor) else host.stack(batch)
    return torchlike.stack(batch, 0) if stacked is None else stacked


def collate_numpy_array_fn(batch: Sequence, *, collate_fn_map: CollateMap | None = None) -> Any:
    first = batch[0]
    if first.dtype.kind in _NOT_NUMBERS:
        raise errors.uncollatable(first.dtype)
    if first.dtype.isnative and all(
        type(a) is np.ndarray and a.size and a.shape == first.shape and a.dtype == first.dtype and a.flags.c_contiguous
        for a in batch
    ):
        return torchlike.as_tensor(host.arrays(list(batch)))
    return collate([torchlike.as_tensor(a) for a in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Sequence, *, collate_fn_map: CollateMap | None = None) -> Any:
    return torchlike.as_tensor(batch)


def collate_float_fn(batch: Sequence, *, collate_fn_map: CollateMap | None = None) -> Any:
    return torchlike.tensor(batch, dtype=torchlike.float64)


def collate_int_fn(batch: Sequence, *, collate_fn_map: CollateMap | None = None) -> Any:
    return torchlike.tensor(batch)


def collate_str_fn(batch: Sequence, *, collate_fn_map: CollateMap | None = None) -> Any:
    return batch


default_collate_fn_map: CollateMap = {
    torchlike.Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """Collate a list of samples into a batch with an additional outer dimension.

    Tensors and NumPy arrays are stacked. Ints become an int64 tensor, bools a bool tensor, and floats a float64 tensor.
    Strings and bytes stay a list. Mappings, namedtuples and sequences are collated member by member.

    Args:
      batch: the list of samples.

    >>> default_collate([{"name": "a", "tags": ["x"]}, {"name": "b", "tags": ["y"]}])
    {'name': ['a', 'b'], 'tags': [('x', 'y')]}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def default_convert(data: Any) -> Any:
    """Convert the NumPy arrays and NumPy scalars in a sample to tensors.

    The conversion recurses into mappings, namedtuples and sequences; tuples become lists. All other objects, including
    Python numbers and strings, are returned unchanged.

    Args:
      data: the sample.

    >>> import numpy as np, torchlike as torch
    >>> torch.utils.data.default_convert({"x": np.zeros(2), "y": "a"})
    {'x': tensor([0., 0.], dtype=torch.float64), 'y': 'a'}
    """
    if isinstance(data, torchlike.Tensor | str | bytes):
        return data
    if isinstance(data, np.ndarray | np.generic):
        stays = data.dtype.kind in _NOT_NUMBERS or type(data).__module__ != "numpy"  # such as a masked array
        return data if stays else torchlike.as_tensor(data)
    if isinstance(data, Mapping):
        return _rebuild_mapping(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*_convert_all(data))
    if isinstance(data, Sequence):
        return _rebuild_sequence(data, list(_convert_all(data)))
    return data


def _convert_all(members: Iterable[Any]) -> Iterable[Any]:
    return (default_convert(member) for member in members)
