"""The public names of `elastic.multiprocessing`, and `start_processes`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ._contexts import PContext as PContext
from ._contexts import RunProcsResult as RunProcsResult
from ._functions import MultiprocessContext as MultiprocessContext
from ._logs import DefaultLogsSpecs as DefaultLogsSpecs
from ._logs import LogsDest as LogsDest
from ._logs import LogsSpecs as LogsSpecs
from ._logs import Std as Std
from ._logs import to_map as to_map
from ._programs import SubprocessContext as SubprocessContext
from ._signals import SignalException as SignalException
from .errors import ProcessFailure as ProcessFailure


def start_processes(
    name: str,
    entrypoint: Callable[..., Any] | str,
    args: dict[int, tuple],
    envs: dict[int, dict[str, str]],
    logs_specs: LogsSpecs,
    log_line_prefixes: dict[int, str] | None = None,
    start_method: str = "spawn",
    numa_options: None = None,
    duplicate_stdout_filters: list[str] | None = None,
    duplicate_stderr_filters: list[str] | None = None,
) -> PContext:
    """Start one process for each local rank, and return their context.

    Args:
      name: the name that precedes the local rank in copied output (`[name0]:`).
      entrypoint: a function, or the path of a program.
      args: the arguments of each local rank. The arguments of a program are converted to strings.
      envs: the environment variables of each local rank, in addition to those of this process.
      logs_specs: where the output and the error files go.
      log_line_prefixes: the prefixes of copied output for each local rank, in place of `[name0]:`.
      start_method: how processes that run a function are started: "spawn", "fork" or "forkserver". Forked processes
        must not run computations after this process has run some.
      numa_options: must be None. Processes are not bound to CPUs.
      duplicate_stdout_filters, duplicate_stderr_filters: lines of the copied output that contain one of these strings
        also go to `filtered_stdout.log` and `filtered_stderr.log`.

    Raises:
      RuntimeError: if the keys of `args` or `envs` are not 0, 1, ..., n - 1.
    """
    if numa_options is not None:
        raise NotImplementedError("start_processes: the argument 'numa_options' is not supported by torchlike yet")
    check_ranks(args, len(args), "args")
    check_ranks(envs, len(args), "envs")
    common = (args, envs, logs_specs, log_line_prefixes, duplicate_stdout_filters, duplicate_stderr_filters)
    context: PContext
    if isinstance(entrypoint, str):
        context = SubprocessContext(name, entrypoint, *common)
    else:
        context = MultiprocessContext(name, entrypoint, *common, start_method=start_method)
    try:
        context.start()
    except BaseException:
        context.close()
        raise
    return context


def check_ranks(found: Iterable[int], nprocs: int, what: str) -> None:
    """Raise an error if the keys are not the local ranks 0, 1, ..., `nprocs` - 1."""
    actual, expected = set(found), set(range(nprocs))
    if actual != expected:
        raise RuntimeError(f"{what}, local rank mapping mismatch, expected: {expected}, actual: {actual}")
