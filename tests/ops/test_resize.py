"""Resizing by a scale that leaves a size as it is, or doubles it: where PyTorch looks at the scale and where not."""

import pytest

from tests.oracle import both

SIZES = {1: (5,), 2: (5, 7), 3: (5, 7, 4)}
MODES = [("nearest", 1), ("nearest", 2), ("nearest", 3), ("nearest-exact", 2), ("linear", 1), ("bilinear", 2),
         ("bicubic", 2), ("trilinear", 3)]  # fmt: skip
SCALES = {"left as it is": (1.1, 1.05, 1.2), "doubled": (2.1, 2.05, 2.2), "changed": (1.7, 0.7, 1.3)}


def _resized(torch, mode: str, dims: int, scales: tuple, **options):
    count = 6
    for n in SIZES[dims]:
        count *= n
    x = (torch.arange(count) * 0.37).sin().reshape(2, 3, *SIZES[dims])
    return torch.nn.functional.interpolate(x, scale_factor=scales[:dims], mode=mode, **options)


@pytest.mark.parametrize("scales", SCALES.values(), ids=SCALES.keys())
@pytest.mark.parametrize(("mode", "dims"), MODES)
def test_scales(mode, dims, scales):
    both(lambda torch: _resized(torch, mode, dims, scales))


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("scales", [*SCALES.values(), (0.3, 1.1), (0.55, 0.7)])
def test_scales_with_antialiasing(mode, scales):
    both(lambda torch: _resized(torch, mode, 2, scales, antialias=True))
