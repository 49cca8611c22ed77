"""Random numbers on a GPU are those of PyTorch on the same GPU."""

import pytest
import torch

import torchlike
from tests.gpu.judge import JUDGE
from tests.random.cuda_fills import SIZES, fills, sampled

pytestmark = pytest.mark.gpu  # and PyTorch for CUDA


@pytest.mark.parametrize(("n", "name"), [(n, name) for n in SIZES for name in fills(torchlike, n)])
def test_numbers_and_offsets(n, name):
    assert JUDGE == "cuda"
    places = range(0, 3 * n, n // 97 + 1)
    found, due = (sampled(library, fills(library, n)[name], n, places) for library in (torchlike, torch))
    assert found["offset"] == due["offset"]
    # The logarithms and sines of the two libraries round differently; near 0 a normal number is their difference.
    assert found["numbers"] == pytest.approx(due["numbers"], rel=2e-4, abs=2e-5)
