"""The options of collectives, in the classes of PyTorch's C++ interface. Only their attributes exist here."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import torchlike
from torchlike.distributed._reducing import ReduceOp

_UNSET = timedelta(milliseconds=-1)


@dataclass(eq=False, repr=False)
class _Options:
    """The options of all collectives."""

    asyncOp: bool = field(default=True, init=False)
    timeout: timedelta = field(default=_UNSET, init=False)


@dataclass(eq=False, repr=False)
class _Rooted(_Options):
    """The options of collectives with one source or destination."""

    rootRank: int = field(default=0, init=False)


@dataclass(eq=False, repr=False)
class _Reducing(_Options):
    """The options of collectives that reduce."""

    reduceOp: ReduceOp = field(default_factory=ReduceOp, init=False)


@dataclass(eq=False, repr=False)
class AllreduceOptions(_Reducing):
    """The options of an `all_reduce`."""


@dataclass(eq=False, repr=False)
class AllreduceCoalescedOptions(AllreduceOptions):
    """The options of an `all_reduce_coalesced`."""


@dataclass(eq=False, repr=False)
class AllgatherOptions(_Options):
    """The options of an `all_gather`."""


@dataclass(eq=False, repr=False)
class AllToAllOptions(_Options):
    """The options of an `all_to_all`."""


@dataclass(eq=False, repr=False)
class BarrierOptions(_Options):
    """The options of a `barrier`."""

    device: torchlike.device | None = field(default=None, init=False)
    device_ids: list[int] = field(default_factory=list, init=False)


@dataclass(eq=False, repr=False)
class BroadcastOptions(_Rooted):
    """The options of a `broadcast`."""

    rootTensor: int = field(default=0, init=False)


@dataclass(eq=False, repr=False)
class GatherOptions(_Rooted):
    """The options of a `gather`."""


@dataclass(eq=False, repr=False)
class ReduceOptions(_Reducing, _Rooted):
    """The options of a `reduce`."""

    rootTensor: int = field(default=0, init=False)


@dataclass(eq=False, repr=False)
class ReduceScatterOptions(_Reducing):
    """The options of a `reduce_scatter`."""


@dataclass(eq=False, repr=False)
class ScatterOptions(_Rooted):
    """The options of a `scatter`."""
