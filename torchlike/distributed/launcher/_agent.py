"""The agent: it starts the processes of this machine, watches them, and starts them again after a failure."""

from __future__ import annotations

import signal
from collections.abc import Callable
from string import Template
from typing import TYPE_CHECKING, Any

from torchlike.distributed.elastic.multiprocessing import PContext, RunProcsResult, SignalException, start_processes
from torchlike.distributed.elastic.multiprocessing._signals import Watch
from torchlike.distributed.elastic.utils.logging import get_logger

from ._environment import environment
from ._rendezvous import Attempt, Rendezvous, make_rendezvous

if TYPE_CHECKING:
    from .api import LaunchConfig

logger = get_logger(__name__)


class Agent:
    """Runs the processes of this machine until they succeed, or fail and no restarts are left.

    Args:
      config: the settings.
      entrypoint, args: the function or program, and its arguments.
    """

    def __init__(self, config: LaunchConfig, entrypoint: Callable[..., Any] | str, args: tuple) -> None:
        self._config, self._entrypoint, self._args = config, entrypoint, args
        self._context: PContext | None = None

    def run(self) -> RunProcsResult:
        """Return the result of the last attempt, by global rank."""
        with Watch(self._config.signals_to_handle) as watch:
            rendezvous = make_rendezvous(self._config, watch)
            try:
                return self._attempts(rendezvous, watch)
            except SignalException as error:
                logger.warning("Received %s death signal, shutting down workers", error.sigval)
                self._stop(error.sigval)
                raise
            finally:
                self._stop()
                rendezvous.close()

    def _attempts(self, rendezvous: Rendezvous, watch: Watch) -> RunProcsResult:
        most = self._config.max_restarts
        while True:
            joined = rendezvous.join()
            result, failed = self._attempt(joined, rendezvous, watch)
            if not failed or joined.number >= most:
                return _by_global_rank(result, joined.first_rank)
            logger.warning("a process failed; starting all processes again (restart %s of %s)", joined.number + 1, most)

    def _attempt(self, joined: Attempt, rendezvous: Rendezvous, watch: Watch) -> tuple[RunProcsResult, bool]:
        """Run the processes once. Return the result, and whether a process of any machine failed."""
        context = self._context = self._start(joined)
        try:
            while (result := context.wait(0)) is None:
                watch.sleep(self._config.monitor_interval)
                if rendezvous.others_failed(joined):
                    context.close(timeout=context.shutdown_timeout)
            if not result.failures:
                return result, not rendezvous.all_succeeded(joined)
        except SignalException:
            rendezvous.failed(joined)
            raise
        rendezvous.failed(joined)
        return result, True

    def _start(self, joined: Attempt) -> PContext:
        config = self._config
        count = config.nproc_per_node
        envs = {rank: environment(config, joined, rank) for rank in range(count)}
        assert config.logs_specs is not None
        context = start_processes(
            config.role,
            self._entrypoint,
            {rank: _substituted(self._args, rank) for rank in range(count)},
            envs,
            config.logs_specs,
            log_line_prefixes=self._prefixes(envs),
            start_method=config.start_method,
            duplicate_stdout_filters=config.duplicate_stdout_filters,
            duplicate_stderr_filters=config.duplicate_stderr_filters,
        )
        context.shutdown_timeout = config.shutdown_timeout or 0
        return context

    def _prefixes(self, envs: dict[int, dict[str, str]]) -> dict[int, str] | None:
        if not self._config.log_line_prefix_template:
            return None
        template = Template(self._config.log_line_prefix_template)
        return {
            rank: template.safe_substitute(role_name=self._config.role, rank=env["RANK"], local_rank=rank)
            for rank, env in envs.items()
        }

    def _stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self._context is not None:
            self._context.close(number, self._context.shutdown_timeout)


def _substituted(args: tuple, local_rank: int) -> tuple:
    """Replace `${local_rank}` in the arguments that are strings."""
    return tuple(Template(arg).safe_substitute(local_rank=local_rank) if isinstance(arg, str) else arg for arg in args)


def _by_global_rank(result: RunProcsResult, first: int) -> RunProcsResult:
    values = {first + rank: value for rank, value in result.return_values.items()}
    failures = {first + rank: failure for rank, failure in result.failures.items()}
    return RunProcsResult(values, failures, result.stdouts, result.stderrs)
