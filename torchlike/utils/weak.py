"""Weak references to tensors, whose `==` compares elements: here a key is the object itself."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

import torchlike

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that equals another to the same object, and hashes by it; once that died, only itself."""

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
    """A dictionary with objects as keys, whatever their `==` says, from which those that die are dropped."""

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
        except TypeError:  # of what has no weak references
            return False

    def __len__(self) -> int:
        return len(self.data)

    def items(self) -> Any:
        """Pairs of those keys that live when their turn comes."""
        for reference, value in list(self.data.items()):
            key = reference()
            if key is not None:
                yield key, value

    def keys(self) -> Any:
        """The keys that live."""
        return (key for key, _ in self.items())

    def values(self) -> Any:
        """The values whose keys live."""
        return (value for _, value in self.items())

    def __iter__(self) -> Iterator:
        return self.keys()

    def keyrefs(self) -> list:
        """The references that are the keys."""
        return list(self.data)

    def popitem(self) -> tuple[Any, Any]:
        """Take out the pair that came last."""
        while True:
            reference, value = self.data.popitem()
            key = reference()
            if key is not None:
                return key, value

    def pop(self, key: Any, *default: Any) -> Any:
        """Take out what is under a key."""
        return self.data.pop(self.ref_type(key), *default)

    def update(self, dict: Any = None, **kwargs: Any) -> None:
        """Put in the pairs of another mapping, or of a list."""
        super().update(() if dict is None else dict, **kwargs)

    def copy(self) -> WeakIdKeyDictionary:
        """Another dictionary of the same pairs."""
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
