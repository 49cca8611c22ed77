"""A few operators' first, second and third derivatives by `gradcheck`; `derivatives.py` checks all of them."""

import pytest

from tests.autograd.derivatives import check

QUICK = ["mul", "exp", "matmul", "softmax", "sum", "cat", "nn.functional.gelu", "nn.functional.layer_norm"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("key", QUICK)
def test_derivatives(key, order):
    assert check(key, order) == []
