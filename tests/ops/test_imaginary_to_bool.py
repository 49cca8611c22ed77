"""Complex numbers without a real part are nonzero: they become True in every conversion to bool."""

import numpy as np
import pytest

import torchlike
from tests.oracle import both

CALLS = """
c.bool()
c.to(L.bool)
c.type(L.bool)
c.to(L.complex128).bool()
c[::2].bool()
c.conj().bool()
(c * 1).bool()
b.copy_(c)
b.index_put_((L.arange(4),), c.bool())
b.fill_(1j)
b.masked_fill(~b, 1j)
b.scatter_(0, L.tensor([0]), 1j)
L.as_tensor(np.array([1j, 0]), dtype=L.bool)
L.tensor([1j, 0j], dtype=L.bool)
L.full((2,), 1j, dtype=L.bool)
L.ones(4)[c.bool()]
L.logical_not(c, out=b)
c.any()
c.nonzero()
b.index_fill_(0, L.tensor([0]), 1j)
L.zeros(2).index_fill(0, L.tensor([0]), 1j)
""".strip().splitlines()
WRITES = ["0", "[0]", "...", "slice(1, 3)", "~b"]


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("call", CALLS)
def test_imaginary_numbers_are_true(executor, call):
    def program(L):
        c, b = L.tensor([1j, 2, 0, 1 + 1j]), L.zeros(4, dtype=L.bool)
        return eval(call, {"L": L, "c": c, "b": b, "np": np})

    with torchlike.set_executor(executor):
        both(program)


@pytest.mark.parametrize("index", WRITES)
def test_an_imaginary_number_is_written_as_true(index):
    def program(L):
        b = L.zeros(4, dtype=L.bool)
        b[eval(index, {"b": b})] = 1j
        return b

    both(program)
