"""Random sequences of operations on `ParameterDict` and `ModuleDict` give the entries, the order and the errors of
PyTorch."""

import random
from collections import OrderedDict

import pytest
import torch

import torchlike

KEYS = "badcfe"


def _pairs(draw, lib, made):
    keys = draw.sample(KEYS, draw.randint(0, 3))
    pairs = [(key, made(lib)) for key in keys]
    return draw.choice([dict, OrderedDict, list])(pairs)


def _steps(draw, lib, kind, made):
    """Yield the state of a container after each of 12 random operations, or the error of the operation."""
    held = kind(_pairs(draw, lib, made))
    for _ in range(12):
        key, pairs = draw.choice(KEYS), _pairs(draw, lib, made)
        steps = [
            lambda key=key: held.pop(key) is None,
            lambda key=key: held.__setitem__(key, made(lib)),
            lambda key=key: held.__delitem__(key),
            lambda pairs=pairs: held.update(pairs),
            lambda pairs=pairs: held.update(kind(pairs)),
            lambda key=key: key in held,
            lambda: len(held),
            lambda: held.clear() if draw.random() < 0.2 else None,
        ]
        if kind is lib.nn.ParameterDict:
            steps += [
                lambda: list(held.copy().keys()),
                lambda pairs=pairs: list((held | kind(pairs)).keys()),
                lambda pairs=pairs: list((kind(pairs) | held).keys()),
                lambda pairs=pairs: held.__ior__(kind(pairs)) is None,
                lambda key=key: held.setdefault(key, made(lib)) is None,
                lambda: held.popitem()[0],
                lambda: list(reversed(held)),
                lambda key=key: held.get(key) is None,
                lambda: list(held.fromkeys(["z", "y"]).keys()),
            ]
        try:
            given = draw.choice(steps)()
        except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, StopIteration) as error:
            given = type(error).__name__
        yield given, list(held.keys())


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("name", ["ParameterDict", "ModuleDict"])
def test_random_operations(name, seed):
    made = {
        "ParameterDict": lambda lib: lib.nn.Parameter(lib.ones(1)),
        "ModuleDict": lambda lib: lib.nn.ReLU(),
    }[name]
    ours = list(_steps(random.Random(seed), torchlike, getattr(torchlike.nn, name), made))
    theirs = list(_steps(random.Random(seed), torch, getattr(torch.nn, name), made))
    assert ours == theirs
