"""Compare torchlike's results under every executor with results recorded from PyTorch."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import torchlike
from tests.newest.cases import CASES, plain

RECORDED = json.loads(Path(__file__).with_name("recorded.json").read_text("utf-8"))
# Relative and absolute tolerances by dtype. They allow small float32 sums to be computed in another order.
CLOSE = {"float32": (1e-4, 1e-5), "bfloat16": (1.6e-2, 1e-5)}


def agree(found: Any, due: Any) -> bool:
    """Return whether two results have the same structure and close numbers."""
    if isinstance(due, dict) and "numbers" in due:
        same = (found["dtype"], found["shape"]) == (due["dtype"], due["shape"])
        return same and _close(found["numbers"], due["numbers"], *CLOSE.get(due["dtype"], (0.0, 0.0)))
    if isinstance(due, dict):
        return found.keys() == due.keys() and all(agree(found[key], due[key]) for key in due)
    if isinstance(due, list):
        return len(found) == len(due) and all(map(agree, found, due))
    return _close(found, due, *CLOSE["float32"]) if isinstance(due, float) else found == due


def _close(found: Any, due: Any, relative: float, absolute: float) -> bool:
    if isinstance(due, list):
        return len(found) == len(due) and all(_close(a, b, relative, absolute) for a, b in zip(found, due))
    if isinstance(due, float) and math.isnan(due):
        return math.isnan(found)
    return math.isclose(found, due, rel_tol=relative, abs_tol=absolute)


# Compiling is limited to these cases, because each compiles up to ten programs.
COMPILED = [
    *("arithmetic", "reductions", "indices", "products", "singular vectors", "convolution", "rnn", "attention"),
    *("ctc loss", "sgd", "views and writes", "autocast", "random numbers"),
]


@pytest.mark.parametrize(
    ("name", "executor"), [*[(n, e) for n in CASES for e in ("auto", "numpy")], *[(n, "xla") for n in COMPILED]]
)
def test_results(name, executor):
    with torchlike.set_executor(executor):
        found = plain(CASES[name](torchlike))
    assert agree(found, RECORDED["cases"][name]), (found, RECORDED["cases"][name])


def test_the_recording_is_whole():
    assert RECORDED["cases"].keys() == CASES.keys()


def test_a_difference_is_noticed():
    due = RECORDED["cases"]["arithmetic"]
    for change in ({"dtype": "float64"}, {"shape": [4, 3]}, {"numbers": [[1.0] * 4] * 3}):
        assert not agree([{**due[0], **change}, due[1]], due)
    assert not agree(due[:1], due) and not agree(1.5, 1.6) and not agree("a", "b")
