"""Lists and dicts that cannot be changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from torchlike.utils._pytree import register_pytree_node

_HELP = (
    "If you are attempting to modify the kwargs or args of a torch.fx.Node object,\n"
    "instead create a new copy of it and assign the copy to the node:\n\n"
    "    new_args = ...  # copy and mutate args\n"
    "    node.args = new_args"
)


def _refused(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_HELP}")


class immutable_list(list):
    """A list that cannot be changed.

    Args:
      iterable (iterable, optional): the elements.

    >>> immutable_list([1, 2])
    [1, 2]
    """

    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refused
    append = clear = extend = insert = pop = remove = reverse = sort = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple:
        return type(self), (tuple(iter(self)),)


class immutable_dict(dict):
    """A dict that cannot be changed.

    Args:
      args, kwargs: the items, as those of `dict`.

    >>> immutable_dict(a=1)
    {'a': 1}
    """

    __delitem__ = __ior__ = __setitem__ = _refused
    clear = pop = popitem = setdefault = update = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple:
        return type(self), (tuple(self.items()),)


def _unflatten_with(kind: Callable) -> Callable[[Iterable, Any], Any]:
    return lambda values, keys: kind(values if keys is None else zip(keys, values))


register_pytree_node(immutable_list, lambda x: (list(x), None), _unflatten_with(immutable_list))
register_pytree_node(immutable_dict, lambda x: (list(x.values()), list(x)), _unflatten_with(immutable_dict))

__all__ = ["immutable_dict", "immutable_list"]
