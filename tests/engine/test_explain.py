"""The engine's reports: `explain`, the log, and the warning about shapes that keep changing."""

import dataclasses
import gc
import logging
import os
import subprocess
import sys
import threading
import warnings

import jax
import pytest

import torchlike as torch
from tests.house.source import ROOT
from torchlike import nn
from torchlike._engine import boundary
from torchlike._engine.interpreter import costs
from torchlike._engine.report import log, program_statistics
from torchlike._engine.trace import flush


@pytest.fixture(autouse=True)
def _no_program_is_known():
    boundary()
    flush.forget_programs()


def _step(model, optimizer, n=4):
    loss = nn.functional.mse_loss(model(torch.ones(n, 5)), torch.zeros(n, 3))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@pytest.fixture
def training(monkeypatch):
    monkeypatch.setattr(costs, "FEW", 0)  # compile at the first run, like larger programs
    torch.manual_seed(0)
    model = nn.Linear(5, 3)
    return model, torch.optim.SGD(model.parameters(), lr=0.1)


def test_a_training_loop_is_two_programs_that_are_hit(training):
    with torch.explain() as report:
        for _ in range(5):
            _step(*training)
    backward, step = sorted(report, key=lambda program: -len(program.operators))
    assert backward.operators == ("linear", "mse_loss", "mse_loss_vjp", "linear_vjp")
    assert step.operators == ("sgd_update",)
    for program in (backward, step):
        assert (program.executor, program.misses, program.hits) == ("xla", 1, 4)
        assert program.compile_seconds > 0
        assert program.file == __file__ and program.where.endswith(f"test_explain.py:{program.line}")
    assert (backward.compiles, backward.interpreter_runs) == (1, 0)
    # The first update runs on the host, in a separate program.
    assert (step.compiles, step.interpreter_runs) == (2, 1)
    source = _step.__code__.co_firstlineno
    assert (backward.line, step.line) == (source + 3, source + 4)
    assert step.donated_bytes == 4 * (15 + 3) * 4  # weight and bias in float32, in each of the four compiled runs
    assert report.totals.runs == 10


def test_forward_work_is_numpys_until_it_is_hot(monkeypatch):
    monkeypatch.setattr(costs, "COMPILE_ENTRY", 10 * costs.ENTRY)
    monkeypatch.setattr(costs, "BYTE", 0)
    monkeypatch.setattr(costs, "DISPATCH", 0)  # otherwise NumPy keeps these small programs
    with torch.explain() as report:
        for _ in range(15):
            (torch.ones(3) * 2).exp().tolist()
    (program,) = report
    assert (program.executor, program.misses, program.hits, program.compiles) == ("xla", 1, 14, 1)
    assert program.interpreter_runs == 11
    (variant,) = program.variants
    assert variant.executor == "xla" and variant.changed == ()


def test_an_operator_that_numpy_cannot_run_is_counted_where_it_is_compiled():
    x, schur = torch.eye(3), torch.jax.wrap(jax.scipy.linalg.schur)
    with torch.explain() as report:
        for _ in range(2):
            schur(x)[0].sum().item()
    (program,) = report
    assert (program.executor, program.compiles, program.interpreter_runs) == ("numpy", 1, 2)


def test_shapes_that_missed_are_told_with_what_they_enter(training):
    with torch.explain() as report:
        for n in (4, 7, 4, 9):
            _step(*training, n)
    program = max(report, key=lambda program: len(program.operators))
    assert (program.misses, program.hits) == (3, 1)
    first, *others = program.variants
    assert first.changed == () and (first.misses, first.hits) == (1, 1)
    assert {(each.enters, each.shape) for variant in others for each in variant.changed} == {
        ("input of linear", (7, 5)),
        ("input of linear", (9, 5)),
        ("target of mse_loss", (7, 3)),
        ("target of mse_loss", (9, 3)),
    }
    text = str(report)
    assert "input of linear" in text and "(4, 5) (7, 5) (9, 5)" in text


