"""PyTorch's error messages and warnings about datasets, samplers and loaders."""

from __future__ import annotations

import signal
import traceback
from typing import Any


def positive_int(name: str, value: object) -> ValueError:
    return ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def boolean(name: str, value: object, kind: type[Exception] = ValueError) -> Exception:
    return kind(f"{name} should be a boolean value, but got {name}={value}")


def split_empty(index: int) -> str:
    return f"Length of split at index {index} is 0. This might result in an empty dataset."


# collating
def uncollatable(found: object) -> TypeError:
    return TypeError(default_collate_err_msg_format.format(found))


def sparse_batch() -> RuntimeError:
    return RuntimeError(
        "Batches of sparse tensors are not currently supported by the default collate_fn; please provide a custom "
        "collate_fn to handle them appropriately."
    )


default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


# the loader
def negative(name: str) -> ValueError:
    tail = "; use num_workers=0 to disable multiprocessing." if name == "num_workers" else ""
    return ValueError(f"{name} option should be non-negative{tail}")


def iterable_option(name: str, value: object) -> ValueError:
    return ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}")


def pin_without_accelerator() -> str:
    return "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."


def pin_device_deprecated(device: str) -> str:
    return (
        "pin_memory_device is deprecated, the current accelerator will be used as the device,"
        f"ignore pin_memory_device='{device}'."
    )


def iterable_too_long(dataset: object, promised: int, fetched: int, has_workers: bool) -> str:
    text = (
        f"Length of IterableDataset {dataset} was reported to be {promised}(when accessing len(dataloader)), "
        f"but {fetched} samples have been fetched. "
    )
    if not has_workers:
        return text
    return (
        f"{text}For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset "
        "replica at each worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset "
        "for examples."
    )


class _Verbatim(str):
    """A message that `KeyError` displays without quotes and escapes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def in_worker(error: Exception, number: int) -> Exception:
    """Return the exception to raise for an error in a worker.

    It has the same type if possible, and its message contains the traceback of the worker.
    """
    kind = type(error)
    told = "".join(traceback.format_exception(error)).removeprefix("Traceback (most recent call last):\n")
    message = _Verbatim(
        f"Caught {kind.__name__} in DataLoader worker process {number}.\n"
        f"Original Traceback (most recent call last):\n{told}"
    )
    try:
        return kind(message)
    except Exception:  # the constructor does not accept a single message
        return RuntimeError(message)


def sendable(error: Exception) -> Exception:
    """Return an error that can be pickled, in place of one whose class cannot."""
    return RuntimeError(_Verbatim(error))


def too_many_workers(count: int, processors: int) -> str:
    return (
        f"This DataLoader will create {count} worker processes in total. Our suggested max number of worker in "
        f"current system is {processors}, which is smaller than what this DataLoader is going to create. Please be "
        "aware that excessive worker creation might get DataLoader running slow or even freeze, lower the worker "
        "number to avoid potential slowness/freeze if necessary."
    )


def timed_out(seconds: float) -> RuntimeError:
    return RuntimeError(f"DataLoader timed out after {seconds} seconds")


def workers_died(ids: list[int], code: int | None) -> RuntimeError:
    """Return the error for workers that ended unexpectedly. Its cause tells how the first one ended."""
    error = RuntimeError(f"DataLoader worker (pid(s) {', '.join(map(str, ids))}) exited unexpectedly")
    if code is not None and code < 0:
        name = signal.strsignal(-code)
        error.__cause__ = RuntimeError(f"DataLoader worker (pid {ids[0]}) is killed by signal: {name}. ")
    elif code is not None:
        error.__cause__ = RuntimeError(
            f"DataLoader worker (pid {ids[0]}) exited unexpectedly with exit code {code}. Details are lost due to "
            "multiprocessing. Rerunning with num_workers=0 may give better error trace."
        )
    return error


def bad_context(context: Any, methods: list[str]) -> Exception:
    if isinstance(context, str):
        return ValueError(
            "multiprocessing_context option should specify a valid start method in "
            f"{methods!r}, but got multiprocessing_context={context!r}"
        )
    return TypeError(
        "multiprocessing_context option should be a valid context object or a string specifying the start "
        f"method, but got multiprocessing_context={context}"
    )
