"""Zeros have PyTorch's signs, because `-0.` is printed differently from `0.`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import torchlike
from tests.ops.row import JUDGED, function
from tests.ops.sample import arguments
from tests.ops.test_rows import good, tensors

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

_SUMS = "terms that cancel are added in another order"
DIFFERENT = {
    "nn.functional.gelu": "PyTorch's AVX2 and AVX-512 codes give zeros different signs",
    "nn.functional.softshrink": "in PyTorch, the sign depends on whether the element is in a whole vector register",
    **dict.fromkeys(("fft.ifft", "fft.ihfft2", "fft.ihfftn", "stft", "gradient"), _SUMS),
}


def parts(tensor: Any) -> list[np.ndarray]:
    """Return the real numbers of a dense floating-point tensor, or of a complex tensor."""
    if tensor.is_sparse or tensor.layout not in (torch.strided, torchlike.strided) or tensor.is_meta:
        return []
    if tensor.is_complex():
        array = tensor.detach().resolve_conj().resolve_neg().numpy()
        return [array.real, array.imag]
    return [tensor.detach().double().numpy()] if tensor.is_floating_point() else []


@pytest.mark.one_in(3)
@pytest.mark.parametrize("key", [key for key in JUDGED if key not in DIFFERENT])
def test_signs_of_zeros(key):
    for sample in good(key):
        results = []
        for library in (torchlike, torch):
            args, kwargs = arguments(library, sample)
            found = tensors(function(library, key)(*args, **kwargs))
            results.append([part for tensor in found for part in parts(tensor)])
        for ours, theirs in zip(*results):
            zeros = (ours == 0) & (theirs == 0)
            np.testing.assert_array_equal(np.signbit(ours[zeros]), np.signbit(theirs[zeros]), str(sample))


def _of_one_sample(library: Any) -> list[Any]:
    """Return the gradient of a layer for one sample whose first unit is off, and the product of a column and a row."""
    x, column = library.tensor([[1.0, -2.0]]), library.tensor([[0.0], [-0.0], [3.0]])
    w = library.tensor([[1.0, 1.0], [3.0, 1.0]], requires_grad=True)
    library.nn.functional.linear(x, w).relu().sum().backward()
    return [w.grad, column @ x]


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_signs_of_zeros_in_outer_products(executor):
    theirs = _of_one_sample(torch)
    with torchlike.set_executor(executor):
        ours = [tensor.numpy() for tensor in _of_one_sample(torchlike)]
    for a, b in zip(ours, theirs):
        np.testing.assert_array_equal(np.copysign(1, a), np.copysign(1, b.numpy()))
