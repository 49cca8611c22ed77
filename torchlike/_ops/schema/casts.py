"""What mixed precision makes of an operator's floating-point tensors: the policies that rows declare.

A policy says, for one kind of device, to which dtype a call's tensors are cast: `policy(fast, dtypes, args)`, with the
dtype of the surrounding `autocast`, the dtypes of the tensors that may be cast and the call's arguments; None leaves
them as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torchlike import _dtypes, _errors

Policy = Callable[[_dtypes.dtype, list[_dtypes.dtype], tuple], _dtypes.dtype | None]


class Casts(NamedTuple):
    """The policies of one operator: PyTorch's for CPU tensors, and its CUDA ones for tensors on accelerators."""

    cpu: Policy | None = None
    accelerator: Policy | None = None

    def on(self, kind: str) -> Policy | None:
        """The policy on a type of device."""
        return self.cpu if kind == "cpu" else self.accelerator


def lower(fast: _dtypes.dtype, dtypes: list[_dtypes.dtype], args: tuple) -> _dtypes.dtype | None:
    """Computed in the fast dtype."""
    return fast


def full(fast: _dtypes.dtype, dtypes: list[_dtypes.dtype], args: tuple) -> _dtypes.dtype | None:
    """Computed in float32."""
    return _dtypes.float32


def widest(fast: _dtypes.dtype, dtypes: list[_dtypes.dtype], args: tuple) -> _dtypes.dtype | None:
    """Computed in float32 where one of the tensors has it, else in the fast dtype."""
    if _dtypes.float32 in dtypes:
        return _dtypes.float32
    if any(d is not fast for d in dtypes):
        raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return fast


def as_given(fast: _dtypes.dtype, dtypes: list[_dtypes.dtype], args: tuple) -> _dtypes.dtype | None:
    """Computed as it is, though what it is made of here would be cast."""
    return None


def banned(fast: _dtypes.dtype, dtypes: list[_dtypes.dtype], args: tuple) -> _dtypes.dtype | None:
    """Refused."""
    raise _errors.autocast.banned()


LOWER, LOWER_ELSEWHERE = Casts(lower, lower), Casts(None, lower)
FULL, FULL_ON_CPU, FULL_ELSEWHERE = Casts(full, full), Casts(full, None), Casts(None, full)
WIDEST_ON_CPU, WIDEST_ELSEWHERE = Casts(widest, None), Casts(None, widest)
