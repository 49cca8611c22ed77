"""Worker processes of a `DataLoader`: how they end, what they send, and what they leave behind."""

import functools
import importlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import torchlike
from torchlike.utils.data import DataLoader, Dataset, IterableDataset

CASES = ["stop", "timeout", "overlapping", "kinds", "epochs", "spawn", "forkserver"]

DEATHS = {
    "killed": "DataLoader worker (pid ) is killed by signal: Killed. ",
    "left": "DataLoader worker (pid ) exited unexpectedly with exit code . Details are lost due to multiprocessing. "
    "Rerunning with num_workers= may give better error trace.",
}


@functools.cache
def ends():
    """Return the results of `ends.py` by library. Both scripts wait for most of their time, so they run at once."""
    libraries = ("torchlike", "torch")
    with ThreadPoolExecutor() as pool:
        return dict(zip(libraries, pool.map(ends_of, libraries), strict=True))


def ends_of(library):
    script = Path(__file__).with_name("ends.py")
    environment = {**os.environ, "ENDS_LIBRARY": library, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore", str(script), library]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", [*CASES, "in order", "out of order"])
def test_ends(name):
    assert ends()["torchlike"][name] == ends()["torch"][name]


@pytest.mark.parametrize("name", DEATHS)
def test_deaths(name):
    """The words are PyTorch's, without the numbers."""
    first = "DataLoader worker (pid(s) ) exited unexpectedly"
    assert ends()["torchlike"][name] == ["RuntimeError", first, DEATHS[name]]


class Rows(Dataset):
    def __init__(self, function, count=8):
        self.function, self.count = function, count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return self.function(i)


def started():
    """Start XLA, so that a child process must not use it."""
    return torchlike.jax.to_jax(torchlike.ones(2)).block_until_ready()


def test_workers_compute_with_numpy():
    started()
    network = torchlike.nn.Sequential(torchlike.nn.Linear(4, 8), torchlike.nn.ReLU(), torchlike.nn.Linear(8, 2))
    inputs = torchlike.randn(8, 4)
    with torchlike.no_grad():
        expected = torchlike.stack([network(row) for row in inputs])
        (found,) = DataLoader(Rows(lambda i: network(inputs[i])), batch_size=8, num_workers=1)
    torchlike.testing.assert_close(found, expected)


@pytest.mark.filterwarnings("error")
def test_a_worker_has_one_thread():
    loader = DataLoader(Rows(lambda _: torchlike.get_num_threads()), num_workers=1, worker_init_fn=_sets_one_thread)
    assert {batch.item() for batch in loader} == {1}


def _sets_one_thread(_):
    torchlike.set_num_threads(1)


def test_a_compiled_function_runs_uncompiled_in_a_worker():
    started()
    function = torchlike.compile(lambda x: (x * 2 + 1).sum())
    assert [function(torchlike.ones(3) * i).item() for i in range(3)] == [3, 9, 15]
    batches = DataLoader(Rows(lambda i: function(torchlike.ones(3) * i), 3), batch_size=None, num_workers=1)
    assert [batch.item() for batch in batches] == [3, 9, 15]


def test_an_operator_that_needs_xla_is_refused_in_a_worker():
    started()

    def inverse(i):
        return torchlike.jax.to_jax(torchlike.ones(2)).sum() if i == 2 else i

    batches = iter(DataLoader(Rows(inverse), batch_size=None, num_workers=1))
    assert [next(batches), next(batches)] == [0, 1]
    with pytest.raises(RuntimeError, match="needs XLA, which must not run in a forked process"):
        next(batches)


def test_random_numbers_of_any_count_are_those_of_the_main_process():
    def drawn(i):
        torchlike.manual_seed(i)
        return torchlike.randn(300_000), torchlike.poisson(torchlike.full((5000,), 3.0)), torchlike.rand(70_000)

    started()
    for i, found in enumerate(DataLoader(Rows(drawn, 2), batch_size=None, num_workers=2)):
        assert all(torchlike.equal(a, b) for a, b in zip(found, drawn(i), strict=True))


