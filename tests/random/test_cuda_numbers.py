"""Random numbers of accelerators are those of PyTorch on a GPU, for all sizes and distributions of `cuda_fills`."""

import json

import jax
import pytest

import torchlike
from tests.random.cuda_fills import NUMBERS, SIZES, STREAMS, fills, sampled
from torchlike._composite.random import samplers, sampling
from torchlike._dtypes.devices import stand_ins

DUE = json.loads(NUMBERS.read_text())


@pytest.fixture(autouse=True)
def h100(monkeypatch):
    for module in (samplers, sampling):
        monkeypatch.setattr(module, "streams_of", lambda device: STREAMS)
    with stand_ins("cuda", jax.devices("cpu")[:1]):
        yield


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", fills(torchlike, 1000))
def test_numbers_and_offsets(name):
    for n in SIZES:
        if f"{name} {n}" not in DUE:
            continue
        due = DUE[f"{name} {n}"]
        found = sampled(torchlike, fills(torchlike, n)[name], n, due["elements"])
        assert found["elements"] == due["elements"] and found["offset"] == due["offset"]
        # PyTorch's kernels of the logarithm and of sines round differently; each number but those is exact.
        assert found["numbers"] == pytest.approx(due["numbers"], rel=2e-4, abs=2e-6)
