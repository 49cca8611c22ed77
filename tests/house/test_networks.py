"""Tests of the benchmark of networks: its figures, its table, its comparison, and its programs without libraries."""

import copy

import pytest

from benchmarks.contenders import COMPILE, JAX, OURS, TORCH, WHOLE
from benchmarks.networks import NETWORKS, SHORT, figures, measure, table
from benchmarks.rival import Failed, Setting, rival


def side(seconds, **more):
    figures = {
        "first steps": [2 * seconds, 3.0],
        "losses": [2.0, 1.5, 1.0],
        "step": seconds,
        "compile": 4.0,
        "peak": 50,
    }
    return figures | more


def network():
    inference = {"inference": {"first": 0.4, "later": 0.1, "result": 7.0}}
    sides = {TORCH: side(1.0, **inference), OURS: side(2.0, again=[0.25, 0.1], **inference)}
    return {"sides": sides | {COMPILE: side(4.0), WHOLE: side(3.0)}}


def found(what, networks):
    return next(check for check in figures.checks(networks) if check.what == what)


def test_a_ratio_is_over_the_rival():
    assert figures.over(network(), "step", OURS) == 2.0
    assert figures.over(network(), "step", WHOLE, COMPILE) == 0.75
    assert figures.over(network(), "step", JAX) is None


def test_limits_judge_the_median_and_the_worst_network():
    fast, slow = network(), network()
    slow["sides"][OURS]["step"] = 9.0
    networks = {"gpt2": fast, "bert": fast, "t5": slow}
    assert found(f"step, {OURS} over {TORCH}, median", networks).value == 2.0
    assert found(f"step, {OURS} over {TORCH}, worst", networks).value == 9.0
    assert not found(f"step, {OURS} over {TORCH}, worst", networks).passed
    assert found("second process, first step, s, median", networks).passed


def test_compile_time_of_the_deep_encoder_is_over_that_of_the_shallow_one():
    deep = network()
    deep["sides"][OURS]["compile"] = 10.0
    assert found(f"compile time, 24 layers over 6, {OURS}", {"encoder6": network(), "encoder24": deep}).value == 2.5


@pytest.mark.parametrize("losses, wrong", [([2.0, 1.5, 1.0], 0), ([2.0, 1.50001, 1.0], 0), ([2.0, 1.6, 1.0], 1)])
def test_other_losses_than_pytorchs_are_wrong(losses, wrong):
    changed = network()
    changed["sides"][OURS]["losses"] = losses
    assert len(figures.agreement(changed)[1]) == wrong
    assert ("**wrong**" in table.steps({"gpt2": changed})) == bool(wrong)


def test_a_wrong_loss_is_shown_beside_the_rounding_of_pytorch():
    changed = network()
    changed["sides"][OURS]["losses"] = [2.0, 1.6, 1.0]
    changed["sides"][TORCH]["one thread"] = [2.0, 1.53, 1.0]
    (sentence,) = figures.agreement(changed)[1]
    assert sentence.endswith("instead of 2, 1.5, 1 (PyTorch with one thread differs from itself by 2e-02)")


def test_a_loss_that_is_not_a_number_is_wrong():
    assert figures.difference([float("nan")], [1.0]) == float("inf")
    assert figures.difference([1.0], [float("nan")]) == float("inf")
    assert figures.difference([float("nan")], [float("nan")]) == 0.0


def test_another_result_of_inference_is_wrong():
    changed = network()
    changed["sides"][OURS]["inference"] = {"first": 0.4, "later": 0.1, "result": 7.1}
    assert figures.failures({"gpt2": changed}) == [f"gpt2: wrong: {OURS}, inference: 7.1 instead of 7"]


def test_slower_networks_are_listed_relative_to_pytorch():
    now = copy.deepcopy(network())
    now["sides"][OURS]["step"] = 2.0 * figures.SLOWER * 1.01
    now["sides"][TORCH]["step"] = 1.0
    assert figures.slower({"gpt2": now}, {"gpt2": network()}) == [f"gpt2: step, {OURS}: 2.63 of PyTorch's, was 2.00"]
    now["sides"][TORCH]["step"] = 1.1  # a slower machine
    assert figures.slower({"gpt2": now}, {"gpt2": network()}) == []


def test_the_table_shows_a_missing_library_and_a_failed_side():
    failed = network()
    failed["sides"][WHOLE] = {"error": "RuntimeError: no|such", "uncompiled": ["it prints"]}
    record = {
        "about": {},
        "chain": {},
        "networks": {"gpt2": failed, "t5": {"missing": "transformers is not installed"}},
    }
    text = table.markdown(record)
    assert f"| {NETWORKS['t5'].title} | transformers is not installed |" in text
    assert "failed: RuntimeError: no/such" in text and f"gpt2: {WHOLE}: error" in text
    assert f"gpt2: {WHOLE}: uncompiled: it prints" in text


def test_a_library_that_is_not_installed_is_no_failure(monkeypatch):
    monkeypatch.setattr(measure.importlib.util, "find_spec", lambda name: None)
    assert measure.measured(Setting(), "gpt2", print) == {"missing": "transformers is not installed"}


def test_the_short_form_needs_no_library():
    assert all(NETWORKS[name].needs is None for name in SHORT)


def test_a_worker_without_a_reply_is_ended():
    program = ("-c", "import time; print('\"ready\"', flush=True); time.sleep(60)")
    with rival(Setting(), program=program, patience=1.0) as ask, pytest.raises(Failed, match="no reply within 1 s"):
        ask("begin")


@pytest.mark.parametrize("task, command", [("train", ["steps", 1]), ("infer", ["calls", 1])])
def test_the_worker_runs_a_network_on_torchlike(task, command):
    with measure.worker(Setting(threads=1), None, task, OURS, "packed_lstm") as ask:
        assert ask(*command)
