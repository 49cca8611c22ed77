"""The launcher beside PyTorch's torchrun: its options, the environment of the processes, their logs and errors."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch.distributed.elastic.multiprocessing.errors as their_errors

import torchlike.distributed.elastic.multiprocessing.errors as our_errors
from tests.house.source import ROOT
from tests.processes.launched import free_port
from tests.processes.launchers import RUNS, Launcher
from torchlike.distributed.elastic.multiprocessing import Std
from torchlike.distributed.launcher.api import LaunchConfig, elastic_launch

ENVIRONMENT = """
import os, sys
names = ("RANK", "MASTER", "WORLD", "TORCHELASTIC", "TORCH_NCCL", "OMP", "ROLE", "VISIBLE")
found = [f"{name}={value}" for name, value in sorted(os.environ.items()) if any(word in name for word in names)]
sys.stdout.write(" ".join([*found, str(sys.argv[1:])]) + "\\n")
"""
FAILS = """
import json, os, sys, time
restarts, rank = os.environ["TORCHELASTIC_RESTART_COUNT"], os.environ["RANK"]
sys.stdout.write(f"{rank} starts {restarts} MASTER_PORT={os.environ['MASTER_PORT']}\\n")
started = f"{sys.argv[0]}.{os.environ['MASTER_PORT']}.{restarts}.{os.environ['TORCHELASTIC_USE_AGENT_STORE']}"
if rank == "0":
    open(started, "w").close()
while not os.path.exists(started):
    time.sleep(0.01)
if rank == "1" and int(restarts) < int(sys.argv[1]):
    if sys.argv[2:]:
        error = {"message": "ValueError: bad", "extraInfo": {"py_callstack": "line 1\\nline 2", "timestamp": "1000"}}
        with open(os.environ["TORCHELASTIC_ERROR_FILE"], "w") as file:
            json.dump({"message": error}, file)
    sys.exit(3)
if int(restarts) < int(sys.argv[1]):
    time.sleep(60)
"""
SPEAKS = """
import os, sys
sys.stdout.write(f"out {os.environ['RANK']}\\n")
sys.stderr.write("apple\\n" if os.environ["RANK"] == "1" else "pear\\n")
"""
WAITS = """
import os, signal, sys, time
def said(number, frame):
    sys.stdout.write(f"got {signal.Signals(number).name}\\n")
    sys.exit(0)
for name in ("SIGTERM", "SIGINT", "SIGUSR1"):
    signal.signal(getattr(signal, name), said)
open(sys.argv[1] + os.environ["RANK"], "w").close()
time.sleep(60)
"""
STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1] + os.environ["RANK"], "w").close()
while not os.path.exists(sys.argv[1] + "0"):
    time.sleep(0.01)
if os.environ["RANK"] == "1":
    sys.exit(5)
time.sleep(60)
"""


@pytest.fixture
def launcher(monkeypatch, capfd, tmp_path):
    return Launcher(monkeypatch, capfd, tmp_path)


# -- options -----------------------------------------------------------------------------------------------------------

LINES = [
    "script.py --flag 7",
    "--nnodes=2 --nproc_per_node 4 --node-rank 1 --master_addr host --master-port=29501 -m pkg.mod",
    "--standalone --max-restarts=3 --monitor-interval 2 --role trainer --log-dir logs -r 3 -t 0:1,1:2 script.py",
    "--rdzv-backend c10d --rdzv_endpoint host:1 --rdzv-id job --rdzv-conf timeout=3,is_host=1 --no-python ls -l",
    "--local-ranks-filter 0,1 --duplicate-stdout-filters a,,b,c --signals-to-handle SIGUSR1 --run-path /script.py",
    "--shutdown-timeout 3 --virtual-local-rank --local_addr here --start-method spawn --event-log-handler x s.py",
]


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_means_the_same(line):
    theirs, ours = (vars(runs.parse_args(line.split())) for runs in RUNS.values())
    assert ours == theirs


def test_environment_variables_are_defaults(monkeypatch):
    for name, value in {"PET_NNODES": "3", "PET_STANDALONE": "1", "PET_MAX_RESTARTS": "4"}.items():
        monkeypatch.setenv(name, value)
    theirs, ours = (vars(runs.parse_args(["script.py"])) for runs in RUNS.values())
    assert ours == theirs and ours["nnodes"] == "3"


