"""complex32 exists only as a name: operations that would create such a tensor raise an error."""

import pytest

import torchlike as torch
from tests.oracle import both

HALF = torch.ones(2, 2, dtype=torch.float16)
MADE = {
    "zeros": lambda: torch.zeros(2, dtype=torch.complex32),
    "empty": lambda: torch.empty(2, dtype=torch.chalf),
    "tensor": lambda: torch.tensor([1j], dtype=torch.complex32),
    "randn": lambda: torch.randn(2, dtype=torch.complex32),
    "to": lambda: HALF.to(torch.complex32),
    "type": lambda: HALF.type(torch.complex32),
    "chalf": lambda: HALF.chalf(),
    "view": lambda: HALF.view(torch.complex32),
    "zeros_like": lambda: torch.zeros_like(HALF, dtype=torch.complex32),
    "view_as_complex": lambda: torch.view_as_complex(HALF),
    "complex": lambda: torch.complex(HALF, HALF),
    "times a number": lambda: HALF * 1j,
    "plus a 0-d tensor": lambda: HALF + torch.tensor(1j),
    "division": lambda: 1j / HALF,
    "sum": lambda: HALF.sum(dtype=torch.complex32),
    "layer": lambda: torch.nn.Linear(2, 2, dtype=torch.complex32),
}


@pytest.mark.parametrize("name", MADE)
def test_no_tensor_is_made(name):
    with pytest.raises(NotImplementedError, match="complex32"):
        MADE[name]()


def test_the_name():
    def run(torch):
        kind = torch.complex32
        facts = kind.itemsize, kind.is_complex, kind.is_floating_point, kind is torch.chalf, str(kind)
        return facts, torch.float16.to_complex() is kind, str(torch.bfloat16.to_complex())

    both(run)


def test_neighbours_keep_their_type():
    both(lambda torch: (torch.ones(2, dtype=torch.bfloat16) * 1j, torch.ones(2).half() + torch.ones(2) * 1j))
