"""The metaclasses of data pipes."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

from torchlike.utils.data.datapipes._hook_iterator import guard_iteration, guard_reset


class _DataPipeMeta(ABCMeta):
    """The metaclass of all data pipes."""


class _IterDataPipeMeta(_DataPipeMeta):
    """The metaclass of `IterDataPipe`. It wraps the methods `__iter__`, `__next__` and `reset` of each class."""

    def __new__(cls, name: str, bases: tuple, namespace: dict[str, Any], **kwargs: Any) -> Any:
        if "reset" in namespace:
            namespace["reset"] = guard_reset(namespace["reset"])
        if "__iter__" in namespace:
            guard_iteration(namespace)
        return super().__new__(cls, name, bases, namespace, **kwargs)