def test_a_region_counts_only_what_happens_within():
    x = torch.ones(4)
    y = x * 2  # pending: recorded before the block
    with torch.explain() as outer:
        (x + 1).tolist()
        with torch.explain() as inner:
            (x + 1).tolist()
    assert y.tolist() == [2] * 4
    assert [(program.operators, program.misses, program.hits) for program in outer] == [(("add",), 1, 1)]
    assert [(program.operators, program.misses, program.hits) for program in inner] == [(("add",), 0, 1)]
    with torch.explain() as empty:
        pass
    assert empty.programs == () and "0 programs, 0 runs" in str(empty)


def test_the_data_are_frozen():
    (torch.ones(4) * 2).tolist()
    program = torch.explain().programs[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        program.hits = 3
    assert len(torch.explain()) >= 1


def test_the_table_is_aligned(training):
    with torch.explain() as report:
        for n in (4, 5):
            _step(*training, n)
    head, blank, names, *rows = str(report).splitlines()
    assert head.startswith("3 programs, 4 runs, 3 misses, 3 compiles in ") and "2 runs by NumPy" in head and not blank
    assert names.split()[:5] == ["executor", "operators", "hits", "misses", "compiles"]
    at = names.index(" source") + 1
    assert all("test_explain.py:" in row[at:] for row in rows[:2])
    assert all(line == line.rstrip() for line in str(report).splitlines())


def test_old_accounts_are_folded_and_still_counted(monkeypatch):
    monkeypatch.setattr(program_statistics, "MOST_ACCOUNTS", len(program_statistics.ledger.accounts) + 3)
    before = torch.explain().totals
    with torch.explain() as report:
        for n in range(2, 10):
            (torch.ones(n) + 1).tolist()
            (torch.ones(n) + 1).tolist()
    assert (report.totals.hits, report.totals.misses) == (8, 8)
    assert (torch.explain().totals - before).runs == 16
    gc.collect()
    assert len(program_statistics.ledger.accounts) <= program_statistics.MOST_ACCOUNTS


def test_threads_count_into_one_report():
    def work():
        for n in range(5):
            (torch.ones(11) * n).tolist()

    with torch.explain() as report:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert report.totals.runs <= 20 and report.totals.misses == 1


# -- the warning -------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("always:8 programs")
def test_shapes_that_keep_changing_are_warned_of_once(training):
    with pytest.warns(UserWarning, match="8 programs at .* differ only in the shapes") as caught:
        for n in range(2, 14):
            _step(*training, n)
    (warning,) = caught
    sentence = str(warning.message)
    line = _step.__code__.co_firstlineno + 3
    assert (warning.filename, warning.lineno) == (__file__, line)
    assert f"test_explain.py:{line}" in sentence
    assert "input of linear had the shapes (2, 5), (3, 5), (4, 5)" in sentence
    assert "pad to a few fixed sizes" in sentence
    assert "interpreted by NumPy" in sentence and "set_executor" not in sentence  # already the fastest choice


@pytest.mark.filterwarnings("always:8 programs")
def test_a_line_is_warned_of_once():
    with torch.set_executor("xla"), pytest.warns(UserWarning, match="8 programs") as caught:
        for n in range(2, 14):
            torch.ones(n).mul(3).sum().item(), torch.ones(n).add(1).exp().sum().item()
    assert len(caught) == 1


def _look(n):
    return (torch.ones(n) * 2).sum().item()


@pytest.mark.filterwarnings("always:8 programs")
def test_forward_work_may_be_left_to_numpy():
    with torch.set_executor("xla"), pytest.warns(UserWarning, match=r"torchlike.set_executor\('auto'\)"):
        for n in range(2, 10):
            _look(n)


def test_a_warning_that_is_an_error_loses_nothing():
    with torch.set_executor("xla"), warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(2, 9):
            _look(n)
        with pytest.raises(UserWarning, match="8 programs"):
            _look(9)
        assert _look(9) == 18 and _look(10) == 20


def test_few_shapes_other_indices_and_interpreted_work_are_no_reason_to_warn(training):
    x = torch.ones(60, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (2, 3, 4) * 8:
            _step(*training, n)
        for n in range(2, 30):
            _look(n)
        for n in range(12):
            x[n].exp().backward()


# -- the log -----------------------------------------------------------------------------------------------------------

PROGRAM = """
import torchlike as torch
torch._engine.interpreter.costs.FEW = 0
w = torch.ones(3, requires_grad=True)
for n in (2, 3):
    x = torch.ones(n, 3)
    (x @ w).sum().backward()
    (x * 2).tolist()
"""


def _run(source, folder, **environment):
    (folder / "program.py").write_text(source, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run([sys.executable, "program.py"], cwd=folder, env=env, capture_output=True, text=True)


def test_the_log_has_a_line_for_each_program(tmp_path):
    done = _run(PROGRAM, tmp_path, TORCHLIKE_LOG="compile", TORCHLIKE_CACHE_DIR=str(tmp_path))
    first, second, third, fourth = done.stderr.splitlines()
    assert first.startswith("torchlike: program.py:7: compiled 4 operators (")
    assert "for xla on cpu in" in first and first.endswith(": new")
    assert second.startswith("torchlike: program.py:8: interpreted 1 operator (mul) for numpy on cpu in 0.")
    assert "xla" in third
    assert fourth.endswith(": input of mul (2, 3) -> (3, 3)")


def test_nothing_is_logged_unasked(tmp_path):
    assert _run(PROGRAM, tmp_path).stderr == ""
    assert _run(PROGRAM, tmp_path, TORCHLIKE_LOG="").stderr == ""


def test_an_unknown_name_is_refused(tmp_path):
    done = _run(PROGRAM, tmp_path, TORCHLIKE_LOG="compile,runs")
    assert done.returncode == 1
    expected = "ValueError: TORCHLIKE_LOG has the unknown topic 'runs'; known topics: compile, quiet"
    assert done.stderr.splitlines()[-1] == expected


def test_python_can_listen_itself(caplog):
    with caplog.at_level(logging.DEBUG, logger="torchlike"):
        _look(21)
    (record,) = caplog.records
    assert record.name == "torchlike" and record.levelno == logging.DEBUG
    assert "interpreted 2 operators (mul sum)" in record.getMessage()


TRAINING = """
import io
import logging
logging.basicConfig(level=logging.LEVEL)
import torchlike as torch
model = torch.nn.Linear(3, 2)
compiled = torch.compile(model)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    (compiled(torch.ones(4, 3)) ** 2).mean().backward()
    optimizer.step()
torch.save(model.state_dict(), io.BytesIO())
"""


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
def test_the_level_of_the_root_shows_nothing_of_ours_nor_of_jax(tmp_path, level):
    done = _run(TRAINING.replace("LEVEL", level), tmp_path, TORCHLIKE_CACHE_DIR=str(tmp_path / "cache"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_program_chooses_what_jax_logs(tmp_path):
    level = 'import logging\nlogging.getLogger("jax").setLevel("INFO")\nlogging.basicConfig(level="INFO")\n'
    show = 'import torchlike\nprint(logging.getLogger("jax").getEffectiveLevel())'
    assert _run(level + show, tmp_path).stdout == "20\n"
    assert _run("import logging\n" + show, tmp_path).stdout == "30\n"


def test_a_log_that_cannot_be_written_stops_nobody(monkeypatch):
    handler = log._ToStderr()
    monkeypatch.setattr(logging, "raiseExceptions", False)
    monkeypatch.setattr(sys, "stderr", None)
    handler.emit(logging.makeLogRecord({"msg": "x"}))
