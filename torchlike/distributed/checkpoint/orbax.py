"""Checkpoints for JAX programs, in the format of Orbax. PyTorch does not have this module."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Any

import torchlike
import torchlike.distributed as dist
from torchlike import Tensor
from torchlike.distributed.tensor import DTensor

_PLAIN = (int, float)


def save_for_jax(state_dict: Mapping[str, Any], path: str | os.PathLike, *, overwrite: bool = False) -> None:
    """Save a state dict as an Orbax checkpoint, which JAX programs read with `StandardCheckpointer().restore(path)`.

    Rank 0 writes the checkpoint. If there is a process group, all processes must call this function. `DTensor`s are
    gathered, so their whole tensors must fit in the memory of each process.

    Args:
        state_dict: tensors and Python numbers, in nested dictionaries with string keys and in lists.
        path: the folder of the checkpoint.
        overwrite: replace an existing checkpoint. Orbax removes it before it writes the new one.

    Raises:
        ImportError: The package `orbax-checkpoint` is not installed.
        TypeError: A value is of another type, or a key is not a string.
    """
    orbax = _orbax()
    found = _arrays(state_dict, "")
    if not dist.is_initialized() or dist.get_rank() == 0:
        with orbax.StandardCheckpointer() as checkpointer:
            checkpointer.save(os.path.abspath(path), found, force=overwrite)
            checkpointer.wait_until_finished()
    if dist.is_initialized():
        dist.barrier()


def _orbax() -> Any:
    try:
        return importlib.import_module("orbax.checkpoint")
    except ImportError as error:
        raise ImportError(
            f"save_for_jax needs the package orbax-checkpoint: pip install orbax-checkpoint ({error})"
        ) from None


def _arrays(value: Any, key: str) -> Any:
    """Return a nested state dict with JAX arrays in place of tensors."""
    if isinstance(value, DTensor):
        value = value.full_tensor()
    if isinstance(value, Tensor):
        return torchlike.jax.to_jax(value.detach())
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise TypeError(f"save_for_jax: the key {name!r} in {key or 'the state dict'} must be a string")
        return {name: _arrays(item, f"{key}.{name}".lstrip(".")) for name, item in value.items()}
    if isinstance(value, list):
        return [_arrays(item, f"{key}.{i}") for i, item in enumerate(value)]
    if isinstance(value, _PLAIN):
        return value
    raise TypeError(f"save_for_jax: {key} is a {type(value).__name__}, which an Orbax checkpoint cannot hold")
