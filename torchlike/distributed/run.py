"""``python -m torchlike.distributed.run``: start a script in several connected processes, as torchrun does.

Each process gets RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT in its environment. By
default it runs `python -m torchlike script.py args`. When one process fails, the launcher terminates the others and
returns the exit status of the failed process.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
import uuid


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m torchlike.distributed.run", description=(__doc__ or "").split("\n")[0]
    )
    add = made.add_argument
    add("--nnodes", default="1", help="the number of machines")
    add("--nproc-per-node", "--nproc_per_node", default="1", help="processes per machine: a number, auto, cpu or gpu")
    add("--node-rank", "--node_rank", type=int, default=0, help="the rank of this machine, from 0")
    add("--master-addr", "--master_addr", default="127.0.0.1", help="the address of machine 0")
    add("--master-port", "--master_port", type=int, default=29500, help="a free port of machine 0")
    add("--rdzv-endpoint", "--rdzv_endpoint", default="", help="address:port of machine 0, in place of the above")
    add("--rdzv-backend", "--rdzv_backend", choices=("static", "c10d"), default="static", help="both work")
    add("--rdzv-id", "--rdzv_id", default="", help="the name of the run")
    add("--standalone", action="store_true", help="use one machine and any free port")
    add("--max-restarts", "--max_restarts", type=int, default=0, choices=(0,), help="must be 0: no restarts")
    add("-m", "--module", action="store_true", help="the script is the name of a module")
    add("--no-python", "--no_python", action="store_true", help="run the script directly, without Python")
    add("script", help="the script, module or program to run")
    add("args", nargs=argparse.REMAINDER, help="its arguments")
    return made


def main(argv: list[str] | None = None, says_rank: bool = False) -> int:
    """Start the processes, wait for them and return the exit status.

    With `says_rank`, the script also gets the argument `--local-rank=`.
    """
    asked = parser().parse_args(argv)
    nodes, here = int(asked.nnodes.rpartition(":")[2]), _processes(asked.nproc_per_node)
    if asked.rdzv_endpoint:
        host, _, port = asked.rdzv_endpoint.partition(":")
        asked.master_addr, asked.master_port = host, int(port or asked.master_port)
    if asked.standalone or (nodes == 1 and asked.master_port == 0):
        asked.master_addr, asked.master_port = "127.0.0.1", _free_port()
    common = {
        "MASTER_ADDR": asked.master_addr,
        "MASTER_PORT": str(asked.master_port),
        "WORLD_SIZE": str(nodes * here),
        "LOCAL_WORLD_SIZE": str(here),
        "GROUP_RANK": str(asked.node_rank),
        "GROUP_WORLD_SIZE": str(nodes),
        "TORCHELASTIC_RUN_ID": asked.rdzv_id or uuid.uuid4().hex,
        "TORCHELASTIC_RESTART_COUNT": "0",
        "TORCHELASTIC_MAX_RESTARTS": "0",
    }
    if here > 1:  # the processes share the GPUs, so none of them may preallocate their memory
        common["XLA_PYTHON_CLIENT_PREALLOCATE"] = os.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if here > 1 and "OMP_NUM_THREADS" not in os.environ:
        print(
            "Setting OMP_NUM_THREADS to 1 for each process, so that the processes do not overload the machine; set "
            "it yourself to choose another number.",
            file=sys.stderr,
        )
        common["OMP_NUM_THREADS"] = "1"
    processes = []
    for local in range(here):
        rank = str(asked.node_rank * here + local)
        env = {**os.environ, **common, "RANK": rank, "ROLE_RANK": rank, "LOCAL_RANK": str(local)}
        processes.append(subprocess.Popen([*_command(asked, local, says_rank), *asked.args], env=env))
    return _wait(processes)


def _processes(said: str) -> int:
    if said.isdigit():
        return int(said)
    from torchlike import cuda

    if said in ("gpu", "auto") and cuda.is_available():
        return cuda.device_count()
    if said in ("cpu", "auto"):
        return os.cpu_count() or 1
    raise SystemExit(f"--nproc-per-node must be a number, auto, cpu or (if there is a GPU) gpu, but got {said!r}")


def _command(asked: argparse.Namespace, local: int, says_rank: bool) -> list[str]:
    rank = [f"--local-rank={local}"] if says_rank else []
    if asked.no_python:
        return [asked.script, *rank]
    return [sys.executable, "-m", "torchlike", *(["-m"] if asked.module else []), asked.script, *rank]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def _wait(processes: list[subprocess.Popen]) -> int:
    """Wait for all processes and return the exit status. If one process fails, terminate the others."""
    try:
        while True:
            codes = [process.poll() for process in processes]
            failed = next((i for i, code in enumerate(codes) if code), None)
            if failed is not None:
                print(f"the process of local rank {failed} ended with exit status {codes[failed]}", file=sys.stderr)
                return abs(codes[failed] or 1)
            if all(code == 0 for code in codes):
                return 0
            time.sleep(0.05)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        _end(processes)


def _end(processes: list[subprocess.Popen]) -> None:
    for process in processes:
        if process.poll() is None:
            process.terminate()
    for process in processes:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


if __name__ == "__main__":
    sys.exit(main())
