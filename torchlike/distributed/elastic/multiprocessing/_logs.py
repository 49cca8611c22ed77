"""Where the output and the error files of processes go."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import IntFlag

_ONE, _MAPPING = r"^[0123]$", r"^(\d:[0123],)*(\d:[0123])$"


class Std(IntFlag):
    """The standard streams of a process: none, stdout, stderr or both."""

    NONE = 0
    OUT = 1
    ERR = 2
    ALL = OUT | ERR

    @classmethod
    def from_str(cls, vm: str) -> Std | dict[int, Std]:
        """Parse streams ("3"), or the streams of each local rank ("0:1,1:2").

        Raises:
          ValueError: if the string has neither form.
        """
        if re.match(_ONE, vm):
            return Std(int(vm))
        if re.match(_MAPPING, vm):
            pairs = (pair.split(":") for pair in vm.split(","))
            return {int(rank): Std(int(streams)) for rank, streams in pairs}
        raise ValueError(f"{vm} does not match: <{_ONE}> or <{_MAPPING}>")


def to_map(val_or_map: Std | dict[int, Std], local_world_size: int) -> dict[int, Std]:
    """Return the streams of each local rank. A rank that a mapping lacks gets `Std.NONE`."""
    if isinstance(val_or_map, Std):
        return dict.fromkeys(range(local_world_size), val_or_map)
    return {rank: val_or_map.get(rank, Std.NONE) for rank in range(local_world_size)}


@dataclass
class LogsDest:
    """The files of each local rank. An empty path stands for the console.

    Attributes:
      stdouts, stderrs: the files that the streams are written to.
      tee_stdouts, tee_stderrs: the files among them whose lines are copied to the console.
      error_files: the error files.
      filtered_stdout, filtered_stderr: the files of filtered lines.
    """

    stdouts: dict[int, str] = field(default_factory=dict)
    stderrs: dict[int, str] = field(default_factory=dict)
    tee_stdouts: dict[int, str] = field(default_factory=dict)
    tee_stderrs: dict[int, str] = field(default_factory=dict)
    error_files: dict[int, str] = field(default_factory=dict)
    filtered_stdout: str = ""
    filtered_stderr: str = ""


class LogsSpecs(ABC):
    """A rule that determines the files of processes.

    Args:
      log_dir: the folder of the log files.
      redirects: the streams that go to files only.
      tee: the streams that go to files and to the console.
      local_ranks_filter: the local ranks whose output the console shows. Default: all.
    """

    def __init__(
        self,
        log_dir: str | None = None,
        redirects: Std | dict[int, Std] = Std.NONE,
        tee: Std | dict[int, Std] = Std.NONE,
        local_ranks_filter: set[int] | None = None,
    ) -> None:
        self._root_log_dir, self._redirects, self._tee = log_dir, redirects, tee
        self._local_ranks_filter = local_ranks_filter

    @abstractmethod
    def reify(self, envs: dict[int, dict[str, str]]) -> LogsDest:
        """Return the files for processes with these environments, and add TORCHELASTIC_ERROR_FILE to each of them."""

    @property
    @abstractmethod
    def root_log_dir(self) -> str:
        """The folder of the log files."""


class DefaultLogsSpecs(LogsSpecs):
    """The default rule: `<log_dir>/<run id>_<unique>/attempt_<restarts>/<local rank>/stdout.log`.

    The files `stderr.log` and `error.json` have the same folder. Without `log_dir`, a temporary folder is created. If
    `log_dir` is the null device, nothing is written.
    """

    def __init__(
        self,
        log_dir: str | None = None,
        redirects: Std | dict[int, Std] = Std.NONE,
        tee: Std | dict[int, Std] = Std.NONE,
        local_ranks_filter: set[int] | None = None,
    ) -> None:
        if log_dir and log_dir != os.devnull and os.path.isfile(log_dir):
            raise NotADirectoryError(f"log_dir: {log_dir} is a file")
        log_dir = log_dir or tempfile.mkdtemp(prefix="torchelastic_")
        if log_dir != os.devnull:
            os.makedirs(log_dir, exist_ok=True)
        super().__init__(log_dir, redirects, tee, local_ranks_filter)
        self._run_log_dir: str | None = None

    @property
    def root_log_dir(self) -> str:
        return str(self._root_log_dir)

    def reify(self, envs: dict[int, dict[str, str]]) -> LogsDest:
        if self._root_log_dir == os.devnull:
            return self._nowhere(envs)
        attempt = self._attempt(envs.get(0, {}))
        redirects, tee = to_map(self._redirects, len(envs)), to_map(self._tee, len(envs))
        found = LogsDest(
            filtered_stdout=os.path.join(attempt, "filtered_stdout.log"),
            filtered_stderr=os.path.join(attempt, "filtered_stderr.log"),
        )
        for rank in range(len(envs)):
            folder = os.path.join(attempt, str(rank))
            os.mkdir(folder)
            shown = not self._local_ranks_filter or rank in self._local_ranks_filter
            for stream, name, files, copied in (
                (Std.OUT, "stdout.log", found.stdouts, found.tee_stdouts),
                (Std.ERR, "stderr.log", found.stderrs, found.tee_stderrs),
            ):
                kept = stream in redirects[rank] | tee[rank]
                files[rank] = os.path.join(folder, name) if kept else "" if shown else os.devnull
                if shown and stream in tee[rank]:
                    copied[rank] = files[rank]
            found.error_files[rank] = envs[rank]["TORCHELASTIC_ERROR_FILE"] = os.path.join(folder, "error.json")
        return found

    def _attempt(self, env: dict[str, str]) -> str:
        """Create and return the folder of this attempt."""
        if self._run_log_dir is None:
            prefix = env.get("TORCHELASTIC_RUN_ID", "test_run_id") + "_"
            self._run_log_dir = tempfile.mkdtemp(prefix=prefix, dir=self._root_log_dir)
        attempt = os.path.join(self._run_log_dir, f"attempt_{env.get('TORCHELASTIC_RESTART_COUNT', '0')}")
        shutil.rmtree(attempt, ignore_errors=True)
        os.makedirs(attempt)
        return attempt

    def _nowhere(self, envs: dict[int, dict[str, str]]) -> LogsDest:
        """Return the destinations without files. The streams stay on the console."""
        for env in envs.values():
            env["TORCHELASTIC_ERROR_FILE"] = ""
        console, null = dict.fromkeys(envs, ""), dict.fromkeys(envs, os.devnull)
        return LogsDest(console, dict(console), null, dict(null), dict(null), os.devnull, os.devnull)

    def __repr__(self) -> str:
        return (
            f"DefaultLogsSpecs(root_log_dir={self._root_log_dir}, redirects={self._redirects}, "
            f"tee={self._tee}, local_ranks_filter={self._local_ranks_filter})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DefaultLogsSpecs):
            return False
        names = ("_root_log_dir", "_redirects", "_tee", "_local_ranks_filter")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]
