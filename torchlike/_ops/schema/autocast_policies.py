"""Autocast policies: the casts that mixed precision applies to an operator's floating-point tensors.

`policy(fast, dtypes, args)` returns the dtype to which a call's tensors are cast, or None for no cast. `fast` is the
dtype of the enclosing `autocast`, `dtypes` are the dtypes of the tensors that may be cast, and `args` are the call's
arguments. Operators declare one policy for each kind of device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torchlike import _dtypes, _errors

Policy = Callable[[_dtypes.dtype, list[_dtypes.dtype], tuple], _dtypes.dtype | None]


class Casts(NamedTuple):
    """The policies of one operator: PyTorch's CPU policy, and its CUDA policy for tensors on accelerators."""

    cpu: Policy | None = None
    accelerator: Policy | None = None

    def on(self, kind: str) -> Policy | None:
        """Return the policy for a device type."""
        return self.cpu if kind == "cpu" else self.accelerator


def lower(fast: _dtypes.dtype, dtypes: list[_dtypes.dtype], args: tuple) -> _dtypes.dtype | None:
    """Return the fast dtype, which is the lower-precision dtype of autocast."""
    return fast


def full(fast: _dtypes.dtype, dtypes: list[_dtypes.dtype], args: tuple) -> _dtypes.dtype | None:
    """Return float32."""
    return _dtypes.float32


def widest(fast: _dtypes.dtype, dtypes: list[_dtypes.dtype], args: tuple) -> _dtypes.dtype | None:
    """Return float32 if one of the tensors has this dtype, else the fast dtype."""
    if _dtypes.float32 in dtypes:
        return _dtypes.float32
    if any(d is not fast for d in dtypes):
        raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
    return fast


def as_given(fast: _dtypes.dtype, dtypes: list[_dtypes.dtype], args: tuple) -> _dtypes.dtype | None:
    """Return None: apply no cast. This policy is for a composite whose component operators would be cast."""
    return None


def banned(fast: _dtypes.dtype, dtypes: list[_dtypes.dtype], args: tuple) -> _dtypes.dtype | None:
    """Raise PyTorch's error: the operator is not permitted under autocast."""
    raise _errors.autocast.banned()


LOWER, LOWER_ELSEWHERE = Casts(lower, lower), Casts(None, lower)
FULL, FULL_ON_CPU, FULL_ELSEWHERE = Casts(full, full), Casts(full, None), Casts(None, full)
WIDEST_ON_CPU, WIDEST_ELSEWHERE = Casts(widest, None), Casts(None, widest)