@pytest.mark.parametrize(
    "options",
    [
        ["--nproc-per-node=gpu"],
        ["--nproc-per-node=some"],
        ["--nnodes=1:2:3"],
        ["--nnodes=2:1"],
        ["--max-restarts=-1"],
        ["--module"],
        ["--local-ranks-filter=a"],
        ["--redirects=4"],
        ["--rdzv-conf=timeout"],
        ["--rdzv-endpoint=host:99999999"],
        ["--shutdown-timeout=-1"],
    ],
)
def test_wrong_options_have_the_same_errors(launcher, options):
    assert launcher.both("", *options).error


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--nnodes=1:2"], "nnodes=1:2"),
        (["--rdzv-backend=etcd", "--rdzv-endpoint=host:1"], "rdzv_backend='etcd'"),
        (["--rdzv-backend=c10d", "--rdzv-conf=last_call_timeout=3"], "'last_call_timeout'"),
        (["--start-method=fork"], "--start-method=fork"),
        (["--numa-binding=node"], "--numa-binding"),
        (["--logs-specs=mine"], "--logs-specs"),
        (["--event-log-handler=console"], "--event-log-handler=console"),
        (["--nnodes=2", "--max-restarts=1"], "requires rdzv_backend='c10d'"),
    ],
)
def test_an_option_that_is_not_supported_is_named(launcher, options, named):
    error = launcher.launch("torchlike", "", *options).error
    assert error.startswith("NotImplementedError") and named in error


# -- the environment ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        ["--nproc-per-node=2", "--role=worker", "--max-restarts=2"],
        ["--standalone", "--nnodes=1:1", "--nproc-per-node=2", "--signals-to-handle=SIGTERM"],
        ["--master-port=PORT", "--rdzv-id=job"],
        ["--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0", "--nproc-per-node=2", "--virtual-local-rank"],
    ],
)
def test_processes_have_the_same_environment(launcher, monkeypatch, options):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    options = [option.replace("PORT", str(free_port())) for option in options]
    ended = launcher.both(ENVIRONMENT, *options, args=["--flag", "${local_rank}"])
    assert len(ended.out) == (2 if "--nproc-per-node=2" in options else 1)
    assert ("Setting OMP_NUM_THREADS" in "".join(ended.err)) == (len(ended.out) == 2)


# -- failures and restarts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("told", [[], ["told"]])
def test_a_failure_is_described(launcher, told):
    ended = launcher.both(FAILS, "--nproc-per-node=2", args=["9", *told])
    assert "exitcode  : 3 (pid: PID)" in ended.error and ("line 2" in ended.error) == bool(told)


def test_processes_are_started_again(launcher):
    ended = launcher.both(FAILS, "--nproc-per-node=2", "--max-restarts=2", args=["1"])
    starts = [f"{rank} starts {restart} MASTER_PORT=PORT" for rank in range(2) for restart in range(2)]
    assert (ended.out, ended.error) == (starts, "")


def test_each_attempt_has_another_port(launcher, monkeypatch):
    monkeypatch.setattr(Launcher, "_plain", lambda self, text: text)
    port = str(free_port())
    options = [f"--master-port={port}", "--nproc-per-node=2", "--max-restarts=2"]
    ended = launcher.launch("torchlike", FAILS, *options, args=["9"])
    ports = [line.split("=")[1] for line in ended.out if line.startswith("1")]
    assert port in ports and len(set(ports)) == 3


def test_a_process_that_ignores_sigterm_is_killed(launcher, tmp_path):
    options = ["--nproc-per-node=2", "--shutdown-timeout=1"]
    ended = launcher.launch("torchlike", STUBBORN, *options, args=[str(tmp_path / "ready")])
    assert "exitcode  : -9 (pid: PID)  (SIGKILL)" in ended.error


def test_a_recorded_error(tmp_path, monkeypatch):
    found = []
    for errors in (their_errors, our_errors):
        path = tmp_path / "error.json"
        monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(path))
        with pytest.raises(ZeroDivisionError):
            errors.record(lambda: 1 / 0, _Quiet(errors))()
        told = json.loads(path.read_text())
        extra = told["message"].pop("extraInfo")
        assert extra["py_callstack"].endswith("ZeroDivisionError: division by zero\n")
        found.append((told, set(extra), type(extra["timestamp"])))
    assert found[0] == found[1]


def _Quiet(errors):
    """Return a handler that leaves the fault handler of pytest as it is."""
    handler = errors.get_error_handler()
    handler.initialize = lambda: None
    return handler


