"""Searches, orders and signs of zeros among NaN and infinity."""

from __future__ import annotations

import pytest

import torchlike
from tests.oracle import both

NAN, INF = float("nan"), float("inf")
VALUES = [NAN, INF, -INF, 0.0, -0.0, 1.0, 2.0, NAN]
SEQUENCES = [[-INF, 0.0, 1.0, INF], [0.0, 1.0, NAN], [0.0, 1.0, NAN, NAN], [-0.0, 0.0, 0.0, 1.0], [NAN, NAN], [3.0]]


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_searches(dtype, executor):
    def run(torch):
        values = torch.tensor(VALUES, dtype=getattr(torch, dtype))
        found = []
        for numbers in SEQUENCES:
            sequence = torch.tensor(numbers, dtype=getattr(torch, dtype))
            for right in (False, True):
                found.append(torch.searchsorted(sequence, values, right=right))
                found.append(torch.bucketize(values, sequence, right=right, out_int32=True))
        rows = torch.tensor([[0.0, 1.0, NAN], [1.0, NAN, NAN]], dtype=getattr(torch, dtype))
        empty = values[:0]
        return [*found, torch.searchsorted(rows, values.reshape(2, 4)), torch.searchsorted(empty, values), empty]

    with torchlike.set_executor(executor):
        both(run)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_zeros_of_sums_and_products(executor):
    def run(torch):
        zeros = torch.tensor([-0.0, -0.0, 0.0, 2.0])
        numbers = torch.tensor([0.5, 2.0, 0.0, -INF])
        found = [torch.cumsum(zeros, 0), torch.cumsum(zeros.to(torch.complex64), 0).real]
        found += [torch.xlogy(zeros, numbers), torch.special.xlog1py(zeros, numbers)]
        return [(x, torch.signbit(x)) for x in found]

    with torchlike.set_executor(executor):
        both(run)
