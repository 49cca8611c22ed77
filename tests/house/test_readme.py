"""Tests of the README's commands and links."""

import operator
import os
import re

import pytest

import torchlike
from tests.house.source import ROOT

README = (ROOT / "README.md").read_text("utf-8")
PAGES = [path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")] if path.is_file()]


def test_two_commands_install_everything_and_run_it():
    commands = re.findall(r"^pip install .*&& .*$", README, re.MULTILINE)
    assert [command.rpartition("&& ")[2] for command in commands] == [
        "python -m torchlike examples/digits_cnn.py",
        "python -m pytest -n 2 --dist worksteal",
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)|src=\"([^\"]+)\"", page.read_text("utf-8"))
    local = [link for pair in links for link in pair if link and "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_exist(page):
    names = re.findall(r"`torchlike\.([\w.]+)(?:\(.*?\))?`", page.read_text("utf-8"))
    missing = []
    for name in names:
        try:
            operator.attrgetter(name)(torchlike)
        except AttributeError:
            missing.append(name)
    assert missing == []


def test_the_readmes_program_runs():
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    batches = [(torchlike.randn(8, 64), torchlike.arange(8))] * 2
    seen = {"loader": batches}
    exec(program, seen)
    assert seen["loss"].item() > 0


def test_the_program_for_accelerators_runs(capsys):
    (program,) = re.findall(r"```py\n(.*?)```", (ROOT / "docs" / "gpu_tpu.md").read_text("utf-8"), re.DOTALL)
    exec(program, {})
    assert 0 < float(capsys.readouterr().out) < 2


def test_ci_runs():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
