"""The options of `torchrun`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike.distributed.elastic.multiprocessing._signals import DEFAULT_SIGNALS


def _listed(text: str) -> list[str]:
    """Split at commas. Two commas stand for one that does not split."""
    return [part.replace("\0", ",") for part in text.replace(",,", "\0").split(",")]


# An option: its name, preceded by a short name if it has one; the default; the type; the help text.
OPTIONS: tuple[tuple[str, Any, Callable[[str], Any], str], ...] = (
    ("--nnodes", "1:1", str, "the number of machines; a range MIN:MAX must have one number"),
    ("--nproc-per-node", "1", str, "the number of processes on this machine: a number, auto, cpu or gpu"),
    ("--rdzv-backend", "static", str, "static, or c10d, by which the launchers of several machines meet"),
    ("--rdzv-endpoint", "", str, "the address of machine 0, as host:port"),
    ("--rdzv-id", "none", str, "the name of the run"),
    ("--rdzv-conf", "", str, "key=value,...; the keys are timeout, join_timeout and is_host"),
    ("--max-restarts", 0, int, "how often all processes are started again after one has failed"),
    ("--monitor-interval", 0.1, float, "the time in seconds between two looks at the processes"),
    ("--start-method", "spawn", str, "must be spawn"),
    ("--event-log-handler", "null", str, "must be null"),
    ("--role", "default", str, "the name of the processes"),
    ("--log-dir", None, str, "the folder of the log files"),
    ("-r --redirects", "0", str, "write streams to files: 1 stdout, 2 stderr, 3 both, or by local rank 0:1,1:2"),
    ("-t --tee", "0", str, "write streams to files and to the console, in the same form"),
    ("--local-ranks-filter", "", str, "the local ranks whose output is shown, for example 0,1"),
    ("--duplicate-stdout-filters", [], _listed, "copy lines of --tee with these strings to filtered_stdout.log"),
    ("--duplicate-stderr-filters", [], _listed, "copy lines of --tee with these strings to filtered_stderr.log"),
    ("--node-rank", 0, int, "the rank of this machine, for static"),
    ("--master-addr", "127.0.0.1", str, "the address of machine 0, for static"),
    ("--master-port", None, int, "a free port of machine 0, for static (default: 29500)"),
    ("--local-addr", None, str, "the address of this machine (default: its name)"),
    ("--logs-specs", None, str, "not supported"),
    ("--numa-binding", None, str, "not supported"),
    ("--signals-to-handle", DEFAULT_SIGNALS, str, "the signals that are passed on to the processes"),
    ("--shutdown-timeout", None, int, "the time in seconds before processes that do not end are killed (default: 30)"),
)

# A flag: its name, preceded by a short name if it has one; the help text.
FLAGS: tuple[tuple[str, str], ...] = (
    ("--standalone", "use one machine and any free port"),
    ("-m --module", "the script is the name of a module"),
    ("--no-python", "run the script directly, without Python"),
    ("--run-path", "run the script by runpy.run_path, and record its errors"),
    ("--virtual-local-rank", "give each process LOCAL_RANK=0 and one GPU in CUDA_VISIBLE_DEVICES"),
)
