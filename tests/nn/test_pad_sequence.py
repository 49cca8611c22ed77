"""`pad_sequence` for all dtypes and kinds of padding values. Plain CPU tensors are assembled at once."""

import itertools

import pytest
import torch

import torchlike

DTYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int8", "uint8", "bool", "complex64"]
VALUES = [0, 0.0, -100, 1.5, 300, float("inf"), float("nan"), -1, True, 1e300, 2**40]


def padded(L, dtype, value, batch_first, side, requires_grad=False):
    rows = [(L.arange(2 * n).reshape(n, 2) % 5).to(getattr(L, dtype)) for n in (3, 1, 0, 4)]
    rows[0].requires_grad_(requires_grad)
    try:
        made = L.nn.utils.rnn.pad_sequence(rows, batch_first, value, side)
    except Exception as error:
        return type(error).__name__, str(error)
    return str(made.dtype), tuple(made.shape), made.stride(), str(made.tolist()), made.requires_grad


@pytest.mark.parametrize("dtype", DTYPES)
def test_values(dtype):
    for given in itertools.product(VALUES, (True, False), ("right", "left")):
        assert padded(torchlike, dtype, *given) == padded(torch, dtype, *given), given


def test_gradients_reach_the_rows():
    assert padded(torchlike, "float32", 0.0, True, "right", True) == padded(torch, "float32", 0.0, True, "right", True)
    for L in (torchlike, torch):
        rows = [L.ones(2, requires_grad=True), L.ones(3)]
        (L.nn.utils.rnn.pad_sequence(rows) * L.arange(6.0).reshape(3, 2)).sum().backward()
        assert rows[0].grad.tolist() == [0.0, 2.0]


def test_rows_of_a_compiled_function():
    function = torchlike.compile(lambda x, y: torchlike.nn.utils.rnn.pad_sequence([x, y], batch_first=True) + 1)
    for n in range(3):
        assert function(torchlike.ones(2) * n, torchlike.ones(3)).tolist() == [[n + 1, n + 1, 1], [2, 2, 2]]
