"""Training programs whose compile takes long: they are interpreted first, and compiled in the background."""

import os
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import torchlike as torch
from torchlike._engine.interpreter import blas, costs
from torchlike._engine.interpreter import executor as interpreter
from torchlike._engine.report import log
from torchlike._engine.trace.flush import forget_programs
from torchlike._engine.trace.plan import FLAT
from torchlike._engine.xla import background, executor
from torchlike._engine.xla.background import Job


@pytest.fixture
def long(monkeypatch):
    """Treat the compile of every training program as a long one."""
    monkeypatch.setattr(costs, "LONG", 0.0)
    monkeypatch.setattr(costs, "LIGHT", 0.0)
    monkeypatch.setattr(costs, "FEW", 0)
    forget_programs()


def _model():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(6, 6), torch.nn.Tanh(), torch.nn.LayerNorm(6), torch.nn.Linear(6, 1)]
    return torch.nn.Sequential(*layers)


def _train(steps, model=None, rows=5):
    """Train, and return the losses and the executor of each step's backward program."""
    model = model or _model()
    given = torch.arange(6.0 * rows).view(rows, 6) / 30
    return _losses(lambda: model(given).square().mean(), torch.optim.AdamW(model.parameters(), 0.1), steps)


def _losses(compute, optimizer, steps):
    """Take steps on the losses that `compute` returns (see `_train`)."""
    losses, used = [], []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = compute()
        with torch.explain() as report:
            loss.backward()
        used += [program.executor for program in report]
        optimizer.step()
        losses.append(loss.item())
    return losses, used


def test_a_long_compile_replaces_the_interpreter_after_a_fixed_number_of_runs(long):
    losses, used = _train(costs.REPLACE + 2)
    assert used == ["numpy"] * (costs.REPLACE - 1) + ["xla"] * 3
    with torch.set_executor("xla"):
        wanted, _ = _train(costs.REPLACE + 2)
    torch.testing.assert_close(torch.tensor(losses), torch.tensor(wanted))


@pytest.mark.long
def test_the_number_of_runs_does_not_depend_on_the_duration_of_the_compile(long, monkeypatch):
    quick, _ = _train(costs.REPLACE + 2)
    make = executor.executable_of

    def slow(*args, **options):
        time.sleep(0.5 * background.in_background())
        return make(*args, **options)

    monkeypatch.setattr(executor, "executable_of", slow)
    forget_programs()
    late, used = _train(costs.REPLACE + 2)
    assert late == quick
    assert used.count("numpy") == costs.REPLACE - 1


def _clip_and_step():
    """Run clipping and an optimizer step as one program."""
    model = _model()
    for parameter in model.parameters():
        parameter.grad = torch.ones(parameter.shape)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    torch.optim.AdamW(model.parameters()).step()


@pytest.mark.parametrize("is_long", [False, True])
def test_deterministic_training_is_compiled_at_once(is_long, monkeypatch):
    monkeypatch.setattr(costs, "LONG", 0.0 if is_long else 1e9)
    forget_programs()
    torch.use_deterministic_algorithms(True)
    try:
        assert _train(2)[1] == ["xla", "xla"]
        with torch.explain() as report:
            _clip_and_step()
        assert [p.executor for p in report if p.operators[-1] == "adam_update"] == ["xla"]
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.long
def test_shapes_that_take_turns_are_not_compiled_after_few_runs(long):
    model, used = _model(), []
    for i in range(2 * costs.REPLACE):
        used += _train(1, model, rows=3 + i % 2)[1]
    assert set(used) == {"numpy"}


def test_an_error_of_a_background_compile_runs_the_operators_one_by_one(long, monkeypatch):
    make = executor.executable_of

    def broken(*args, **options):
        if background.in_background():
            raise RuntimeError("this compile fails")
        return make(*args, **options)

    monkeypatch.setattr(executor, "executable_of", broken)
    wanted, _ = _train(3)
    losses, _ = _train(costs.REPLACE + 2)
    assert losses[:3] == wanted and losses[-1] < losses[0]


