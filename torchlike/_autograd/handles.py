"""The handle that takes a hook away again."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away, as does leaving a `with` block.

    The handle does not keep alive what the hook was registered on. Removing twice is harmless.
    """

    _ids = itertools.count()

    def __init__(self, hooks_dict: OrderedDict, *, extra_dict: Any = None) -> None:
        self.id = next(RemovableHandle._ids)
        extra = extra_dict if isinstance(extra_dict, (list, tuple)) else [extra_dict]
        self._dictionaries = [weakref.ref(d) for d in (hooks_dict, *extra) if d is not None]

    def remove(self) -> None:
        """Take the hook away."""
        for reference in self._dictionaries:
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> dict:
        return {"id": self.id, "dictionaries": [reference() for reference in self._dictionaries]}

    def __setstate__(self, state: dict | tuple) -> None:
        if isinstance(state, tuple):  # PyTorch's: the dictionary, the id, and further dictionaries
            hooks, self.id, *rest = state
            dictionaries = [hooks, *(d for extra in rest for d in extra)]
        else:
            self.id, dictionaries = state["id"], state["dictionaries"]
        # A dictionary that was gone when the handle was saved is gone for good: nothing to remove from.
        self._dictionaries = [weakref.ref(OrderedDict() if d is None else d) for d in dictionaries]

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def hold(hooks: OrderedDict, hook: Callable) -> RemovableHandle:
    """Keep a hook among others, and return the handle that removes it."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle
