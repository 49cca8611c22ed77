"""Weak references and dictionaries with tensor keys.

`==` of tensors compares elements, so these classes compare keys by identity.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

import torchlike

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that is compared and hashed by the identity of its object.

    After the object is deleted, the reference equals only itself.
    """

    __slots__ = ["_id"]

    def __init__(self, key: Any, callback: Any = None) -> None:
        super().__init__(key, callback)  # pyright: ignore[reportCallIssue]
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: Any) -> bool:
        mine = self()
        return self is other if mine is None else mine is other()


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary with weak references to its keys, which are compared by identity. Dead keys are removed."""

    def __init__(self, dict: Any = None, ref_type: Any = WeakIdRef) -> None:
        self.data: Any = {}
        self.ref_type = ref_type
        me = weakref.ref(self)

        def forget(key: Any) -> None:
            found = me()
            if found is not None:
                found.data.pop(key, None)

        self._forget = forget
        self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: Any) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # the type of the key does not support weak references
            return False

    def __len__(self) -> int:
        return len(self.data)

    def items(self) -> Any:
        """Yield the (key, value) pairs whose keys are still alive when they are reached."""
        for reference, value in list(self.data.items()):
            key = reference()
            if key is not None:
                yield key, value

    def keys(self) -> Any:
        """Return an iterator over the live keys."""
        return (key for key, _ in self.items())

    def values(self) -> Any:
        """Return an iterator over the values of the live keys."""
        return (value for _, value in self.items())

    def __iter__(self) -> Iterator:
        return self.keys()

    def keyrefs(self) -> list:
        """Return a list of the weak references to the keys."""
        return list(self.data)

    def popitem(self) -> tuple[Any, Any]:
        """Remove and return the last inserted pair whose key is alive."""
        while True:
            reference, value = self.data.popitem()
            key = reference()
            if key is not None:
                return key, value

    def pop(self, key: Any, *default: Any) -> Any:
        """Remove a key and return its value, or the default if the key is missing."""
        return self.data.pop(self.ref_type(key), *default)

    def update(self, dict: Any = None, **kwargs: Any) -> None:
        """Add the pairs of a mapping or of an iterable of pairs."""
        super().update(() if dict is None else dict, **kwargs)

    def copy(self) -> WeakIdKeyDictionary:
        """Return a shallow copy."""
        return WeakIdKeyDictionary(self)

    __copy__ = copy

    def __deepcopy__(self, memo: dict) -> WeakIdKeyDictionary:
        return type(self)([(key, copy.deepcopy(value, memo)) for key, value in self.items()])

    def __or__(self, other: Any) -> Any:
        return _joined(self, other) if isinstance(other, Mapping) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return _joined(other, self) if isinstance(other, Mapping) else NotImplemented

    def __ior__(self, other: Any) -> WeakIdKeyDictionary:
        self.update(other)
        return self

    def __eq__(self, other: Any) -> Any:
        return _by_id(self) == _by_id(other) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"


WeakTensorKeyDictionary = WeakIdKeyDictionary


def _joined(first: Mapping, second: Mapping) -> WeakIdKeyDictionary:
    joined = WeakIdKeyDictionary(first)
    joined.update(second)
    return joined


def _by_id(mapping: Mapping) -> dict[int, Any]:
    return {id(key): value for key, value in mapping.items()}


class TensorWeakRef:
    """A weak reference to a tensor."""

    def __init__(self, tensor: Any) -> None:
        if not isinstance(tensor, torchlike.Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Any:
        return self.ref()