def test_threads_wait_for_one_background_compile(long):
    alone, _ = _train(costs.REPLACE + 2)
    found, models = [], [_model() for _ in range(2)]
    work = lambda model: found.append(_train(costs.REPLACE + 2, model)[0])
    threads = [threading.Thread(target=work, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for losses in found:  # the threads count their runs of the shared program together
        torch.testing.assert_close(torch.tensor(losses), torch.tensor(alone))


def test_a_job_gives_its_result_or_its_error():
    job = Job(lambda: 3)
    assert (job.result(), job.is_done()) == (3, True)
    with pytest.raises(ZeroDivisionError):
        Job(lambda: 1 / 0).result()


@pytest.mark.filterwarnings(
    "ignore:os.fork:RuntimeWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)  # of JAX
def test_a_fork_waits_for_a_background_compile():
    job = Job(lambda: time.sleep(0.2))
    pid = os.fork()
    if not pid:
        os._exit(0 if job.is_done() else 1)
    assert os.waitpid(pid, 0)[1] == 0


PROGRAM = """
    import torchlike as torch
    from torchlike._engine.interpreter import costs

    costs.LONG, costs.FEW = 0.0, 0
    model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(4)])
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(costs.BEGIN + 1):
        optimizer.zero_grad()
        model(torch.ones(2, 8)).square().mean().backward()
        optimizer.step()
    print("end")
"""


def test_a_program_that_ends_during_a_background_compile_ends_without_an_error(tmp_path):
    environment = os.environ | {"TORCHLIKE_CACHE_SIZE": "0"}
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_a_wait_at_exit_is_announced():
    program = """
        import time, torchlike
        from torchlike._engine.xla.background import Job
        Job(lambda: time.sleep(1))
    """
    environment = os.environ | {"TORCHLIKE_LOG": ""}
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400)
    assert (done.returncode, done.stderr) == (0, "torchlike: waiting at exit for a compile in the background\n")


def test_products_of_training_use_few_threads(long, monkeypatch):
    """Small products use one thread. Large ones use all, and half of them from the beginning of the compile on."""

    class Library:
        count = 8

        def get_num_threads(self):
            return self.count

        def set_num_threads(self, count):
            self.count = count

    library, seen, run = Library(), [], interpreter._run
    monkeypatch.setattr(blas, "_libraries", lambda: [library])

    def watch(plan, given):
        if plan.executor == FLAT:
            seen.append(library.count)
        return run(plan, given)

    monkeypatch.setattr(interpreter, "_run", watch)
    for wide, due in ((1 << 40, {1}), (0, {8})):
        monkeypatch.setattr(costs, "WIDE", wide)
        forget_programs()
        seen.clear()
        _train(1)
        assert {*seen} == due
    _train(costs.BEGIN)
    assert {*seen} == {8, 4}
    assert library.count == 8


def test_only_a_long_wait_is_reported(caplog, monkeypatch):
    monkeypatch.setattr(log.logger, "level", 0)
    log.logger.manager._clear_cache()
    log.report_wait(log.SLOW / 2, ["add"])
    assert not caplog.records
    log.report_wait(2 * log.SLOW, ["add", "_mul"])
    (record,) = caplog.records
    assert record.message.endswith("waited 4.0 s for a compile of 2 operators (add mul)")
    assert "test_background.py:" in record.message


def _unrolled(steps):
    """Train a cell that is called in a loop (see `_train`)."""
    torch.manual_seed(0)
    cell = torch.nn.RNNCell(3, 8)
    rows = torch.arange(240.0).view(40, 2, 3) / 240

    def compute():
        state = torch.zeros(2, 8)
        for row in rows:
            state = cell(row, state)
        return state.square().mean()

    return _losses(compute, torch.optim.SGD(cell.parameters(), 0.1), steps)


def test_a_loop_of_small_operators_is_interpreted_until_it_has_cost_as_much_as_its_compile(monkeypatch):
    monkeypatch.setattr(costs, "LONG_LIGHT", 0.1)
    forget_programs()
    losses, used = _unrolled(2 * costs.REPLACE)
    assert used == ["numpy"] * 2 * costs.REPLACE
    monkeypatch.setattr(costs, "LIGHT", 1e-3)  # then the compile is worth only a few runs
    forget_programs()
    early, used = _unrolled(2 * costs.REPLACE)
    assert used[0] == "numpy" and used[-1] == "xla"
    assert used == sorted(used)
    torch.testing.assert_close(torch.tensor(losses), torch.tensor(early))


def test_recurrent_layers_that_are_called_in_a_loop_are_interpreted_first(monkeypatch):
    monkeypatch.setattr(costs, "QUICK", 0.0)  # as of a longer loop
    monkeypatch.setattr(costs, "RUNS", 0)
    forget_programs()
    torch.manual_seed(0)
    cell = torch.nn.LSTM(3, 4)
    rows = torch.arange(30.0).view(5, 1, 2, 3) / 30

    def compute():
        state, loss = None, 0
        for row in rows:
            result, state = cell(row, state)
            loss = loss + result.square().mean()
        return loss

    assert _losses(compute, torch.optim.SGD(cell.parameters(), 0.1), 3)[1] == ["numpy"] * 3


@pytest.mark.parametrize("count, kind", [(50, "numpy"), (3, "xla")])
def test_a_long_step_with_clipping_is_interpreted_first(count, kind):
    forget_programs()
    parameters = [torch.nn.Parameter(torch.ones(4)) for _ in range(count)]
    for parameter in parameters:
        parameter.grad = torch.ones(4)
    optimizer = torch.optim.Adam(parameters)
    with torch.explain() as report:
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        parameters[0].sum().item()
    assert [p.executor for p in report if "adam_update" in p.operators] == [kind]
