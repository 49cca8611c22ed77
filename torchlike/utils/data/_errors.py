"""PyTorch's sentences about datasets, samplers and loaders, one function each."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from typing import Any


def positive_int(name: str, value: object) -> ValueError:
    return ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def boolean(name: str, value: object, kind: type[Exception] = ValueError) -> Exception:
    return kind(f"{name} should be a boolean value, but got {name}={value}")


# datasets
def no_getitem() -> NotImplementedError:
    return NotImplementedError("Subclasses of Dataset should implement __getitem__.")


def tensor_sizes() -> AssertionError:
    return AssertionError("Size mismatch between tensors")


def stack_sizes() -> ValueError:
    return ValueError("Size mismatch between datasets")


def stack_nested_sizes(expected: int, found: int) -> ValueError:
    return ValueError(f"Nested dataset's output size mismatch. Expected {expected}, got {found}")


def stack_both_kinds() -> ValueError:
    return ValueError(
        "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, "
        "but both types are given."
    )


def stack_empty() -> ValueError:
    return ValueError("At least one dataset should be passed")


def concat_empty() -> AssertionError:
    return AssertionError("datasets should not be an empty iterable")


def concat_iterable() -> AssertionError:
    return AssertionError("ConcatDataset does not support IterableDataset")


def concat_index() -> ValueError:
    return ValueError("absolute value of index should not exceed dataset length")


def chain_kind() -> AssertionError:
    return AssertionError("ChainDataset only supports IterableDataset")


def split_fraction(index: int) -> ValueError:
    return ValueError(f"Fraction at index {index} is not between 0 and 1")


def split_sum() -> ValueError:
    return ValueError("Sum of input lengths does not equal the length of the input dataset!")


def split_empty(index: int) -> str:
    return f"Length of split at index {index} is 0. This might result in an empty dataset."


# samplers
def weights_shape(shape: Iterable[int]) -> ValueError:
    return ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(shape)}")


def rank_range(rank: int, replicas: int) -> ValueError:
    return ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {replicas - 1}]")


# collating
def uncollatable(found: object) -> TypeError:
    return TypeError(default_collate_err_msg_format.format(found))


default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def uneven_batch() -> RuntimeError:
    return RuntimeError("each element in list of batch should be of equal size")


# the loader
def negative(name: str) -> ValueError:
    tail = "; use num_workers=0 to disable multiprocessing." if name == "num_workers" else ""
    return ValueError(f"{name} option should be non-negative{tail}")


def prefetch_without_workers() -> ValueError:
    return ValueError(
        "prefetch_factor option could only be specified in multiprocessing."
        "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
    )


def persistent_without_workers() -> ValueError:
    return ValueError("persistent_workers option needs num_workers > 0")


def context_without_workers(workers: int) -> ValueError:
    return ValueError(
        "multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
        f"but got num_workers={workers}"
    )


def timeout_without_workers() -> AssertionError:
    return AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")


def iterable_option(name: str, value: object) -> ValueError:
    return ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}")


def sampler_and_shuffle() -> ValueError:
    return ValueError("sampler option is mutually exclusive with shuffle")


def batch_sampler_exclusive() -> ValueError:
    return ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")


def unbatched_drop_last() -> ValueError:
    return ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


def set_after_init(name: str, owner: str) -> ValueError:
    return ValueError(f"{name} attribute should not be set after {owner} is initialized")


def pin_without_accelerator() -> str:
    return "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."


def pin_device_deprecated(device: str) -> str:
    return (
        "pin_memory_device is deprecated, the current accelerator will be used as the device,"
        f"ignore pin_memory_device='{device}'."
    )


def iterable_too_long(dataset: object, promised: int, fetched: int) -> str:
    return (
        f"Length of IterableDataset {dataset} was reported to be {promised}(when accessing len(dataloader)), "
        f"but {fetched} samples have been fetched. "
    )


class _Verbatim(str):
    """A message that a KeyError shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def in_worker(error: Exception, number: int) -> Exception:
    """What a worker's error becomes outside: of the same type, with the worker's traceback as its message."""
    kind = type(error)
    told = "".join(traceback.format_exception(error)).removeprefix("Traceback (most recent call last):\n")
    message = _Verbatim(
        f"Caught {kind.__name__} in DataLoader worker process {number}.\n"
        f"Original Traceback (most recent call last):\n{told}"
    )
    try:
        return kind(message)
    except Exception:  # a type that takes other arguments
        return RuntimeError(message)


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
