"""Operators with special NumPy algorithms for large arrays, which are not compiled even if they are repeated."""

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import assert_same

N = 1 << 17
rng = np.random.default_rng(0)
FLOATS = rng.normal(0, 3, N).astype(np.float32)
TIES = np.round(FLOATS)  # includes zeros of both signs
HOLES = np.where(rng.random(N) < 0.01, np.float32(np.nan), TIES)
ENDLESS = np.where(rng.random(N) < 0.001, np.float32(-np.inf), FLOATS)
FEW = rng.integers(-4, 4, N)
MANY = rng.integers(-(10**9), 10**9, N)
WIDE = rng.integers(-(2**62), 2**62, N)
NUMBERS = {
    "floats": FLOATS,
    "ties": TIES,
    "holes": HOLES,
    "endless": ENDLESS,
    "few": FEW,
    "many": MANY,
    "wide": WIDE,
    "small": FEW.astype(np.int32),
}
ORDERED = {
    "sort": lambda x: tuple(x.sort(stable=True)),
    "sort descending": lambda x: tuple(x.sort(descending=True, stable=True)),
    "median": lambda x: x.median(),
    "nanmedian": lambda x: x.nanmedian(),
    "kthvalue": lambda x: x.kthvalue(1234).values,
    "topk": lambda x: x.topk(20).values,
    "smallest": lambda x: x.topk(20, largest=False).values,
    "cummax": lambda x: tuple(x.cummax(0)),
    "cummin": lambda x: tuple(x.view(2, -1).cummin(1)),
    "mode": lambda x: x.mode().values,
    "unique": lambda x: x[:1000].unique(),
    "count_nonzero": lambda x: x.view(2, -1).count_nonzero(1),
}
OF_FLOATS = {
    "nansum": lambda x: x.nansum(),
    "prod": lambda x: (x.sign() * (1 + (x > 12.5))).prod(),
    "prod of rows": lambda x: (1 + x.view(64, -1) / 1e6).prod(1),
    "norm": lambda x: x.norm(),
    "norm of rows": lambda x: x.view(64, -1).norm(dim=1, keepdim=True),
    "trace": lambda x: x.view(512, -1).trace(),
    "remainder": lambda x: x % 0.3,
    "fmod": lambda x: x.fmod(-0.3),
    "floor_divide": lambda x: x // 0.3,
    "remainder of ties": lambda x: (x.round() * 0.3) % 0.3,
    "remainder of two": lambda x: x % (x.roll(1) + 0.01),
    "fmod far off": lambda x: (x * 1e12).fmod(0.7),
}


def compare(program, array, **tolerances):
    ours, theirs = (program(library.tensor(array)) for library in (torchlike, torch))
    assert_same(ours, theirs, stride=False, **tolerances)


@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("name", ORDERED)
def test_order(name, numbers):
    if (name, numbers) == ("mode", "holes"):
        return  # PyTorch's comparison does not order NaN
    compare(ORDERED[name], NUMBERS[numbers])


@pytest.mark.parametrize("name", OF_FLOATS)
def test_of_floats(name):
    compare(OF_FLOATS[name], FLOATS)


def test_a_sum_of_many_numbers_is_as_exact_as_pytorchs():
    array = rng.random(10**7, dtype=np.float32)
    exact = np.sqrt(np.square(array, dtype=np.float64).sum())
    ours, theirs = (abs(float(library.tensor(array).norm()) - exact) for library in (torchlike, torch))
    assert ours <= max(theirs, 1e-6 * exact)


def runs(program) -> torchlike.explain:
    x = torchlike.rand(1 << 21)
    with torchlike.explain() as report:
        for _ in range(40):
            program(x).numpy()
    return report


def test_work_that_numpy_does_best_is_never_compiled():
    assert sum(p.compiles for p in runs(lambda x: x.median()).programs) == 0


def test_where_it_is_the_smaller_part_the_program_is_compiled():
    report = runs(lambda x: (x.exp().sin().mul(2).add(1).cos().exp().sin() * x.tan()).sum())
    assert sum(p.compiles for p in report.programs) == 1
