"""Tests of the comparison itself: it must fail when results differ."""

import pytest
import torch

import torchlike
from tests.oracle import assert_same, both, to_ours, to_theirs

DTYPES = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"]
COMPLEX = ["complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES + COMPLEX)
def test_values_travel_both_ways(dtype):
    theirs = torch.tensor([[0, 1, 2], [3, 100, 1]]).to(getattr(torch, dtype))
    ours = to_ours(theirs)
    assert_same(ours, theirs)
    assert torch.equal(to_theirs(ours), theirs)


def test_special_values_travel():
    theirs = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0, 1e-45])
    assert_same(to_ours(theirs), theirs)
    assert torch.equal(torch.signbit(to_theirs(to_ours(theirs))), torch.signbit(theirs))


def test_requires_grad_travels():
    assert to_ours(torch.ones(2, requires_grad=True)).requires_grad


DIFFERENT = [
    ("value", lambda lib: lib.ones(2) + (lib is torch) * 1e-4),
    ("dtype", lambda lib: lib.ones(2, dtype=lib.float32 if lib is torch else lib.float64)),
    ("shape", lambda lib: lib.ones(2, 1 + (lib is torch))),
    ("stride", lambda lib: lib.ones(2, 3).t() if lib is torch else lib.ones(3, 2)),
    ("requires_grad", lambda lib: lib.ones(2, requires_grad=lib is torch)),
    ("kind", lambda lib: lib.ones(1) if lib is torch else 1.0),
    ("number", lambda lib: 1 if lib is torch else 1.0),
    ("length", lambda lib: [1] * (1 + (lib is torch))),
    ("key", lambda lib: {lib is torch: 1}),
    ("item", lambda lib: {"a": (1, lib.ones(1) * (2 if lib is torch else 3))}),
    ("error", lambda lib: 1 // 0 if lib is torch else 1),
    ("sentence", lambda lib: int("a" if lib is torch else "b")),
]


@pytest.mark.parametrize("program", [pytest.param(program, id=name) for name, program in DIFFERENT])
def test_a_difference_is_seen(program):
    with pytest.raises(AssertionError):
        both(program)


def test_an_error_of_ours_alone_is_shown_as_it_is():
    with pytest.raises(ZeroDivisionError):
        both(lambda lib: 1 // (lib is torch))


def test_equal_results_pass():
    both(lambda lib: {"a": (lib.arange(6).view(2, 3), [lib.float32, lib.Size([1])], None, float("nan"))})
    both(lambda lib: lib.max(lib.eye(3), 0))
    assert torchlike.arange(3).tolist() == [0, 1, 2]
