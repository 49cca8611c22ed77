"""Containers of parameters: `ParameterList` and `ParameterDict`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from torchlike import Tensor
from torchlike.nn import _errors
from torchlike.nn.modules._holding import described, pairs_of, place_in
from torchlike.nn.modules.module import Module
from torchlike.nn.parameter import Parameter


class ParameterList(Module):
    """A list of registered parameters. Tensors added to it become parameters.

    The list may hold other values too, which are not registered.

    Args:
      values: an iterable of values to add.

    >>> import torchlike as torch
    >>> weights = torch.nn.ParameterList([torch.ones(2), torch.zeros(3)])
    >>> len(weights), weights[1].requires_grad
    (2, True)
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)([self[place] for place in range(*idx.indices(len(self)))])
        return getattr(self, str(place_in(len(self), idx)))

    def __setitem__(self, idx: int, param: Any) -> None:
        if isinstance(param, Tensor) and not isinstance(param, Parameter):
            param = Parameter(param)
        setattr(self, str(place_in(len(self), idx)), param)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self[place] for place in range(len(self)))

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def append(self, value: Any) -> Self:
        """Append a value.

        Args:
          value: the value. A tensor becomes a parameter.

        Returns:
          The list.
        """
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Append all values of an iterable.

        Args:
          values: the values. Tensors become parameters.

        Returns:
          The list.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise _errors.extend_needs_iterable("ParameterList", values)
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        shown = (described(value, str(value.dtype) if isinstance(value, Tensor) else "") for value in self)
        return "\n".join(f"  ({place}): {text}" for place, text in enumerate(shown))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise _errors.container_called("ParameterList")


class ParameterDict(Module):
    """A dictionary of registered parameters. Tensors added to it become parameters.

    Iteration follows the order in which the keys were first added. The dictionary may hold other values too, which are
    not registered.

    Args:
      parameters: a mapping of strings to values, or an iterable of (key, value) pairs, to add.

    Raises:
      TypeError: a key is not a string.

    >>> import torchlike as torch
    >>> weights = torch.nn.ParameterDict({"scale": torch.ones(2)})
    >>> list(weights), weights["scale"].requires_grad
    (['scale'], True)
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _name_of(self, key: Any) -> str:
        if not isinstance(key, str):
            raise _errors.parameter_dict_key(key)
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._name_of(key))

    def __setitem__(self, key: str, value: Any) -> None:
        name = self._name_of(key)
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        if name not in self._keys and hasattr(self, name):
            raise _errors.attribute_exists(name)
        setattr(self, name, value)
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._name_of(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Return a shallow copy, which holds the same parameters."""
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value of `key`. A missing key is added with the value `default`.

        Args:
          key: the key, a string.
          default: the value of a new key.
        """
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove all entries."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove `key` and return its value.

        Args:
          key: the key.
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove the last key and return it with its value. Raise KeyError if there is none."""
        key, _ = self._keys.popitem()
        value = self[key]
        delattr(self, self._name_of(key))
        return key, value

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of `key`, or `default` if the key is missing.

        Args:
          key: the key.
          default: the result for a missing key.
        """
        return self[key] if key in self else default  # noqa: SIM401 - this is get itself

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Return a new dictionary with the value `default` for all `keys`.

        Args:
          keys: an iterable of strings.
          default: the value.
        """
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> Any:
        """Return the keys."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the (key, value) pairs."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """Return the values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add or replace values from a mapping or an iterable of (key, value) pairs.

        The pairs of a mapping are added in sorted order, unless it is an OrderedDict.

        Args:
          parameters: the mapping or iterable.
        """
        pairs = pairs_of("ParameterDict", "ParametersDict", parameters)
        is_sorted = isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict)
        for key, value in sorted(pairs) if is_sorted else pairs:
            self[key] = value

    def __or__(self, other: ParameterDict) -> ParameterDict:
        joined = self.copy()
        joined.update(other)
        return joined

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        joined = other.copy()
        joined.update(self)
        return joined

    def __ior__(self, other: ParameterDict) -> Self:
        self.update(other)
        return self

    def extra_repr(self) -> str:
        shown = ((key, described(v, v.type() if isinstance(v, Tensor) else "")) for key, v in self.items())
        return "\n".join(f"  ({key}): {text}" for key, text in shown)

    def __call__(self, input: Any) -> Any:
        raise _errors.container_called("ParameterDict")
