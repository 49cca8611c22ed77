"""The signature of a call: the properties of its arguments that select a recording, and its tensors."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from math import copysign
from operator import attrgetter
from typing import Any

import numpy as np

from torchlike._dtypes import attention as _attention
from torchlike._dtypes import modes as _modes
from torchlike._dtypes.precision import switches as _switches
from torchlike._dtypes.recorder import current
from torchlike._engine import Value
from torchlike._tensor.storage import marks
from torchlike._tensor.tensor import TENSOR_TYPES, Tensor

_STORAGE = attrgetter("_storage")
_EXACT = frozenset((int, bool, str, bytes, type(None)))


class Signature:
    """The key of a call, its tensors in order, and its other objects, whose state is guarded."""

    __slots__ = ("containers", "given", "is_followed", "key", "others", "tensors")

    def __init__(self, args: Sequence, kwargs: dict) -> None:
        self.tensors: list[Tensor] = []
        self.others: list[Any] = []
        self.containers: list[int] = []  # the ids of the lists and dictionaries
        self.is_followed = True  # False if a tensor has Python attributes or hooks
        # The values of the tensors if all are positional `Tensor`s without an edge, a view or attributes; else None.
        self.given: list[Value] | None = []
        local, tensors, given = _modes.local, self.tensors, self.given
        key: list = [
            (
                current().grad,
                local.inference,
                local.autocast,
                _modes.default_dtype,
                local.device or _modes.process_device,
                _switches.accelerated,
                _attention.permitted,
            )
        ]
        for a in args:
            if (
                a.__class__ is Tensor
                and a._edge is a._chain is None
                and not a.__dict__
                and (value := a._storage.value).__class__ is Value
            ):
                # Inline the common case for speed. Only entries of this kind begin with an aval.
                key += (value.aval, a._strides)
                tensors.append(a)
                given.append(value)
            else:
                self._add(a, key)
        for name, a in kwargs.items():
            key.append(name)
            self._add(a, key)
        if len(tensors) == 2:
            a, b = tensors
            key += (a._storage is b._storage, a is b)
        elif len(tensors) > 2:
            self._add_aliases(key)
        if len(self.containers) > 1:
            key += map(self.containers.index, self.containers)
        self.key = tuple(key)

    @property
    def modes(self) -> tuple:
        """The modes at the call."""
        return self.key[0]

    def _add(self, a: Any, key: list) -> None:
        cls = a.__class__
        if cls in TENSOR_TYPES:
            edge = a._edge
            kind = None if edge is None else edge[0].edges == ()
            if a.__dict__ or (edge is not None and kind and edge[0].extra is not None):
                self.is_followed = False
            key += (cls, a._aval, a._strides, kind, None if a._chain is None else marks(a))
            self.tensors.append(a)
            self.given = None
        elif cls in _EXACT:
            key += (cls, a)
        elif cls is float:
            key += (cls, a if a == a else "nan", copysign(1.0, a))
        elif cls is tuple or cls is list:
            key += (cls, len(a))
            if cls is list:
                self.containers.append(id(a))
            for x in a:
                self._add(x, key)
        elif cls is dict:
            key += (cls, len(a))
            self.containers.append(id(a))
            for name, x in a.items():
                self._add(name, key)
                self._add(x, key)
        else:
            self._add_other(a, cls, key)

    def _add_other(self, a: Any, cls: type, key: list) -> None:
        if isinstance(a, tuple) or (dataclasses.is_dataclass(a) and not isinstance(a, type)):
            parts = a if isinstance(a, tuple) else [getattr(a, f.name) for f in dataclasses.fields(a)]
            key += (cls, len(parts))
            for x in parts:
                self._add(x, key)
            if isinstance(a, tuple) and not getattr(a, "__dict__", None):
                return
        elif isinstance(a, complex | np.generic):
            key += (cls, repr(a))
            return
        key.append(id(a))
        self.others.append(a)

    def _add_aliases(self, key: list) -> None:
        """Add to the key which tensors share memory and which are the same object."""
        storages = [*map(id, map(_STORAGE, self.tensors))]
        if len({*storages}) < len(storages):
            for ids in (storages, [*map(id, self.tensors)]):
                # For a few tensors a linear search is faster than a dictionary.
                place = ids.index if len(ids) <= 16 else {one: i for i, one in enumerate(ids)}.__getitem__
                key += map(place, ids)
