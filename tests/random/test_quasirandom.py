"""Sobol sequences, compared with PyTorch bit for bit."""

import pytest
import torch

import torchlike
from tests.oracle import both

EXACT = {"rtol": 0, "atol": 0}


def engine(L, dimension=3, **more):
    return L.quasirandom.SobolEngine(dimension, **more)


def state(e):
    return [e.sobolstate, e.shift, e.quasi, e.num_generated, repr(e)]


def steps(L, **more):
    e = engine(L, **more)
    drawn = [e.draw(), e.draw(3), e.draw(5, dtype=L.float64), e.draw(0)]
    drawn += [e.fast_forward(7).draw(2), e.draw_base2(1) if e.num_generated % 4 == 2 else None, e.num_generated]
    return [*drawn, *state(e), *state(e.reset()), e.draw(9), e.quasi]


def forward(L, count, before=0):
    e = engine(L)
    if before:
        e.draw(before)
    return [*state(e.fast_forward(count)), e.draw(2) if e.num_generated > 0 else None]


def into(L, out):
    e = engine(L)
    return e.draw(4, out=out) is out, out, e.draw_base2(2, out=out)


def from_the_default_generator(L):
    L.manual_seed(4)
    return engine(L, scramble=True).draw(2), L.rand(2)


def with_default_float64(L):
    L.set_default_dtype(L.float64)
    try:
        return engine(L, scramble=True, seed=1).draw(3)
    finally:
        L.set_default_dtype(L.float32)


PROGRAMS = {
    "steps": steps,
    "steps, scrambled": lambda L: steps(L, scramble=True, seed=5),
    "from the default generator": from_the_default_generator,
    "float64 first": lambda L: engine(L, scramble=True, seed=2).draw(3, dtype=L.float64),
    "float64 by default": with_default_float64,
    "one point in int64": lambda L: engine(L).draw(1, dtype=L.int64),
    "base 2": lambda L: [(e := engine(L)).draw_base2(3), e.draw_base2(3), e.draw_base2(4, dtype=L.float64)],
    "forward by none": lambda L: forward(L, 0),
    "forward by one": lambda L: forward(L, 1),
    "forward far": lambda L: forward(L, 2**29 + 12345),
    "forward from the middle": lambda L: forward(L, 1000, before=3),
    "forward by less than none": lambda L: forward(L, -3),
    "out": lambda L: into(L, L.empty(0)),
    "out of float64": lambda L: into(L, L.empty(2, 2, dtype=L.float64)),
    "names": lambda L: [L.quasirandom.SobolEngine.MAXBIT, L.quasirandom.SobolEngine.MAXDIM],
    "no dimension": lambda L: engine(L, 0),
    "too many dimensions": lambda L: engine(L, 21202),
    "not a power of two": lambda L: [(e := engine(L)).draw(3), e.draw_base2(1)],
    "half precision": lambda L: engine(L).draw(3, dtype=L.float16),
    "no points at first": lambda L: engine(L).draw(0),
    "fewer than no points": lambda L: engine(L).draw(-1),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_sobol_engine(name):
    both(PROGRAMS[name], **EXACT)


def test_directions_of_all_dimensions():
    both(lambda L: [(e := engine(L, 21201)).sobolstate, e.draw(5)], **EXACT)


@pytest.mark.parametrize("seed", range(3))
def test_many_dimensions_scrambled(seed):
    both(lambda L: [(e := engine(L, 500, scramble=True, seed=seed)).sobolstate, e.draw(33)], **EXACT)


def test_points_beyond_the_last_are_refused():
    e = engine(torchlike).fast_forward(2**30 - 2)
    assert e.draw(1).tolist() == engine(torch).fast_forward(2**30 - 2).draw(1).tolist()
    assert e.draw(1).shape == (1, 3)
    with pytest.raises(ValueError, match=r"2\*\*30 points"):
        e.draw(1)
    with pytest.raises(ValueError, match=r"2\*\*30 points"):
        engine(torchlike).fast_forward(2**30 + 1)
