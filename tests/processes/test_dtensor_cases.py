"""Random operators on random placements and meshes give PyTorch's values, gradients, shapes and placements.

`python -m tests.long` runs more cases, also in four processes. `DTENSOR_CASES` and `DTENSOR_SEED` in the environment
choose their number and others of them.
"""

import json
import os

import pytest

from tests.processes.launched import compared

# Where PyTorch is wrong: the gradients of these functions of divided tensors.
WRONG_GRADIENTS = {
    "mse_loss": "the mean divides by the number of local elements",
    "largest norm": "the local extremes give infinities",
}
# Where the placements may differ: on a mesh of several dims, PyTorch searches the placements of all dims together.


def close(found, expected):
    if found is None or expected is None:
        return found is expected
    pairs = list(zip(found, expected, strict=True))
    return all(abs(x - y) <= 1e-5 + 1e-5 * abs(y) for x, y in pairs)


def check(found, expected):
    """Compare one case. A case in which PyTorch raises may work."""
    assert (found["name"], found["inputs"]) == (expected["name"], expected["inputs"])
    if "error" in expected:
        return False
    assert "error" not in found, found
    keys = ["shape", "dtype", "stride"]
    if expected["mesh"].endswith(",)") or expected["inputs"].count("[") == 2:
        keys += ["placements", "local"]
    assert {key: found[key] for key in keys} == {key: expected[key] for key in keys}, (found, expected)
    assert close(found["value"], expected["value"]), (found, expected)
    assert ("gradients" in found) == ("gradients" in expected)
    if expected["name"] not in WRONG_GRADIENTS:
        pairs = zip(found.get("gradients", ()), expected.get("gradients", ()), strict=True)
        assert all(close(x, y) for x, y in pairs), (found, expected)
    return True


SIZES = [(2, 20), pytest.param(2, 600, marks=pytest.mark.long), pytest.param(4, 600, marks=pytest.mark.long)]


@pytest.mark.parametrize(("size", "count"), SIZES)
def test_random_cases(size, count, monkeypatch):
    count = int(os.environ.get("DTENSOR_CASES", count))
    monkeypatch.setenv("CASES_COUNT", str(count))
    monkeypatch.setenv("CASES_SEED", os.environ.get("DTENSOR_SEED", "3"))
    theirs, ours = compared("dtensor_cases", size)
    for expected, found in zip(theirs, ours, strict=True):
        lines = list(zip(found.splitlines(), expected.splitlines(), strict=True))
        checked = [check(json.loads(x), json.loads(y)) for x, y in lines]
        assert len(checked) == count and sum(checked) > count * 0.8
