"""Operators that PyTorch composes of several others, with half-precision rounding after each.

The results from NumPy and from XLA must be bitwise equal to PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchlike
from tests.oracle import to_ours, to_theirs

COMPOSED: dict[str, Callable[..., Any]] = {
    "tanhshrink": lambda F, x, y: F.tanhshrink(x),
    "hinge_embedding_loss": lambda F, x, y: F.hinge_embedding_loss(x, y.sign(), margin=8.3961, reduction="none"),
    "poisson_nll_loss": lambda F, x, y: F.poisson_nll_loss(x, y.abs(), full=True, reduction="none"),
    "binary_cross_entropy_with_logits": lambda F, x, y: F.binary_cross_entropy_with_logits(
        x, y, y.abs(), reduction="none", pos_weight=y + 4
    ),
    "multilabel_soft_margin_loss": lambda F, x, y: F.multilabel_soft_margin_loss(x, y, y.abs(), reduction="none"),
    "cosine_similarity": lambda F, x, y: F.cosine_similarity(x, y),
    "batch_norm": lambda F, x, y: F.batch_norm(x, None, None, y[0], y[1], training=True),
    "instance_norm": lambda F, x, y: F.instance_norm(x.reshape(8, 5, 10)),
    "interpolate linear": lambda F, x, y: F.interpolate(x[None], 33, mode="linear"),
    "interpolate bicubic": lambda F, x, y: F.interpolate(x[None, None], (9, 33), mode="bicubic"),
    "conv1d": lambda F, x, y: F.conv1d(x[None], y[:, :24].reshape(8, 8, 3), y[0, :8]),
    "conv_transpose1d": lambda F, x, y: F.conv_transpose1d(x[None], y[:, :24].reshape(8, 8, 3), y[0, :8]),
    "grid_sample bilinear reflection": lambda F, x, y: F.grid_sample(
        x.reshape(2, 4, 5, 10), y.reshape(2, 5, 20, 2), "bilinear", "reflection", align_corners=False
    ),
    "grid_sample bicubic zeros": lambda F, x, y: F.grid_sample(
        x.reshape(2, 4, 5, 10), y.reshape(2, 5, 20, 2), "bicubic", "zeros", align_corners=True
    ),
    "grid_sample in space": lambda F, x, y: F.grid_sample(
        x.reshape(1, 4, 5, 4, 5), y[:, :48].reshape(1, 8, 4, 4, 3), "bilinear", "border", align_corners=False
    ),
    "nll_loss": lambda F, x, y: F.nll_loss(x.reshape(100, 4), (y.reshape(100, 4) > 0).long().sum(1) % 4),
    "cross_entropy": lambda F, x, y: F.cross_entropy(x.reshape(100, 4), (y.reshape(100, 4) > 0).long().sum(1) % 4),
    "log_softmax": lambda F, x, y: F.log_softmax(4 * x, -1),
    "embedding": lambda F, x, y: F.embedding((y > 0).long() + 1, x.clone(), max_norm=1.0),
    "div": lambda F, x, y: x.div(y / 16, rounding_mode="trunc"),
    "adaptive_avg_pool3d": lambda F, x, y: F.adaptive_avg_pool3d(x.reshape(1, 5, 8, 10), (2, 3, 4)),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("name", COMPOSED)
def test_every_step_is_rounded(name: str, executor: str):
    x, y = torch.randn(2, 8, 50, generator=torch.Generator().manual_seed(3)).bfloat16()
    if name == "conv_transpose1d" and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        # torchlike rounds once, as PyTorch does on processors with bfloat16 instructions. On other processors PyTorch
        # adds partial sums in bfloat16.
        due = COMPOSED[name](torch.nn.functional, x.float(), y.float()).bfloat16()
    else:
        due = COMPOSED[name](torch.nn.functional, x, y)
    with torchlike.set_executor(executor):
        found = to_theirs(COMPOSED[name](torchlike.nn.functional, to_ours(x), to_ours(y)))
    assert torch.equal(found, due)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_a_subnormal_step_of_float16_is_kept(executor: str):
    x = torch.tensor([3.1e-6, 6e-8, 2e-5, 1e-3], dtype=torch.float16)
    due = torch.nn.functional.poisson_nll_loss(x, 1 + 0 * x, log_input=False, eps=0.0, reduction="none")
    with torchlike.set_executor(executor):
        ours = to_ours(x)
        found = torchlike.nn.functional.poisson_nll_loss(ours, 1 + 0 * ours, log_input=False, eps=0.0, reduction="none")
        assert torch.equal(to_theirs(found), due)
