"""`F.interpolate`: scales, antialiasing, bytes and dtypes.

If a scale keeps or doubles a size, PyTorch computes with the given scale.
"""

import itertools

import numpy as np
import pytest

from tests.oracle import both

SIZES = {1: (5,), 2: (5, 7), 3: (5, 7, 4)}
MODES = [
    ("nearest", 1),
    ("nearest", 2),
    ("nearest", 3),
    ("nearest-exact", 2),
    ("linear", 1),
    ("bilinear", 2),
    ("bicubic", 2),
    ("trilinear", 3),
]
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


BYTES = list(itertools.product(("bilinear", "bicubic"), (False, True), (False, True), (1, 3, 5), ((9, 7), (16, 40))))


@pytest.mark.parametrize("mode, antialias, align_corners, channels, size", BYTES)
def test_bytes(mode, antialias, align_corners, channels, size):
    x = np.random.default_rng(0).integers(0, 256, (2, channels, *size), dtype=np.uint8)

    def resized(torch, given, format):
        t = torch.from_numpy(x.copy()).contiguous(memory_format=getattr(torch, format))
        return torch.nn.functional.interpolate(t, mode=mode, antialias=antialias, align_corners=align_corners, **given)

    for given in ({"size": (4, 5)}, {"size": (33, 9)}, {"size": size}, {"scale_factor": 1.7}, {"scale_factor": 0.5}):
        both(lambda torch, given=given: resized(torch, given, "contiguous_format"))
        both(lambda torch, given=given: resized(torch, given, "channels_last"))


MODES = {
    3: ("nearest", "nearest-exact", "linear"),
    4: ("nearest", "nearest-exact", "bilinear", "bicubic"),
    5: ("nearest", "nearest-exact", "trilinear"),
}
DTYPES = ["uint8", "int8", "int32", "int64", "bool", "complex64", "uint16", "float8_e4m3fn", "float16"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dims, mode", [(dims, mode) for dims, modes in MODES.items() for mode in modes])
def test_dtypes_that_have_a_kernel(dims, mode, dtype):
    def resized(torch):
        x = torch.ones((1, 2, 5, 4, 3)[:dims]).to(getattr(torch, dtype))
        return torch.nn.functional.interpolate(x, scale_factor=1.7, mode=mode)

    both(resized)


@pytest.mark.parametrize("dtype", ["int32", "bool", "uint8"])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_antialiasing_of_dtypes(mode, dtype):
    def resized(torch, size):
        x = torch.arange(40).reshape(1, 2, 5, 4).to(getattr(torch, dtype))
        return torch.nn.functional.interpolate(x, size=size, mode=mode, antialias=True)

    both(lambda torch: resized(torch, (5, 4)))
    both(lambda torch: resized(torch, (5, 6)))
