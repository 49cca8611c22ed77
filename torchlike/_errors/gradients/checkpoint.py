"""PyTorch's error messages about activation checkpointing."""

from __future__ import annotations

from typing import Any


class CheckpointError(RuntimeError):
    """Raised if a recomputation differs from the original forward pass."""


CheckpointError.__module__ = "torchlike.utils.checkpoint"
NO_INPUT_REQUIRES_GRAD = "None of the inputs have requires_grad=True. Gradients will be None"


def explicit(name: str) -> str:
    if name == "checkpoint":
        return (
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, "
            "calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but "
            "if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for "
            "more details on the differences between the two variants."
        )
    return (
        f"torch.utils.checkpoint.{name}: the use_reentrant parameter should be passed explicitly. In version 2.9 we "
        "will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you need "
        "to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
        "the differences between the two variants."
    )


def unexpected(kwargs: Any) -> ValueError:
    return ValueError("Unexpected keyword arguments: " + ",".join(kwargs))


def determinism_check(known: list[str], given: Any) -> ValueError:
    return ValueError(f"determinism_check should be one of {known}, but got {given}")


def not_by_grad() -> RuntimeError:
    return RuntimeError(
        "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter "
        "to .backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without "
        "passing the `inputs` argument."
    )


def unpacked_twice() -> CheckpointError:
    return CheckpointError(
        "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you are "
        "calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with "
        "details on your use case."
    )


def more_saved() -> CheckpointError:
    return CheckpointError(
        "torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
        "original forward pass."
    )


def number_saved(before: int, again: int) -> CheckpointError:
    return CheckpointError(
        "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
        f"recomputation.\nNumber of tensors saved during forward: {before}\nNumber of tensors saved during "
        f"recomputation: {again}."
    )


def kinds_saved(different: list[tuple[int, Any, Any]]) -> CheckpointError:
    rows = [
        f"tensor at position {place}:\nsaved metadata: {before}\nrecomputed metadata: {again}\n"
        for place, before, again in different
    ]
    return CheckpointError(
        "torch.utils.checkpoint: Recomputed values for the following tensors have different "
        "metadata than during the forward pass.\n" + "".join(rows) + "."
    )


def suppressed() -> RuntimeError:
    return RuntimeError(
        "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised during the "
        "checkpointed forward. This is not supported because checkpoint cannot return a value for a failed forward."
    )
