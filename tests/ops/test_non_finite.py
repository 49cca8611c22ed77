"""NaN and infinity: they are in the results where PyTorch's are, and in no other element."""

from __future__ import annotations

import copy
import zlib
from typing import Any

import numpy as np
import pytest
import torch

import torchlike
from tests.ops.row import JUDGED, function
from tests.ops.sample import Sample, arguments
from tests.ops.test_rows import attempt, good, tensors
from tests.ops.test_signed_zeros import parts
from tests.oracle import both

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")

_LAPACK = "LAPACK leaves the results undefined, and its implementations differ"
_WEIGHTS = "padding times a weight that is not finite gives NaN; PyTorch skips the padding"
_OVERFLOW = "both results are not finite; the sums are taken in another order"
DIFFERENT = {
    **dict.fromkeys(("cholesky_inverse", "det", "geqrf", "linalg.cholesky_ex", "linalg.cond", "linalg.det"), _LAPACK),
    **dict.fromkeys(("linalg.householder_product", "linalg.inv_ex", "linalg.lstsq", "linalg.lu"), _LAPACK),
    **dict.fromkeys(("linalg.lu_factor", "linalg.lu_factor_ex", "linalg.norm", "linalg.pinv", "linalg.qr"), _LAPACK),
    **dict.fromkeys(("linalg.slogdet", "linalg.solve", "linalg.svd", "linalg.svdvals", "lu", "ormqr", "qr"), _LAPACK),
    **dict.fromkeys((f"nn.functional.conv{d}d" for d in (1, 2, 3)), _WEIGHTS),
    **dict.fromkeys(("grouped_mm", "nn.functional.conv_transpose2d"), _WEIGHTS),
    **dict.fromkeys(("fft.fft2", "fft.fftn", "fft.rfftn", "istft", "linalg.matrix_power"), _OVERFLOW),
    **dict.fromkeys(("nn.functional.batch_norm", "nn.functional.group_norm", "std_mean", "var_mean"), _OVERFLOW),
    **dict.fromkeys(("nn.functional.ctc_loss", "nn.functional.multi_margin_loss"), _OVERFLOW),
    "nn.functional.embedding_bag": "PyTorch's maximum ignores NaN",
    "nn.functional.gelu": "PyTorch's AVX2 and AVX-512 codes give NaN for infinity",
    "nn.functional.scaled_dot_product_attention": "PyTorch's blockwise code gives 0 for scores of NaN",
    **dict.fromkeys(
        ("special.laguerre_polynomial_l", "special.legendre_polynomial_p"), "PyTorch's shortcuts at 1 and -1"
    ),
    "special.shifted_chebyshev_polynomial_u": "PyTorch uses trigonometric functions between 0 and 1",
    "special.shifted_chebyshev_polynomial_w": "PyTorch uses trigonometric functions between 0 and 1",
    "special.zeta": "PyTorch gives NaN for an infinite second argument",
}


def wild(sample: Sample, key: str, number: int) -> Sample:
    """Return the sample with NaN, inf or -inf in place of some of its floating-point numbers."""
    rng = np.random.default_rng(zlib.crc32(f"{key} {number}".encode()))

    def changed(x: Any) -> Any:
        if isinstance(x, np.ndarray) and x.dtype in (np.float32, np.float64):
            found = x.copy(order="K")
            places = rng.random(x.shape) < 0.2
            found[places] = rng.choice([np.nan, np.inf, -np.inf], int(places.sum()))
            return found
        return [changed(e) for e in x] if isinstance(x, list) else x

    found = copy.copy(sample)
    found.args = tuple(changed(x) for x in sample.args)
    found.kwargs = {name: changed(x) for name, x in sample.kwargs.items()}
    return found


@pytest.mark.parametrize("key", [key for key in JUDGED if key not in DIFFERENT])
def test_non_finite_elements(key):
    for number, sample in enumerate(good(key)):
        results = []
        for library in (torch, torchlike):
            args, kwargs = arguments(library, wild(sample, key, number))
            found, error = attempt(
                lambda library=library, args=args, kwargs=kwargs: function(library, key)(*args, **kwargs)
            )
            results.append(None if error is not None else [p for t in tensors(found) for p in parts(t)])
        if results[0] is None:
            continue
        assert results[1] is not None, sample
        for theirs, ours in zip(*results):
            for kind in (np.isnan, np.isposinf, np.isneginf):
                np.testing.assert_array_equal(kind(ours), kind(theirs), f"{kind.__name__} {sample}")


def test_the_table_does_not_grow():
    assert len(DIFFERENT) == 46  # lower it with every removed name


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize(
    "loss",
    [
        lambda F, x, y, t: F.hinge_embedding_loss(x, t, reduction="none"),
        lambda F, x, y, t: F.margin_ranking_loss(x, y, t, margin=0.5, reduction="none"),
        lambda F, x, y, t: F.cosine_embedding_loss(x[:, None], y[:, None], t, reduction="none"),
        lambda F, x, y, t: F.triplet_margin_loss(x[:, None], y[:, None], t[:, None], reduction="none"),
        lambda F, x, y, t: F.triplet_margin_with_distance_loss(x[:, None], y[:, None], t[:, None], reduction="none"),
    ],
)
def test_losses_do_not_hide_nan(loss, executor):
    def program(torch):
        x = torch.tensor([NAN, 1.0, INF, 0.3, -INF], requires_grad=True)
        y, t = torch.tensor([1.0, NAN, 2.0, 0.7, 1.0]), torch.tensor([1.0, -1.0, -1.0, 1.0, 1.0])
        found = loss(torch.nn.functional, x, y, t)
        return found, torch.autograd.grad(found[3], x)[0][3]

    with torchlike.set_executor(executor):
        both(program)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize(
    "layer",
    [
        lambda F, x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda F, x: F.interpolate(x, size=(9, 4), mode="bilinear", align_corners=True),
        lambda F, x: F.adaptive_avg_pool2d(x, (3, 4)),
        lambda F, x: F.conv_transpose2d(x, x.new_ones(1, 2, 3, 3), stride=2),
        lambda F, x: F.conv_transpose2d(x, x.new_ones(1, 2, 2, 2), stride=3, dilation=2),
    ],
)
def test_nan_reaches_its_neighbours_only(layer, executor):
    def program(torch):
        x = torch.arange(35.0).reshape(1, 1, 7, 5)
        x[0, 0, 2, 1], x[0, 0, 5, 2] = NAN, INF
        x.requires_grad_()
        found = layer(torch.nn.functional, x)
        return found, torch.autograd.grad(found.sum(), x)

    with torchlike.set_executor(executor):
        both(program)


def test_embedding_with_frequencies_keeps_infinity():
    def program(torch):
        table = torch.tensor([[1.0, INF], [NAN, -0.0]], requires_grad=True)
        found = torch.nn.functional.embedding(torch.tensor([0, 1, 0]), table, scale_grad_by_freq=True)
        return found, torch.autograd.grad(found.sum(), table)

    both(program)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_gradients_of_a_floored_quotient_are_zero(executor):
    def program(torch):
        numbers = torch.tensor([0.0, 1.0, -2.5, INF, NAN])
        a, b = numbers[:, None].clone().requires_grad_(), numbers.clone().requires_grad_()
        found = torch.div(a, b, rounding_mode="floor")
        return found, torch.autograd.grad(found.nansum(), (a, b))

    with torchlike.set_executor(executor):
        both(program)
