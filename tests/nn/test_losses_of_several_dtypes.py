"""Losses of an input and a target of different dtypes: PyTorch computes some in place, in the dtype of one of them."""

import pytest

from tests.oracle import both

LOSSES = ["huber_loss", "soft_margin_loss", "binary_cross_entropy_with_logits", "smooth_l1_loss", "mse_loss", "l1_loss"]
DTYPES = ["float16", "bfloat16", "float32", "float64", "int64", "bool"]


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("reduction", ["mean", "none"])
@pytest.mark.parametrize("dtype", DTYPES[:5])
@pytest.mark.parametrize("other", DTYPES)
def test_dtype_of_the_result(name, reduction, dtype, other):
    def run(torch):
        x = torch.tensor([0.5, 1.0, 2.0]).to(getattr(torch, dtype))
        target = torch.tensor([0.0, 1.0, 1.0]).to(getattr(torch, other))
        try:
            return getattr(torch.nn.functional, name)(x, target, reduction=reduction)
        except (RuntimeError, NotImplementedError) as error:
            return type(error)

    both(run, rtol=0.01, atol=0.01)
