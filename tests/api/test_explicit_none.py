"""Parameters that may be omitted, but do not accept None."""

import pytest
import torch

import torchlike

CALLS = {
    "trapezoid": lambda lib, x: lib.trapezoid(x, dx=None),
    "cumulative_trapezoid": lambda lib, x: lib.cumulative_trapezoid(x, dx=None),
    "trapz": lambda lib, x: lib.trapz(x, dx=None),
    "tile": lambda lib, x: x.tile(dims=None),
    "tile, without counts": lambda lib, x: x.tile(),
    "prod": lambda lib, x: x.prod(dim=None),
    "sort, by position": lambda lib, x: x.sort(0, False, None),
    "argsort, by position": lambda lib, x: x.argsort(0, False, True),
    "as_tensor, by position": lambda lib, x: lib.as_tensor(x, None),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_explicit_none_raises_type_error(name):
    for lib in (torch, torchlike):
        with pytest.raises(TypeError):
            CALLS[name](lib, lib.ones(1, 3))


def test_the_same_functions_without_the_argument():
    for lib in (torch, torchlike):
        x = lib.ones(1, 3)
        assert lib.trapezoid(x, dx=2).tolist() == lib.trapz(x, dx=2.0).tolist() == [4.0]
        assert lib.trapz(x, x).tolist() == [0.0]
        assert lib.sort(x, stable=True).values.tolist() == x.hardshrink(0.5).tolist() == x.tolist()
