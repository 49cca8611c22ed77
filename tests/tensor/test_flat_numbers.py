"""`torch.tensor` of lists of numbers, which C code writes to arrays if it is there, and batches of small rows."""

import random
from functools import partial

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import both
from torchlike import _native

NATIVE = _native.numbers
NUMBERS = {
    "float": [0.0, -0.0, 1.5, 1e39, -1e39, 1e-46, float("inf"), float("nan"), 3.4028235677973366e38, 1e300],
    "int": [0, -1, 7, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64, 10**400],
    "bool": [True, False],
    "complex": [1j, 2 - 3j],
}
DTYPES = [None, "float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64"]


def lists(seed: int) -> list:
    """Return lists and tuples of numbers: mostly of one class, and some mixed or nested."""
    rng = random.Random(seed)
    made = []
    for _ in range(40):
        kinds = rng.choice([["float"], ["int"], ["bool"], ["float", "int"], ["int", "bool"], [*NUMBERS]])
        flat = [rng.choice(NUMBERS[rng.choice(kinds)]) for _ in range(rng.randint(1, 4))]
        made.append(rng.choice([list, tuple, lambda flat: [flat, flat], lambda flat: flat[0]])(flat))
    return made


def described(data, dtype: str | None, L) -> tuple:
    """Return everything about a tensor that does not depend on the library."""
    made = L.tensor(data, dtype=dtype and getattr(L, dtype))
    return repr(made.tolist()), tuple(made.shape), str(made.dtype)


@pytest.fixture(params=["C", "NumPy"], autouse=True)
def written(request, monkeypatch):
    """Run a test with the compiled code and without."""
    if request.param == "NumPy":
        monkeypatch.setattr(_native, "numbers", None)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("seed", range(3))
def test_lists_give_the_tensors_and_errors_of_pytorch(seed, dtype):
    for data in lists(seed):
        both(partial(described, data, dtype))


@pytest.mark.parametrize("default", ["float64", "float16"])
def test_floats_have_the_default_dtype(default):
    for L in (torch, torchlike):
        before = L.get_default_dtype()
        L.set_default_dtype(getattr(L, default))
        try:
            assert L.tensor([0.1, 2.0]).dtype is getattr(L, default)
            assert L.tensor([1, 2]).dtype is L.int64
        finally:
            L.set_default_dtype(before)


def test_numbers_of_subclasses_are_read_like_their_class():
    class Whole(int):
        pass

    for L in (torch, torchlike):
        assert L.tensor([Whole(3), 4]).tolist() == [3, 4]
        assert L.tensor([np.float64(0.5), 1.5]).tolist() == [0.5, 1.5]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int64", "bool", "complex64", "uint8"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (1, 5), (400, 100)])
def test_rows_of_a_batch_are_stacked(shape, dtype):
    ends = []
    for L in (torch, torchlike):
        rows = [(L.arange(int(np.prod(shape))).reshape(shape) + i).to(getattr(L, dtype)) for i in range(5)]
        made = L.utils.data.default_collate(rows)
        ends.append((tuple(made.shape), str(made.dtype), made.to(L.complex64).tolist()))
    assert ends[0] == ends[1]


def test_arrays_that_are_not_contiguous_are_stacked():
    arrays = [np.arange(12.0).reshape(3, 4).T + i for i in range(3)]
    ends = [L.utils.data.default_collate(arrays).tolist() for L in (torch, torchlike)]
    assert ends[0] == ends[1]


def test_the_copies_refuse_arrays_of_a_wrong_size():
    if NATIVE is None:
        return  # tests/ops/test_native.py checks that it is there wherever a compiler is
    out = np.zeros(4, np.float32)
    assert not NATIVE.fill(out, [1.0, 2.0])
    with pytest.raises(ValueError, match="smaller"):
        NATIVE.stack(out, [np.ones(2, np.float32)])
    with pytest.raises(ValueError, match="larger"):
        NATIVE.stack(out, [np.ones(8, np.float32)])
    with pytest.raises((ValueError, BufferError)):
        NATIVE.stack(out, [np.ones((4, 2), np.float32)[:, 0]])
