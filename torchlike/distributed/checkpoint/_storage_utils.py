"""The storage of a checkpoint, chosen by its name."""

from __future__ import annotations

import os
from typing import TypeVar

from torchlike.distributed.checkpoint.storage import StorageReader, StorageWriter

S = TypeVar("S", StorageReader, StorageWriter)


def chosen(storage: S | None, checkpoint_id: str | os.PathLike | None, default: type[S]) -> S:
    """Return the given storage, or one of the class `default` for a checkpoint.

    Raises:
        RuntimeError: Neither is given, or the class cannot use the checkpoint.
    """
    if storage is not None:
        if checkpoint_id is not None:
            storage.reset(checkpoint_id)
        return storage
    if not checkpoint_id:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    if not default.validate_checkpoint_id(checkpoint_id):
        raise RuntimeError(
            "Cannot detect which StorageReader or StorageWriter to use. Please specify the "
            "storage_reader/storage_writer."
        )
    made = default(checkpoint_id)  # type: ignore[call-arg]
    made.reset(checkpoint_id)
    return made
