"""Integers at the limits of their dtypes."""

from __future__ import annotations

import pytest

import torchlike
from tests.oracle import both


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8"])
def test_powers(dtype, executor):
    def run(torch):
        kind = getattr(torch, dtype)
        low, high = torch.iinfo(kind).min, torch.iinfo(kind).max
        bases = torch.tensor([low, low + 1, 3, 0, 1, 2, 5, high - 1, high], dtype=kind)
        exponents = torch.tensor([0, 1, 2, 5, 63, 64, 65, 127, high], dtype=kind)
        found = [bases**n for n in (2, 3, 5, 63, 64, 65, 100)]
        return [*found, bases[:, None] ** exponents, torch.pow(3, exponents)]

    with torchlike.set_executor(executor):
        both(run)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8"])
def test_shifts_and_overflow(dtype, executor):
    def run(torch):
        kind = getattr(torch, dtype)
        low, high = torch.iinfo(kind).min, torch.iinfo(kind).max
        x = torch.tensor([low, low + 1, 1, 7, high - 1, high], dtype=kind)
        shifts = [(x << k, x >> k) for k in (-1, 0, 1, 7, 8, 31, 32, 63, 64, 100)]
        return shifts, -x, x.abs(), x + x, x * 3, x.sum(dtype=kind), x.cumsum(0, dtype=kind), x.half(), x.bool()

    with torchlike.set_executor(executor):
        both(run)


@pytest.mark.parametrize("dtype", ["float16", "int8", "int32", "int64"])
@pytest.mark.parametrize("end", [100, 70_000, 1e38])
def test_linspace_out_of_range(end, dtype):
    both(lambda torch: torch.linspace(0, end, 3, dtype=getattr(torch, dtype)))


OUTSIDE = [0.5, -1.9, 127.5, 255.0, -129.0, 300.0, 65536.0, 2.0**31, -(2.0**31) - 1, 2.0**32 + 5, -(2.0**32) - 5, 3e9]
OUTSIDE += [9e18, 2.0**63, -(2.0**63), 1.8e19, 2.0**64, 1e30, -1e30, float("inf"), -float("inf"), float("nan")]
KINDS = ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint64", "bool"]  # uint32 depends on the position


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("source", ["float64", "float32", "float16", "bfloat16"])
def test_floats_out_of_range(source, executor):
    def run(torch):
        x = torch.tensor(OUTSIDE, dtype=torch.float64).to(getattr(torch, source))
        kinds = [getattr(torch, kind) for kind in KINDS]
        cast = [(x.to(k), x[::3].type(k), torch.zeros(x.shape, dtype=k).copy_(x), x[8].to(k)) for k in kinds]
        signed = [k for k in kinds if k not in (torch.uint16, torch.uint64)]
        sums = [(x[None].sum(0, dtype=k), x[None].prod(0, dtype=k), x[None].cumsum(0, dtype=k)) for k in signed]
        return cast, sums

    with torchlike.set_executor(executor):
        both(run)
