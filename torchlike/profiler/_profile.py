"""`profile`: the control of recording, and the export of its results."""

from __future__ import annotations

import enum
import gzip
import json
import os
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

from torchlike import _errors
from torchlike.profiler._events import EventList, FunctionEvent, averages
from torchlike.profiler._recording import Recorder, region


class ProfilerActivity(enum.Enum):
    """The device types that PyTorch's profiler distinguishes.

    Args:
      value, values: of a call: the value of the member to return.
      names, module, qualname, type, start, boundary: see `enum.Enum`. Not used: they create enumerations.

    >>> import torchlike as torch
    >>> torch.profiler.ProfilerActivity.CPU.name
    'CPU'
    """

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """The actions of a profiler in one step.

    Args:
      value, values: of a call: the value of the member to return.
      names, module, qualname, type, start, boundary: see `enum.Enum`. Not used: they create enumerations.

    >>> import torchlike as torch
    >>> torch.profiler.ProfilerAction(2).name
    'RECORD'
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """Return the available device types: the CPU, and "cuda" if JAX has a GPU.

    >>> import torchlike as torch
    >>> torch.profiler.ProfilerActivity.CPU in torch.profiler.supported_activities()
    True
    """
    from torchlike import cuda

    return {ProfilerActivity.CPU} | ({ProfilerActivity.CUDA} if cuda.is_available() else set())


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Return a function from a step's number to the profiler's action in that step.

    After `skip_first` steps, each cycle has `wait` idle steps, `warmup` steps that are not recorded either, and
    `active` recorded steps.

    Args:
      wait (int): the number of idle steps in a cycle.
      warmup (int): the number of steps between the idle and the recorded ones. They are not recorded.
      active (int): the number of recorded steps in a cycle, at least 1. The last of them ends the recording.
      repeat (int, default 0): the number of cycles. 0 means that there is no last cycle.
      skip_first (int, default 0): the number of steps before the first cycle.
      skip_first_wait (int, default 0): if not 0, the first cycle has no idle steps.

    Returns:
      The function, which is the argument `schedule` of `profile`.

    Raises:
      AssertionError: a number is negative, or `active` is 0.

    >>> import torchlike as torch
    >>> action = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [action(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        step -= skip_first
        if step < 0:
            return ProfilerAction.NONE
        step += wait if skip_first_wait else 0
        cycle = wait + warmup + active
        if repeat and step // cycle >= repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """Return a function that writes a finished profile to a file in a directory.

    TensorBoard or the browser's trace viewer displays the file.

    Args:
      dir_name (str): the directory. It is created if it does not exist.
      worker_name (str, optional): the first part of the file's name. Default: the names of the host and of the process.
      use_gzip (bool, default False): compress the file.

    Returns:
      The function, which is the argument `on_trace_ready` of `profile`.

    >>> import pathlib, tempfile, torchlike as torch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with torch.profiler.profile(on_trace_ready=torch.profiler.tensorboard_trace_handler(folder, "worker")):
    ...         _ = torch.ones(2).sum().item()
    ...     [path.name.partition(".")[0] for path in pathlib.Path(folder).iterdir()]
    ['worker']
    """

    def write(prof: profile) -> None:
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return write


class profile:
    """A context manager that times programs and regions. Alternatively call `start` and `stop`.

    Args:
      activities: the device types. All devices are timed regardless of this argument.
      schedule: the function that selects the steps to record; `step` ends a step. By default all steps are recorded.
      on_trace_ready: a function that is called with the profile after each recorded cycle, and by `stop`
        while recording.
      record_shapes: record the shapes of the inputs of each program.
      with_stack: no effect, because the user's source line is always recorded.
      acc_events: keep the events of earlier cycles. By default each recording replaces the events of the previous one.
      profile_memory, with_flops, with_modules: not supported. XLA plans the memory of whole programs, and fused
        operators have no run times of their own. The `memory()` and `cost()` of a compiled step return XLA's figures.
      **more: the other arguments of PyTorch's profiler. They are not supported and must be None or False.

    Raises:
      NotImplementedError: an argument is given that is not supported.

    >>> import torchlike as torch
    >>> with torch.profiler.profile() as prof:
    ...     with torch.profiler.record_function("forward"):
    ...         _ = torch.ones(2).sum().item()
    >>> "forward" in [event.name for event in prof.events()]
    True
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        acc_events: bool = False,
        **more: Any,
    ) -> None:
        refused = {"profile_memory": profile_memory, "with_flops": with_flops, "with_modules": with_modules, **more}
        for name, given in refused.items():
            if given:
                raise _errors.arguments.unsupported("profiler.profile", name)
        self.activities = set(activities or supported_activities())
        self._schedule, self._ready = schedule, on_trace_ready
        self.record_shapes, self._accumulates = record_shapes, acc_events
        self.step_num = 0
        self.current_action = ProfilerAction.NONE
        self._events: list[FunctionEvent] = []
        self._recorder: Recorder | None = None
        self._started = 0.0

    def _action(self) -> ProfilerAction:
        return ProfilerAction.RECORD if self._schedule is None else self._schedule(self.step_num)

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start profiling with the first step."""
        self.current_action = self._action()
        self._follow()

    def stop(self) -> None:
        """Stop profiling at the end of the last step."""
        self._end_of_step()
        recorded = self._recorder is not None
        self._close()
        if recorded and self._ready is not None:
            self._ready(self)

    def step(self) -> None:
        """End a step and begin the next one."""
        self._end_of_step()
        saves = self.current_action is ProfilerAction.RECORD_AND_SAVE
        if saves:
            self._close()
            if self._ready is not None:
                self._ready(self)
        self.step_num += 1
        self.current_action = self._action()
        self._follow()

    def _follow(self) -> None:
        records = self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if records and self._recorder is None:
            self._recorder = Recorder()
            self._recorder.start()
        elif not records:
            self._close()
        self._started = time.perf_counter()

    def _end_of_step(self) -> None:
        from torchlike._engine import boundary

        if self._recorder is not None and self._schedule is not None:
            boundary()
            region(f"ProfilerStep#{self.step_num}", self._started)

    def _close(self) -> None:
        if self._recorder is not None:
            self._recorder.stop()
            self._events = (self._events if self._accumulates else []) + self._recorder.events
            self._recorder = None

    def events(self) -> list[FunctionEvent]:
        """Return the events of the last recording (with `acc_events`: of all recordings), in order of their start."""
        return sorted(self._events, key=lambda event: event.started)

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Return the totals of the events by name.

        The name of a program is the user's source line and the operators, so no separate stack is needed.
        """
        if group_by_overload_name:
            raise _errors.arguments.unsupported("key_averages", "group_by_overload_name")
        return averages(self._events, group_by_input_shape, self.record_shapes)

    def export_chrome_trace(self, path: str) -> None:
        """Write the events in the format of the Chrome trace viewer."""
        text = json.dumps({"schemaVersion": 1, "traceEvents": [_traced(event) for event in self.events()]})
        with gzip.open(path, "wt") if str(path).endswith(".gz") else open(path, "w") as file:
            file.write(text)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Raise an error: a program has a single source line, not a stack."""
        raise _errors.arguments.cannot(
            "profiler.profile.export_stacks", "use export_chrome_trace, which has source lines"
        )


def _traced(event: FunctionEvent) -> dict:
    shown = {"line": event.place, "shapes": [list(shape) for shape in event.shapes]} if event.place else {}
    category = "user_annotation" if event.kind == "region" else "cpu_op" if event.device == "cpu" else "kernel"
    return {
        "ph": "X",
        "name": event.name,
        "cat": category,
        "pid": os.getpid(),
        "tid": event.thread,
        "ts": event.started * 1e6,
        "dur": event.microseconds,
        "args": shown,
    }
