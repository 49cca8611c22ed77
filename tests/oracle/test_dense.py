"""Dense programs, statement by statement, in both libraries (`dense/__init__.py`)."""

import pytest
import torch

import torchlike
from tests.oracle.dense import TOPICS, is_same, observe, programs

PROGRAMS = [pytest.param(source, id=f"{topic}: {name}") for topic in TOPICS for name, source in programs(topic).items()]


@pytest.mark.parametrize("source", PROGRAMS)
def test_every_statement_shows_the_same(source, monkeypatch):
    ours = observe(source, torchlike)
    with monkeypatch.context() as patch:
        patch.setattr(torch, "compile", lambda function=None, **options: function or (lambda f: f))
        theirs = observe(source, torch)
    differing = [
        (mine, due)
        for mine, due in zip(ours, theirs)
        if len(mine) != len(due) or not all(is_same(a, b) for a, b in zip(mine, due))
    ]
    assert not differing, differing[0]
