"""Random numbers on a GPU are those of PyTorch on the same GPU."""

import pytest
import torch

import torchlike
from tests.gpu.judge import JUDGE, needs_gpu
from tests.random.cuda_fills import SIZES, fills, sampled

pytestmark = [needs_gpu, pytest.mark.skipif(JUDGE == "cpu", reason="needs PyTorch for CUDA")]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", fills(torchlike, 1000))
def test_numbers_and_offsets(name, n):
    if name not in fills(torchlike, n):
        pytest.skip("too many elements for this distribution")
    places = range(0, 3 * n, 997)
    found, due = (sampled(library, fills(library, n)[name], n, places) for library in (torchlike, torch))
    assert found["offset"] == due["offset"]
    # The logarithms and sines of the two libraries round differently; near 0 a normal number is their difference.
    assert found["numbers"] == pytest.approx(due["numbers"], rel=2e-4, abs=2e-5)