def test_pending_work_runs_before_the_fork():
    x = torchlike.arange(6.0).reshape(3, 2)
    y = (x @ x.t()).exp()
    batches = DataLoader(Rows(lambda i: y[i] - 1, 3), batch_size=None, num_workers=1)
    assert [batch.tolist() for batch in batches] == (y - 1).tolist()


@pytest.mark.parametrize("size", [10, 20_000, 3_000_000])
def test_batches_belong_to_the_main_process(size):
    source = torchlike.zeros(size)
    batches = DataLoader(Rows(lambda i: source, 2), batch_size=None, num_workers=1)
    for batch in batches:
        batch += 1
        assert batch.sum().item() == size
    assert not source.any()
    array = np.ones(size)
    (found,) = DataLoader(Rows(lambda i: array, 1), batch_size=None, num_workers=1, collate_fn=lambda x: x)
    found[0] = 5
    assert array[0] == 1


def test_more_arrays_than_one_message_may_carry():
    def many(i):
        return [torchlike.full((1 << 15,), float(j)) for j in range(600)]

    (found,) = DataLoader(Rows(many, 1), batch_size=None, num_workers=1)
    assert [t[-1].item() for t in found] == list(range(600))


def test_long_requests_do_not_wait_for_the_answers():
    batches = DataLoader(
        Rows(lambda i: i, 400_000), batch_size=100_000, num_workers=1, prefetch_factor=4, collate_fn=list
    )
    assert [i for batch in batches for i in batch] == list(range(400_000))


def test_a_batch_that_cannot_be_pickled_is_an_error():
    batches = DataLoader(Rows(lambda i: (lambda: i) if i == 1 else i, 3), batch_size=None, num_workers=1)
    found = iter(batches)
    assert next(found) == 0
    with pytest.raises(Exception, match="in DataLoader worker process 0"):
        next(found)
    assert next(found) == 2


def test_a_gradient_does_not_cross_processes():
    batches = DataLoader(Rows(lambda i: torchlike.ones(2, requires_grad=True) * 2), batch_size=None, num_workers=1)
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        next(iter(batches))


def test_an_error_whose_class_is_local():
    class Own(Exception):
        pass

    def fails(i):
        raise Own("told")

    with pytest.raises(RuntimeError, match=r"(?s)Caught Own in DataLoader worker process 0.*told"):
        next(iter(DataLoader(Rows(fails), num_workers=1)))


def test_more_workers_than_processors():
    count = len(os.sched_getaffinity(0)) + 1
    with pytest.warns(UserWarning, match=f"will create {count} worker processes in total"):
        DataLoader(Rows(int), num_workers=count)


class Endless(IterableDataset):
    def __iter__(self):
        while True:
            yield torchlike.ones(50_000)


def handles():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("end", ["whole", "left early", "error", "dropped"])
def test_nothing_is_left_behind(end):
    def fails(i):
        if i == 3 and end == "error":
            raise ValueError("three")
        return torchlike.ones(50_000)

    def once():
        kept = []
        batches = iter(DataLoader(Rows(fails), batch_size=None, num_workers=2))
        try:
            for n, batch in enumerate(batches):
                kept.append(batch)
                if n == 2 and end == "left early":
                    break
                if end == "dropped":
                    return kept
        except ValueError:
            pass
        return kept

    once()
    others, before = set(multiprocessing.active_children()), handles()
    kept = [once() for _ in range(5)]
    assert handles() == before
    assert set(multiprocessing.active_children()) <= others
    assert all(batch[0].item() == 1 for batches in kept for batch in batches)


