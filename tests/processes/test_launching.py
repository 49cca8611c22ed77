"""The start of processes, and the termination of the others when one fails."""

import os
import subprocess
import sys

import pytest

from tests.house.source import ROOT
from tests.processes.launched import free_port

HELLO = """
import os, sys
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(2) * (dist.get_rank() + 1)
dist.all_reduce(x)
with open(sys.argv[1] + os.environ["RANK"], "w") as file:
    print(x.tolist(), dist.get_world_size(), os.environ["LOCAL_RANK"], dist.is_torchelastic_launched(), sys.argv[2:],
          type(x), file=file)
dist.destroy_process_group()
"""
FAILS = """
import os, sys, time
import torch.distributed as dist
if os.environ["RANK"] == "1":
    sys.exit(3)
time.sleep(60)
"""
RESTARTS = """
import os
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(1)
dist.all_reduce(x)
if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" and dist.get_rank() == 1:
    raise ValueError("the first attempt")
dist.all_reduce(x)
if dist.get_rank() == 0:
    print("sum", x.item())
dist.destroy_process_group()
"""
LEAVES = """
import os
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(1)
dist.all_reduce(x)
if dist.get_rank() == 1:
    os._exit(0)
try:
    dist.all_reduce(x)
except dist.DistBackendError as error:
    print("refused:", error)
"""
LATE = """
import datetime
import torch, torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=20))
if dist.get_rank() == 0:
    for act in (lambda: dist.monitored_barrier(timeout=datetime.timedelta(milliseconds=50)),
                lambda: dist.barrier(timeout=datetime.timedelta(milliseconds=50))):
        try:
            act()
        except RuntimeError as error:
            print("late:", error)
dist.group.WORLD.get_group_store().wait(["done"]) if dist.get_rank() else dist.group.WORLD.get_group_store().set(
    "done", "1")
"""
SPAWNS = """
import sys
import torch, torch.distributed as dist

def work(rank, size, where):
    assert "torchlike" in torch.__file__, torch.__file__
    dist.init_process_group("gloo", init_method="file://" + where, rank=rank, world_size=size)
    x = torch.full((2,), float(rank))
    dist.broadcast(x, 1)
    assert x.tolist() == [1, 1], x
    dist.destroy_process_group()

if __name__ == "__main__":
    torch.multiprocessing.spawn(work, (2, sys.argv[1]), nprocs=2)
    print("spawned", "torchlike" in sys.modules)
"""


def run(tmp_path, program, *command, script_args=()):
    script = tmp_path / "script.py"
    script.write_text(program)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-m", *command, str(script), *script_args],
        env=env,
        capture_output=True,
        text=True,
        timeout=400,
    )


@pytest.mark.one_in(2)
@pytest.mark.parametrize("module", ["run", "launch"])
def test_a_launcher(tmp_path, module):
    ended = run(
        tmp_path,
        HELLO,
        f"torchlike.distributed.{module}",
        "--standalone",
        "--nproc-per-node=2",
        *(["--use-env"] if module == "launch" else []),
        script_args=[str(tmp_path / "out"), "--flag", "7"],
    )
    assert ended.returncode == 0, ended.stderr
    for rank in range(2):
        said = (tmp_path / f"out{rank}").read_text()
        assert said == f"[3.0, 3.0] 2 {rank} True ['--flag', '7'] <class 'torch.Tensor'>\n"


def test_a_launcher_of_a_program_that_imports_torch(tmp_path):
    ended = run(
        tmp_path,
        HELLO,
        "torchlike",
        "-m",
        "torch.distributed.run",
        "--nproc-per-node=2",
        script_args=[str(tmp_path / "out")],
    )
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "out1").read_text() == "[3.0, 3.0] 2 1 True [] <class 'torch.Tensor'>\n"


def test_two_machines(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(HELLO)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    port = free_port()
    nodes = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "torchlike.distributed.run",
                "--nnodes=2",
                f"--node-rank={node}",
                f"--rdzv-endpoint=127.0.0.1:{port}",
                str(script),
                str(tmp_path / "out"),
            ],
            env=env,
        )
        for node in range(2)
    ]
    assert [node.wait(120) for node in nodes] == [0, 0]
    assert (tmp_path / "out1").read_text().startswith("[3.0, 3.0] 2 0 True []")


def test_one_that_fails_ends_the_others(tmp_path):
    ended = run(tmp_path, FAILS, "torchlike.distributed.run", "--standalone", "--nproc-per-node=2")
    assert ended.returncode == 1
    assert "script.py FAILED" in ended.stderr
    assert "  rank      : 1 (local_rank: 1)\n  exitcode  : 3 (pid: " in ended.stderr


def test_processes_connect_again_after_a_restart(tmp_path):
    options = ["--nproc-per-node=2", "--max-restarts=1", "--run-path", f"--log-dir={tmp_path / 'logs'}"]
    ended = run(tmp_path, RESTARTS, "torchlike.distributed.run", *options)
    assert (ended.returncode, ended.stdout) == (0, "sum 4.0\n"), ended.stderr
    (recorded,) = tmp_path.glob("logs/*/attempt_0/1/error.json")
    assert "ValueError: the first attempt" in recorded.read_text()


def test_the_launcher_refuses_an_invalid_nproc_per_node(tmp_path):
    ended = run(tmp_path, FAILS, "torchlike.distributed.run", "--nproc-per-node=some")
    assert ended.returncode == 1
    assert ended.stderr.endswith("ValueError: Unsupported nproc_per_node value: some\n")


def test_a_process_that_leaves(tmp_path):
    ended = run(tmp_path, LEAVES, "torchlike.distributed.run", "--standalone", "--nproc-per-node=2")
    assert ended.stdout.startswith(
        "refused: Connection closed by peer: the process of rank 1 has ended, or left the group, so "
        "all_reduce(float32[1], SUM) at script.py:10 cannot run"
    )


def test_a_process_that_is_late(tmp_path):
    ended = run(tmp_path, LATE, "torchlike.distributed.run", "--standalone", "--nproc-per-node=2")
    first, second = ended.stdout.splitlines()
    assert first == "late: Ranks 1 failed to pass monitoredBarrier in time"
    assert second.startswith(
        "late: Timed out waiting 50ms for the processes of ranks [1]; check that all processes make"
    )


def test_spawned_processes(tmp_path):
    ended = run(tmp_path, SPAWNS, "torchlike", script_args=[str(tmp_path / "meet")])
    assert ended.stdout == "spawned True\n", ended.stderr