def test_the_error_of_a_child_is_passed_on(tmp_path, monkeypatch):
    found = []
    child, own = tmp_path / "child.json", tmp_path / "own.json"
    child.write_text(json.dumps({"message": {"message": "bad", "extraInfo": {"timestamp": "7"}}}))
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(own))
    for errors in (their_errors, our_errors):

        def failing(errors=errors):
            raise errors.ChildFailedError("x", {1: errors.ProcessFailure(1, 2, 3, str(child))})

        with pytest.raises(errors.ChildFailedError) as raised:
            errors.record(failing, _Quiet(errors))()
        found.append((str(raised.value), own.read_text()))
        own.unlink()
    assert found[0] == found[1]


# -- logs --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        ["-r", "0:3,1:1", "-t", "0:0,1:2"],
        ["--local-ranks-filter=1", "-r", "1"],
        ["-t", "3", "--local-ranks-filter=1", "--duplicate-stderr-filters=apple"],
    ],
)
def test_output_goes_to_the_same_files(launcher, tmp_path, options):
    trees = []
    for library in RUNS:
        folder = tmp_path / library
        ended = launcher.launch(library, SPEAKS, "--nproc-per-node=2", f"--log-dir={folder}", *options)
        (top,) = folder.iterdir()
        files = {str(path.relative_to(top)): path.read_text() for path in top.rglob("*") if path.is_file()}
        shown = sorted(line for line in ended.err if "apple" in line or "pear" in line)
        trees.append((ended.out, shown, files, ended.error))
    assert trees[0] == trees[1]


# -- signals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGUSR1"])
def test_signals_reach_the_processes(launcher, tmp_path, name):
    before = signal.getsignal(signal.SIGUSR1)
    found = []
    for library in RUNS:
        ready = str(tmp_path / library)
        thread = threading.Thread(target=_signal_when_ready, args=(ready, getattr(signal, name)))
        thread.start()
        options = ["--nproc-per-node=2", "--signals-to-handle=SIGTERM,SIGINT,SIGUSR1"]
        ended = launcher.launch(library, WAITS, *options, args=[ready])
        thread.join()
        found.append((ended.out, ended.error))
    signal.signal(signal.SIGUSR1, before)
    assert found[0] == found[1]
    assert found[1][0] == [f"got {name}"] * 2


def _signal_when_ready(ready: str, number: int) -> None:
    _appear(ready + "0", ready + "1")
    os.kill(os.getpid(), number)


def _appear(*paths: str) -> None:
    end = time.monotonic() + 60
    while not all(os.path.exists(path) for path in paths):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_no_process_is_left_if_the_launcher_is_killed(tmp_path):
    ready, script = str(tmp_path / "ready"), tmp_path / "script.py"
    script.write_text(
        WAITS.replace("open(", "print(os.getpid(), file=open(", 1).replace('"w").close()', '"w"), flush=True)')
    )
    command = ["torchlike.distributed.run", "--nproc-per-node=2", "--no-python", sys.executable, str(script), ready]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    launcher = subprocess.Popen([sys.executable, "-m", *command], env=env, stdout=subprocess.DEVNULL)
    _appear(ready + "0", ready + "1")
    pids = [int(_contents(ready + rank)) for rank in "01"]
    launcher.kill()
    launcher.wait(60)
    end = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):
        assert time.monotonic() < end
        time.sleep(0.01)


def _contents(path: str) -> str:
    """Return the contents of a file, when its writer has written some."""
    while not (found := Path(path).read_text()):
        time.sleep(0.01)
    return found


# -- several machines --------------------------------------------------------------------------------------------------


def test_machines_start_again_together(tmp_path):
    script, port, ended = tmp_path / "script.py", free_port(), {}
    script.write_text(FAILS)

    def machine(i):
        config = LaunchConfig(
            2, 2, 1 + i, None, "job", "default", f"localhost:{port}", "c10d", {"timeout": 60}, max_restarts=1
        )
        config.logs_specs = type(config.logs_specs)(str(tmp_path / str(i)), redirects=Std.OUT)
        ended[i] = elastic_launch(config, "python")(str(script), "1")

    threads = [threading.Thread(target=machine, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted([*ended[0], *ended[1]]) == [0, 1, 2]
    said = [path.read_text().split() for path in tmp_path.rglob("attempt_1/*/stdout.log")]
    assert sorted((rank, restart) for rank, _, restart, _ in said) == [(rank, "1") for rank in "012"]
    assert len({port for *_, port in said}) == 1