KILLED = """
import os, sys, torchlike
from torchlike.utils.data import DataLoader, IterableDataset
class Endless(IterableDataset):
    def __iter__(self):
        while True:
            yield torchlike.ones(50_000)
torchlike.nn.Linear(2, 2)(torchlike.ones(2, 2)).sum().backward()
batches = iter(DataLoader(Endless(), num_workers=2, batch_size=None))
next(batches)
print(*[process.pid for process in batches._workers], flush=True)
for batch in batches:
    pass
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_main_process(how):
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as main:
        assert main.stdout is not None
        ids = [int(pid) for pid in main.stdout.readline().split()]
        assert len(ids) == 2
        time.sleep(0.2)
        main.send_signal(how)
        main.wait(20)
    end = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in ids) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [pid for pid in ids if Path(f"/proc/{pid}").exists()]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_trains_with_numpy():
    torchlike.manual_seed(0)
    started()
    network = torchlike.nn.Linear(3, 1)
    inputs = torchlike.randn(16, 3)

    def trained():
        optimizer = torchlike.optim.SGD(network.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            network(inputs).pow(2).mean().backward()
            optimizer.step()
        return network.weight.detach().tolist()

    def run(end):
        try:
            end.send(trained())
        except Exception as error:
            end.send(error)

    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=run, args=(theirs,))
    with pytest.warns(RuntimeWarning, match="os.fork"):
        process.start()
    assert ours.poll(60)
    found = ours.recv()
    process.join(20)
    np.testing.assert_allclose(found, trained(), rtol=1e-6)


def test_a_forked_process_ends_as_in_python():
    program = """if True:
        import os, sys
        import torchlike
        torchlike.set_executor("xla")
        torchlike.ones(3).sum().item()
        for end in (lambda: sys.exit(4), lambda: 1 // 0, lambda: None):
            pid = os.fork()
            if not pid:
                end()
                break
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert done.stdout.split() == ["4", "1", "0"], done.stderr


def test_a_conjugate_view_keeps_its_numbers():
    """PyTorch drops the conjugation."""
    x = torchlike.tensor([1 + 2j, 3 - 1j])
    (found,) = DataLoader(Rows(lambda i: x.conj(), 1), batch_size=None, num_workers=1)
    assert found.tolist() == [1 - 2j, 3 + 1j]


def test_a_tensor_of_a_large_storage_travels_alone():
    large = torchlike.arange(3_000_000).reshape(3000, 1000)
    parts = [lambda: [large[:, 1]], lambda: [large[1], large[2:4]]]
    column, rows = DataLoader(Rows(lambda i: parts[i](), 2), batch_size=None, num_workers=1)
    assert [t.untyped_storage().nbytes() for t in column + rows] == [24_000, 8_000, 16_000]
    assert [t.stride() for t in column + rows] == [(1,), (1,), (1000, 1)]
    assert torchlike.equal(column[0], large[:, 1])


def test_a_long_wait_before_the_start_of_workers_is_reported(monkeypatch):
    background = importlib.import_module("torchlike._engine.xla.background")
    log = importlib.import_module("torchlike._engine.report.log")
    told = []
    monkeypatch.setattr(log, "tell_user", told.append)
    monkeypatch.setattr(log, "SLOW", 0.05)
    job = background.Job(lambda: time.sleep(0.2))
    assert list(DataLoader(Rows(int, 2), batch_size=None, num_workers=1)) == [0, 1]
    assert job.is_done()
    assert len(told) == 1
    assert "for compiles in the background before it started a process" in told[0]


AT_EXIT = """
import torch
from torch.utils.data import DataLoader


def main():
    loader = DataLoader(torch.ones(8, 2), 4, num_workers=1, persistent_workers=True)
    print(len(list(loader)))
    raise SystemExit(3)  # its traceback keeps the loader until the interpreter has cleared the modules


main()
"""


def test_a_loader_that_is_alive_at_exit(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(AT_EXIT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "torchlike", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (3, "2\n", "")


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning", "ignore:os.fork.*:RuntimeWarning")
def test_a_fork_while_other_threads_use_generators():
    own, stops = torchlike.Generator(), threading.Event()

    def seed():
        torchlike.manual_seed(0)
        own.manual_seed(0)

    def seed_until_the_end():
        while not stops.is_set():
            seed()

    threads = [threading.Thread(target=seed_until_the_end) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        codes = [_exit_code(seed) for _ in range(12)]
    finally:
        stops.set()
        for thread in threads:
            thread.join()
    assert codes == [0] * 12


def _exit_code(function):
    """Run a function in a forked process and return the exit code, which is negative if it does not end."""
    process = multiprocessing.get_context("fork").Process(target=function)
    process.start()
    process.join(10)
    process.kill()
    process.join()
    return process.exitcode
