"""Tests of `torchlike env` and of the command `torchlike`."""

import contextlib
import json
import os
import shlex
import subprocess
import sys
from importlib.metadata import version

import pytest

from tests.house.source import ROOT
from torchlike._cli import env, main
from torchlike.torch_version import OWN


def test_the_facts_are_printed(capsys):
    assert main(["env"]) == 0
    printed = capsys.readouterr().out
    assert f"torchlike: {OWN}, as PyTorch " in printed
    assert f"  jax: {version('jax')}\n" in printed
    for name in ("PyTorch: ", "Python: ", "devices:\n  ", "executor: ", "cache:\n  folder: ", "native kernels: "):
        assert f"\n{name}" in printed


def test_json(capsys, monkeypatch):
    monkeypatch.setenv("TORCHLIKE_TRACEBACK", "full")
    monkeypatch.setenv("UNRELATED", "3")
    assert main(["env", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["PyTorch"] == version("torch")
    assert facts["settings"]["TORCHLIKE_TRACEBACK"] == "full" and "UNRELATED" not in facts["settings"]
    assert facts["cache"]["programs"] >= 0


@pytest.mark.parametrize("platform", ["no_such_backend", "cuda"])
def test_a_backend_that_does_not_start_is_shown(platform):
    settings = {**os.environ, "JAX_PLATFORMS": platform, "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(ROOT)}
    code = "from torchlike._cli import main; raise SystemExit(main(['env', '--json']))"
    done = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["devices"][-1].startswith("error: ") and facts["torchlike"].startswith(OWN)


def test_a_fact_that_cannot_be_found_is_an_error(monkeypatch):
    monkeypatch.setattr(env, "_cache", lambda: 1 / 0)
    assert env.environment()["cache"] == "ZeroDivisionError: division by zero"


def test_a_reader_that_stops_is_not_an_error():
    code = "from torchlike._cli import main; raise SystemExit(main(['env']))"
    command = f"{sys.executable} -c {shlex.quote(code)} | true; exit ${{PIPESTATUS[0]}}"
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", command], env=settings, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (1, "")


def test_everything_else_is_passed_on(capsys, monkeypatch):
    with contextlib.suppress(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    assert "torchlike check PATH" in printed and "--clear-cache" in printed
    monkeypatch.setattr(sys, "argv", ["torchlike", "no_such_script.py"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "no_such_script.py" in capsys.readouterr().err
