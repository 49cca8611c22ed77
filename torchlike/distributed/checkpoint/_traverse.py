"""Traversal of nested state dicts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from torchlike import Tensor

PATH_ITEM = str | int
OBJ_PATH = tuple[PATH_ITEM, ...]


def _is_leaf(value: object) -> bool:
    """Return whether a value is saved as one item.

    Dictionaries are always traversed. Lists are traversed if they contain a tensor or a dictionary.
    """
    if isinstance(value, Mapping):
        return False
    if not isinstance(value, list):
        return True
    return not any(isinstance(item, Tensor) or not _is_leaf(item) for item in value)


def _is_old_leaf(value: object) -> bool:
    """Return whether a value was saved as one item before PyTorch 2.4: also dictionaries without tensors were."""
    if not isinstance(value, Mapping | list):
        return True
    items = value.values() if isinstance(value, Mapping) else value
    return not any(isinstance(item, Tensor) or not _is_old_leaf(item) for item in items)


def traverse_state_dict(
    state_dict: Mapping[str, object], visitor: Callable[[OBJ_PATH, Any], None], is_old: bool = False
) -> None:
    """Call `visitor(path, value)` for each item of a nested state dict.

    Keys of the state dict are converted to strings, and an int in a path is an index of a list.

    Args:
        state_dict: the nested dictionary.
        visitor: the function.
        is_old: traverse as PyTorch did before version 2.4.
    """
    for key, value in state_dict.items():
        _visit((str(key),), value, visitor, is_old)


def _visit(path: OBJ_PATH, value: Any, visitor: Callable[[OBJ_PATH, Any], None], is_old: bool) -> None:
    if (_is_old_leaf if is_old else _is_leaf)(value):
        visitor(path, value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _visit((*path, key if is_old else str(key)), item, visitor, is_old)
    else:
        for i, item in enumerate(value):
            _visit((*path, i), item, visitor, is_old)


def set_element(root_dict: Any, path: OBJ_PATH, value: object) -> None:
    """Set the value at a path. Create dictionaries and lists that are missing."""
    container = root_dict
    for key, after in itertools.pairwise(path):
        container = _inner(container, key, {} if isinstance(after, str) else [])
    last: Any = path[-1]
    if isinstance(container, list):
        _extend(container, last)
    container[last] = value


def _inner(container: Any, key: Any, missing: Any) -> Any:
    if isinstance(container, Mapping):
        return container.setdefault(key, missing)  # type: ignore[attr-defined]
    _extend(container, key)
    if container[key] is None:
        container[key] = missing
    return container[key]


def _extend(items: list, index: int) -> None:
    items.extend([None] * (index + 1 - len(items)))


def get_element(root_dict: Any, path: OBJ_PATH, default_value: Any = None) -> Any:
    """Return the value at a path, or `default_value` if there is none."""
    found = root_dict
    for key in path:
        if isinstance(key, int):
            if not isinstance(found, list) or key >= len(found):
                return default_value
        elif not isinstance(found, Mapping) or key not in found:
            return default_value
        found = found[key]  # type: ignore[index]
    return found
