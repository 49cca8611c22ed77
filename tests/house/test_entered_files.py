"""The number of the package's files that warm calls enter: a reader follows one call through so many files."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

import torchlike as torch

PACKAGE = torch.__path__[0]


def entered(call: Callable[[], object]) -> set[str]:
    """Return the files of the package that contain a function that runs during `call`."""
    files: set[str] = set()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _: files.add(frame.f_code.co_filename) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(before)
    return {file for file in files if file.startswith(PACKAGE)}


def addition() -> Callable[[], object]:
    x = torch.ones(3)
    return lambda: x + 1


def compiled_call() -> Callable[[], object]:
    x, function = torch.ones(3), torch.compile(lambda a: (a * 2).sin())
    return lambda: function(x)


def backward() -> Callable[[], object]:
    x = torch.ones(3, requires_grad=True)
    losses = [(x * 2).sum() for _ in range(8)]
    return lambda: losses.pop().backward()


@pytest.mark.parametrize(("make", "most"), [(addition, 4), (compiled_call, 10), (backward, 18)])
def test_entered_files(make: Callable[[], Callable[[], object]], most: int) -> None:
    call = make()
    for _ in range(4):
        call()
    files = entered(call)
    assert 0 < len(files) <= most, sorted(files)
