"""The handle that removes a hook."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any


class RemovableHandle:
    """The handle of a registered hook. `remove()` removes the hook, and so does leaving a `with` block.

    The handle holds only weak references to the dictionaries of hooks. Removing a hook twice is harmless.
    """

    __module__ = "torchlike.utils.hooks"  # the public module, for `repr`
    next_id = 0

    def __init__(self, hooks_dict: OrderedDict, *, extra_dict: Any = None) -> None:
        while RemovableHandle.next_id in hooks_dict:  # unpickled hooks keep their ids
            RemovableHandle.next_id += 1
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extra = extra_dict if isinstance(extra_dict, (list, tuple)) else [extra_dict]
        self._dictionaries = [weakref.ref(d) for d in (hooks_dict, *extra) if d is not None]

    def remove(self) -> None:
        """Remove the hook."""
        for reference in self._dictionaries:
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> tuple:
        first, *extra = (reference() for reference in self._dictionaries)  # the format of PyTorch's pickles
        return first, self.id, tuple(extra)

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):  # pickled by earlier versions
            self.id, dictionaries = state["id"], state["dictionaries"]
        else:
            first, self.id, *extra = state
            dictionaries = [first, *(extra[0] or () if extra else ())]
        # A dictionary that no longer existed when the handle was saved is None. An empty one replaces it.
        self._dictionaries = [weakref.ref(OrderedDict() if d is None else d) for d in dictionaries]
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def hold(hooks: OrderedDict, hook: Callable) -> RemovableHandle:
    """Add a hook to a dictionary of hooks, and return the handle that removes it."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle
