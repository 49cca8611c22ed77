"""Writes to tensors that operators save for backward, or do not save: a sum saves a shape, a product its factors."""

import pytest
import torch

import torchlike
from tests.ops.row import JUDGED, SAMPLES, function
from tests.ops.sample import Fails, arguments
from tests.ops.test_rows import attempt, tensors

# PyTorch saves more than the gradient needs: an input for its shape, the result if the gradient of the other factor is
# requested, or values between operators that are one operator here. Such writes are not detected, and the gradient is
# right.
UNSEEN = (
    "combinations",
    "complex",
    "cummax",
    "cummin",
    "fft.fft",
    "fft.ifft",
    "fft.ihfft",
    "fft.ihfft2",
    "fft.ihfftn",
    "fft.rfft",
    "fft.rfft2",
    "fft.rfftn",
    "gather",
    "linalg.lu",
    "linalg.lu_solve",
    "lu_solve",
    "masked_select",
    "nn.functional.adaptive_avg_pool1d",
    "nn.functional.adaptive_avg_pool2d",
    "nn.functional.adaptive_avg_pool3d",
    "nn.functional.avg_pool1d",
    "nn.functional.avg_pool2d",
    "nn.functional.avg_pool3d",
    "nn.functional.layer_norm",
    "nn.functional.nll_loss",
    "nn.functional.pairwise_distance",
    "nn.functional.scaled_dot_product_attention",
    "put",
    "take",
    "take_along_dim",
    "triangular_solve",
)


def backward(library, key, sample, target):
    """Run an operator, write to one of its inputs or outputs, and run the backward pass."""
    leaves, given = [], []

    def made(t):
        if t.is_floating_point() or t.is_complex():
            leaves.append(t.detach().requires_grad_())
            t = leaves[-1].clone()
        given.append(t)
        return t

    args, kwargs = arguments(library, sample, made)
    library.manual_seed(0)
    results = tensors(function(library, key)(*args, **kwargs))
    roots = [r for r in results if r.requires_grad]
    written = [*given, *results][target]
    with library.no_grad():
        written.copy_(written.clone())
    library.autograd.grad(roots, leaves, [library.ones_like(r) for r in roots], allow_unused=True)


def targets(key, sample):
    """Return the indices of the inputs and outputs, or no indices if there is no gradient."""
    count = []
    args, kwargs = arguments(torch, sample, lambda t: count.append(t) or _leaf(t))
    results = tensors(function(torch, key)(*args, **kwargs))
    return range(len(count) + len(results) if any(r.requires_grad for r in results) else 0)


def _leaf(t):
    return t.requires_grad_() if t.is_floating_point() or t.is_complex() else t


def is_refused(error):
    return error is not None and "modified by an inplace operation" in str(error)


@pytest.mark.one_in(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", JUDGED)
def test_writes_between_forward_and_backward(key):
    unseen = []
    for sample in [s for s in SAMPLES[key] if not isinstance(s, Fails) and s.gradient][:2]:
        for target in targets(key, sample):
            _, due = attempt(lambda: backward(torch, key, sample, target))  # noqa: B023
            _, got = attempt(lambda: backward(torchlike, key, sample, target))  # noqa: B023
            if is_refused(due) and got is None:
                unseen.append((sample, target))
            elif due is None or is_refused(due):
                assert is_refused(got) == is_refused(due), f"{sample}, tensor {target}: {got}"
    assert bool(unseen) == (key in UNSEEN), unseen
