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


def agree(found: Any, expected: Any) -> bool:
    """Return whether two results have the same structure and close numbers."""
    if isinstance(expected, dict) and "numbers" in expected:
        same = (found["dtype"], found["shape"]) == (expected["dtype"], expected["shape"])
        return same and _close(found["numbers"], expected["numbers"], *CLOSE.get(expected["dtype"], (0.0, 0.0)))
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(agree(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(agree, found, expected))
    return _close(found, expected, *CLOSE["float32"]) if isinstance(expected, float) else found == expected


def _close(found: Any, expected: Any, relative: float, absolute: float) -> bool:
    if isinstance(expected, list):
        return len(found) == len(expected) and all(_close(a, b, relative, absolute) for a, b in zip(found, expected))
    if isinstance(expected, float) and math.isnan(expected):
        return math.isnan(found)
    return math.isclose(found, expected, rel_tol=relative, abs_tol=absolute)


# Compiling is limited to these cases, because each compiles up to ten programs.
COMPILED = [
    *("arithmetic", "reductions", "indices", "products", "singular vectors", "convolution", "rnn", "attention"),
    *("ctc loss", "sgd", "views and writes", "autocast", "random numbers"),
]


@pytest.mark.parametrize(
    ("name", "executor"), [*[(n, e) for n in CASES for e in ("auto", "numpy")], *[(n, "xla") for n in COMPILED]]
)
def test_results_equal_the_recording(name, executor):
    with torchlike.set_executor(executor):
        found = plain(CASES[name](torchlike))
    assert agree(found, RECORDED["cases"][name]), (found, RECORDED["cases"][name])


def test_the_recording_has_all_cases():
    assert RECORDED["cases"].keys() == CASES.keys()


def test_agree_finds_differences():
    expected = RECORDED["cases"]["arithmetic"]
    for change in ({"dtype": "float64"}, {"shape": [4, 3]}, {"numbers": [[1.0] * 4] * 3}):
        assert not agree([{**expected[0], **change}, expected[1]], expected)
    assert not agree(expected[:1], expected) and not agree(1.5, 1.6) and not agree("a", "b")
