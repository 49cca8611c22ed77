"""Copies of state dicts, which `async_save` writes while the training continues."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from torchlike import Tensor
from torchlike._internal import boundary, unsupported
from torchlike.distributed.checkpoint.metadata import STATE_DICT_TYPE
from torchlike.distributed.tensor import DTensor


@runtime_checkable
class AsyncStager(Protocol):
    """An object that copies a state dict, so that later changes of the tensors do not reach the checkpoint."""

    _synchronize_after_execute: bool = True

    @property
    def should_synchronize_after_execute(self) -> bool:
        """Whether `async_save` calls `synchronize_staging` before it returns."""
        return self._synchronize_after_execute

    def stage(self, state_dict: STATE_DICT_TYPE) -> Any:
        """Return a copy of a state dict, or a future of one."""
        ...

    def synchronize_staging(self) -> None:
        """Wait until the copy is complete."""

    def close(self) -> None:
        """Free the resources of the stager."""


@dataclass
class StagingOptions:
    """Options of `DefaultStager`. They do not change the results, and all of them must be False.

    Attributes:
        use_pinned_memory, use_shared_memory, use_async_staging, use_non_blocking_copy: not supported.
    """

    use_pinned_memory: bool = False
    use_shared_memory: bool = False
    use_async_staging: bool = False
    use_non_blocking_copy: bool = False

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value:
                raise unsupported("StagingOptions", name)


class DefaultStager(AsyncStager):
    """A stager that copies the state dict to the memory of the CPU before it returns.

    Args:
        config: the options.
    """

    def __init__(self, config: StagingOptions | None = None) -> None:
        self._config = config or StagingOptions()

    def stage(self, state_dict: STATE_DICT_TYPE) -> STATE_DICT_TYPE:
        """Return a copy of the state dict on the CPU."""
        return staged(state_dict)


class BlockingAsyncStager(AsyncStager):
    """A stager that copies the state dict to the memory of the CPU before it returns.

    Args:
        cache_staged_state_dict: not supported.
        type_check: has no effect, because objects of all types are copied.
    """

    _synchronize_after_execute = False

    def __init__(self, cache_staged_state_dict: bool = False, type_check: bool = False) -> None:
        if cache_staged_state_dict:
            raise unsupported("BlockingAsyncStager", "cache_staged_state_dict")

    def stage(self, state_dict: STATE_DICT_TYPE) -> STATE_DICT_TYPE:
        """Return a copy of the state dict on the CPU."""
        return staged(state_dict)


def staged(state_dict: STATE_DICT_TYPE) -> STATE_DICT_TYPE:
    """Return a copy of a state dict whose tensors are on the CPU and complete."""
    found = _copied(state_dict, {})
    boundary()
    return found


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, DTensor):
        local = _copied(value._local_tensor, memo)
        return DTensor.from_local(
            local, value.device_mesh, value.placements, run_check=False, shape=value.size(), stride=value.stride()
        )
    if isinstance(value, Tensor):
        return value.detach().cpu().clone()
    if isinstance(value, Mapping):
        return {key: _copied(item, memo) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_copied(item, memo) for item in value)
    return deepcopy(value, memo)
