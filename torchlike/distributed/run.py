"""`torchrun`: start a script in several connected processes.

The commands `torchrun`, `torchlike-run`, `python -m torchlike.distributed.run` and `python -m torchlike -m
torch.distributed.run` are the same. The options and the environment variables of the processes are PyTorch's. Each
process runs `python -u -m torchlike script.py args`, so the script may import torch. If a process fails, the others are
terminated; with `--max-restarts`, all are started again. The launcher passes signals on to the processes. On Linux,
they also end if the launcher is killed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any

from torchlike.distributed.argparse_util import check_env, env
from torchlike.distributed.elastic.multiprocessing import DefaultLogsSpecs, Std
from torchlike.distributed.elastic.multiprocessing.errors import record
from torchlike.distributed.elastic.rendezvous.utils import _parse_rendezvous_config
from torchlike.distributed.elastic.utils.logging import get_logger
from torchlike.distributed.launcher._options import FLAGS, OPTIONS
from torchlike.distributed.launcher.api import LaunchConfig, elastic_launch

logger = get_logger("torchlike.distributed.run")
_STARS = "*" * 41
_COUNT = "from torchlike import accelerator as a; print(a.current_accelerator() or 'cpu', a.device_count())"


def get_args_parser() -> ArgumentParser:
    """Return the parser of the command line."""
    made = ArgumentParser(description="Start a script in several connected processes")
    for name, default, kind, help in OPTIONS:
        made.add_argument(*_spelled(name), action=env, default=default, type=kind, help=help)
    for name, help in FLAGS:
        made.add_argument(*_spelled(name), action=check_env, help=help)
    made.add_argument("training_script", help="the script, module or program to run")
    made.add_argument("training_script_args", nargs=REMAINDER, help="its arguments")
    return made


def _spelled(names: str) -> list[str]:
    """Return the spellings of an option, with hyphens and with underscores."""
    short, _, long = names.rpartition(" ")
    other = "--" + long[2:].replace("-", "_")
    return [*([short] if short else []), long, *([other] if other != long else [])]


def parse_args(args: Sequence[str] | None) -> Namespace:
    """Parse the command line `args`, or `sys.argv`."""
    return get_args_parser().parse_args(args)


def parse_min_max_nnodes(nnodes: str) -> tuple[int, int]:
    """Return the least and the largest number of machines of "2" or "1:2"."""
    numbers = [int(part) for part in nnodes.split(":")]
    if len(numbers) > 2:
        raise RuntimeError(f'nnodes={nnodes} is not in "MIN:MAX" format')
    return numbers[0], numbers[-1]


def determine_local_world_size(nproc_per_node: str) -> int:
    """Return the number of processes of "auto", "cpu", "gpu" or a number.

    GPUs are counted in another process, because this process must not use their memory.

    Raises:
      ValueError: if there is no GPU, if the string is something else, or for "auto" on a TPU host.
    """
    try:
        return int(nproc_per_node)
    except ValueError as error:
        if nproc_per_node not in ("auto", "cpu", "gpu", "xpu"):
            raise ValueError(f"Unsupported nproc_per_node value: {nproc_per_node}") from error
    if nproc_per_node == "xpu":
        raise ValueError("Xpu is not available.")
    kind, count = ("cpu", 0) if nproc_per_node == "cpu" else _accelerators()
    if nproc_per_node == "gpu" and kind != "cuda":
        raise ValueError("Cuda is not available.")
    if kind == "tpu":
        raise ValueError(
            "nproc_per_node=auto is not supported on a TPU host; 1 gives one process all chips of the host"
        )
    return count or os.cpu_count() or 1


def _accelerators() -> tuple[str, int]:
    """Return the type and the number of accelerators of this machine."""
    answer = subprocess.run([sys.executable, "-c", _COUNT], capture_output=True, text=True, check=True)
    kind, count = answer.stdout.split()[-2:]
    return kind, int(count)


def config_from_args(args: Namespace) -> tuple[LaunchConfig, Callable[..., Any] | str, list[str]]:
    """Return the settings, the program and its arguments that a parsed command line asks for."""
    least, most = parse_min_max_nnodes(args.nnodes)
    if not 0 < least <= most:
        raise AssertionError(f"min_nodes must be > 0 and <= max_nodes, got min_nodes={least}, max_nodes={most}")
    if args.max_restarts < 0:
        raise AssertionError("max_restarts must be >= 0")
    _refuse(args)
    count = determine_local_world_size(args.nproc_per_node)
    _limit_threads(count)
    conf: dict[str, Any] = dict(_parse_rendezvous_config(args.rdzv_conf))
    endpoint = args.rdzv_endpoint
    if args.rdzv_backend == "static":
        conf["rank"] = args.node_rank
        endpoint = endpoint or f"{args.master_addr}:{args.master_port}"
    elif args.node_rank != 0:
        logger.warning("node_rank is only used for static rdzv_backend, not for %s.", args.rdzv_backend)
    config = LaunchConfig(
        min_nodes=least,
        max_nodes=most,
        nproc_per_node=count,
        logs_specs=DefaultLogsSpecs(
            args.log_dir, Std.from_str(args.redirects), Std.from_str(args.tee), _ranks(args.local_ranks_filter)
        ),
        run_id=args.rdzv_id,
        role=args.role,
        rdzv_endpoint=endpoint,
        rdzv_backend=args.rdzv_backend,
        rdzv_configs=conf,
        max_restarts=args.max_restarts,
        monitor_interval=args.monitor_interval,
        start_method=args.start_method,
        log_line_prefix_template=os.environ.get("TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE"),
        local_addr=args.local_addr,
        event_log_handler=args.event_log_handler,
        signals_to_handle=args.signals_to_handle,
        duplicate_stdout_filters=args.duplicate_stdout_filters,
        duplicate_stderr_filters=args.duplicate_stderr_filters,
        virtual_local_rank=args.virtual_local_rank,
        shutdown_timeout=args.shutdown_timeout,
    )
    return config, *_command(args)


def _refuse(args: Namespace) -> None:
    """Raise an error for an option that is not supported."""
    for name in ("logs_specs", "numa_binding"):
        if getattr(args, name) is not None:
            raise NotImplementedError(f"--{name.replace('_', '-')} is not supported by torchlike")
    if args.event_log_handler != "null":
        raise NotImplementedError(f"--event-log-handler={args.event_log_handler} is not supported by torchlike")
    if args.start_method != "spawn":
        raise NotImplementedError(
            f"--start-method={args.start_method} is not supported by torchlike: scripts are started as new programs"
        )


def _limit_threads(count: int) -> None:
    if count > 1 and "OMP_NUM_THREADS" not in os.environ:
        logger.warning(
            "\n%s\nSetting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your "
            "system being overloaded, please further tune the variable for optimal performance in your application as "
            "needed. \n%s",
            _STARS,
            _STARS,
        )
        os.environ["OMP_NUM_THREADS"] = "1"


def _ranks(listed: str) -> set[int] | None:
    try:
        return {int(rank) for rank in listed.split(",")} if listed else None
    except ValueError as error:
        raise ValueError(
            "--local_ranks_filter must be a comma-separated list of integers e.g. --local_ranks_filter=0,1,2"
        ) from error


def _command(args: Namespace) -> tuple[str, list[str]]:
    """Return the program that each process runs, and its arguments."""
    rest = [] if getattr(args, "use_env", True) else ["--local-rank=${local_rank}"]
    rest += args.training_script_args
    if args.no_python and not args.run_path:
        if args.module:
            raise ValueError("Don't use both the '--no-python' flag and the '--module' flag at the same time.")
        return args.training_script, rest
    words = ["-u", "-m", "torchlike"]
    if args.run_path:
        words += ["-m", "torchlike.distributed.launcher.run_path"]
    elif args.module:
        words.append("-m")
    return os.environ.get("PYTHON_EXEC", sys.executable), [*words, args.training_script, *rest]


def run(args: Namespace) -> None:
    """Start the processes that a parsed command line asks for, and wait for them.

    Raises:
      ChildFailedError: if a process failed and no restarts are left.
    """
    anywhere = args.rdzv_backend == "static" and not args.rdzv_endpoint and args.master_port is None
    if args.standalone or (anywhere and parse_min_max_nnodes(args.nnodes)[1] == 1):
        args.rdzv_backend, args.rdzv_endpoint, args.rdzv_id = "c10d", "localhost:0", str(uuid.uuid4())
    if args.master_port is None:
        args.master_port = 29500
    config, program, arguments = config_from_args(args)
    elastic_launch(config, program)(*arguments)


@record
def main(args: Sequence[str] | None = None) -> None:
    """Run the command line `args`, or `sys.argv`."""
    run(parse_args(args))


if __name__ == "__main__":
    main()
