"""`elastic_launch`: run a function or a program in many connected processes."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torchlike.distributed.elastic.multiprocessing import DefaultLogsSpecs, LogsSpecs
from torchlike.distributed.elastic.multiprocessing._signals import DEFAULT_SIGNALS
from torchlike.distributed.elastic.multiprocessing.errors import ChildFailedError
from torchlike.distributed.elastic.utils.logging import get_logger

from ._agent import Agent

logger = get_logger(__name__)


@dataclass
class LaunchConfig:
    """The settings of a launch.

    Args:
      min_nodes, max_nodes: the number of machines. Both must be equal.
      nproc_per_node: the number of processes on this machine.
      logs_specs: where the output and the error files go. Default: `DefaultLogsSpecs()`.
      run_id: the name of the run, which all machines share.
      role: the name of the processes.
      rdzv_endpoint: the address of machine 0, as `host:port`.
      rdzv_backend: "static" (the machines know their ranks) or "c10d" (machine 0 runs a store). PyTorch's default,
        "etcd", is refused.
      rdzv_configs: "timeout" or "join_timeout", the time in seconds that a machine waits for the others; for "static",
        "rank", the rank of this machine; for "c10d", "is_host", whether this machine runs the store.
      rdzv_timeout: an older name of `rdzv_configs["timeout"]`.
      max_restarts: how often all processes are started again after one has failed.
      monitor_interval: the time in seconds between two looks at the processes.
      start_method: how processes that run a function are started.
      log_line_prefix_template: the prefix of copied output, with `${role_name}`, `${rank}` and `${local_rank}`.
      metrics_cfg: must be empty.
      local_addr: the address at which the other machines reach this one. Default: the name of this machine.
      event_log_handler: must be "null".
      numa_options: must be None.
      signals_to_handle: the signals that are passed on to the processes.
      duplicate_stdout_filters, duplicate_stderr_filters: lines of the copied output that contain one of these strings
        also go to a file.
      virtual_local_rank: whether each process gets LOCAL_RANK=0 and one GPU in CUDA_VISIBLE_DEVICES.
      shutdown_timeout: the time in seconds between the signal that ends the processes and SIGKILL. Default:
        the environment variable TORCH_ELASTIC_SHUTDOWN_TIMEOUT, or 30.

    Raises:
      ValueError: if `shutdown_timeout` is negative.
    """

    min_nodes: int
    max_nodes: int
    nproc_per_node: int
    logs_specs: LogsSpecs | None = None
    run_id: str = ""
    role: str = "default_role"
    rdzv_endpoint: str = ""
    rdzv_backend: str = "etcd"
    rdzv_configs: dict[str, Any] = field(default_factory=dict)
    rdzv_timeout: int = -1
    max_restarts: int = 3
    monitor_interval: float = 0.1
    start_method: str = "spawn"
    log_line_prefix_template: str | None = None
    metrics_cfg: dict[str, str] = field(default_factory=dict)
    local_addr: str | None = None
    event_log_handler: str = "null"
    numa_options: None = None
    signals_to_handle: str = DEFAULT_SIGNALS
    duplicate_stdout_filters: list[str] | None = None
    duplicate_stderr_filters: list[str] | None = None
    virtual_local_rank: bool = False
    shutdown_timeout: int | None = None

    def __post_init__(self) -> None:
        if self.rdzv_timeout != -1:
            self.rdzv_configs["timeout"] = self.rdzv_timeout
        self.rdzv_configs.setdefault("timeout", 900)
        if self.logs_specs is None:
            self.logs_specs = DefaultLogsSpecs()
        if self.shutdown_timeout is None:
            self.shutdown_timeout = int(os.environ.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", "30"))
        if self.shutdown_timeout < 0:
            raise ValueError(f"shutdown_timeout must be non-negative, got {self.shutdown_timeout}")


class elastic_launch:
    """A launch of a function or a program. Calling it with the arguments of the function runs it.

    Args:
      config: the settings.
      entrypoint: a function that is defined at the top level of a module, or the path of a program.
      health_check_server: must be None.

    Example::

        results = elastic_launch(LaunchConfig(1, 1, 2, rdzv_backend="c10d", rdzv_endpoint="localhost:0"), fn)(x)
        results[0]  # the result of rank 0
    """

    def __init__(
        self, config: LaunchConfig, entrypoint: Callable[..., Any] | str | None, health_check_server: None = None
    ) -> None:
        self._config, self._entrypoint, self._server = config, entrypoint, health_check_server

    def __call__(self, *args: Any) -> dict[int, Any]:
        """Run the processes, and return the results by global rank.

        Raises:
          ChildFailedError: if a process failed and no restarts are left.
          SignalException: if this process received a signal.
        """
        return launch_agent(self._config, self._entrypoint, list(args), self._server)


def launch_agent(
    config: LaunchConfig,
    entrypoint: Callable[..., Any] | str | None,
    args: list[Any],
    health_check_server: None = None,
) -> dict[int, Any]:
    """Run the processes of a launch, as `elastic_launch` does."""
    _check(config, health_check_server)
    if entrypoint is None:
        raise AssertionError("a function or the path of a program is required")
    if not config.run_id:
        config.run_id = str(uuid.uuid4().int)
        logger.warning("config has no run_id, generated a random run_id: %s", config.run_id)
    os.environ["TORCHELASTIC_SIGNALS_TO_HANDLE"] = config.signals_to_handle
    result = Agent(config, entrypoint, tuple(args)).run()
    if result.failures:
        raise ChildFailedError(_name(entrypoint, args), result.failures)
    return result.return_values


def _check(config: LaunchConfig, health_check_server: None) -> None:
    """Raise an error for a setting that is not supported."""
    for name, refused in (
        ("metrics_cfg", bool(config.metrics_cfg)),
        ("event_log_handler", config.event_log_handler != "null"),
        ("numa_options", config.numa_options is not None),
        ("health_check_server", health_check_server is not None),
    ):
        if refused:
            raise NotImplementedError(f"elastic_launch: the argument {name!r} is not supported by torchlike yet")
    if config.min_nodes != config.max_nodes:
        raise NotImplementedError(
            f"nnodes={config.min_nodes}:{config.max_nodes} is not supported by torchlike; give one number of machines"
        )


def _name(entrypoint: Callable[..., Any] | str, args: list[Any]) -> str:
    """Return the name of the function or script, for error messages."""
    if not isinstance(entrypoint, str):
        return getattr(entrypoint, "__name__", repr(entrypoint))
    if entrypoint != sys.executable:
        return entrypoint
    return next((arg for arg in args if not arg.startswith("-") and arg != "torchlike"), "")
