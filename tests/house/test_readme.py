"""Tests of the README's commands, and of the names that the pages mention."""

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
def test_names_exist(page):
    names = re.findall(r"`torchlike\.([\w.]+)(?:\(.*?\))?`", page.read_text("utf-8"))
    missing = []
    for name in names:
        try:
            operator.attrgetter(name)(torchlike)
        except AttributeError:
            missing.append(name)
    assert missing == []


def test_ci_runs():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
