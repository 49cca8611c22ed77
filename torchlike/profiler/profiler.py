"""The names of `torch.profiler.profiler`."""

from __future__ import annotations

from torchlike._internal import cannot
from torchlike.profiler._profile import ProfilerAction as ProfilerAction
from torchlike.profiler._profile import profile as profile
from torchlike.profiler._profile import schedule as schedule
from torchlike.profiler._profile import supported_activities as supported_activities
from torchlike.profiler._profile import tensorboard_trace_handler as tensorboard_trace_handler

__all__ = [
    "ExecutionTraceObserver",
    "ProfilerAction",
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


class ExecutionTraceObserver:
    """A recorder of the graph of operators. Not supported: the constructor raises an error."""

    def __init__(self) -> None:
        raise cannot("profiler.ExecutionTraceObserver", "use torch.profiler.profile or jax.profiler.trace")
