"""The exception of failed saves and loads."""

from __future__ import annotations

import traceback

WRAPPED_EXCEPTION = tuple[BaseException, traceback.StackSummary]


def _wrap_exception(error: BaseException) -> WRAPPED_EXCEPTION:
    """Return an exception with its traceback, in a form that can be sent to other processes."""
    summary = traceback.extract_tb(error.__traceback__)
    for frame in summary:
        if hasattr(frame, "_code"):  # Python 3.13 and later keep the code object, which cannot be pickled
            object.__setattr__(frame, "_code", None)
    return error, summary


def _is_wrapped_exception(found: object) -> bool:
    return (
        isinstance(found, tuple)
        and len(found) == 2
        and isinstance(found[0], BaseException)
        and isinstance(found[1], traceback.StackSummary)
    )


class CheckpointException(BaseException):
    """The failure of a save or load in one or more processes. As in PyTorch, it is not an `Exception`.

    Args:
        msg: the step that failed: "plan", "write" or "read".
        failures: for each rank that failed, the exception and its traceback.
    """

    def __init__(self, msg: str, failures: dict[int, WRAPPED_EXCEPTION]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, WRAPPED_EXCEPTION]:
        """For each rank that failed, the exception and its traceback."""
        return self._failures

    def __str__(self) -> str:
        said = [f"CheckpointException ranks:{self._failures.keys()}\n"]
        for rank, (error, trace) in self._failures.items():
            said.append(f"Traceback (most recent call last): (RANK {rank})\n")
            said += traceback.format_list(trace or [])
            said += traceback.format_exception_only(type(error), value=error)
        return "".join(said)
