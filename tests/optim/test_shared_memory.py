"""Parameters and gradients that share memory are updated one after the other, as in PyTorch.

Steps with changed shapes or incomplete state have PyTorch's results or errors.
"""

import numpy as np
import pytest
import torch

import torchlike
from tests.gate import gated
from tests.optim.cases import ONE_EACH
from tests.oracle import both

LIBRARIES = (torch, torchlike)
IDS = [name for name, _ in ONE_EACH]


def tied(library):
    w = library.nn.Parameter(library.arange(1.0, 5))
    return [w, library.nn.Parameter(w.data)]


def overlapping(library):
    base = library.arange(1.0, 7)
    return [library.nn.Parameter(base[:4]), library.nn.Parameter(base[2:])]


def side_by_side(library):
    base = library.arange(1.0, 9)
    return [library.nn.Parameter(base[:4]), library.nn.Parameter(base[4:])]


def apart(library):
    return [library.nn.Parameter(library.arange(1.0, 5)), library.nn.Parameter(library.ones(4))]


def gradients_are_parameters(w, v):
    v.grad = w.data


def gradients_are_one(w, v):
    v.grad = w.grad


def gradient_is_itself(w, v):
    w.grad = w.data


def nothing(w, v):
    pass


SHARES = [
    *[(make, nothing) for make in (tied, overlapping, side_by_side)],
    *[(apart, share) for share in (gradients_are_parameters, gradients_are_one, gradient_is_itself)],
]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("compiles", [False, True], ids=["recorded", "compiled"])
@pytest.mark.parametrize("make, share", SHARES, ids=[f"{a.__name__}-{b.__name__}" for a, b in SHARES])
@pytest.mark.parametrize("name, options", gated(ONE_EACH, lambda each: each[0] in ("SGD", "Adam", "Adagrad")), ids=IDS)
def test_steps(name, options, make, share, compiles):
    found = []
    for library in LIBRARIES:
        w, v = make(library)
        optimizer = getattr(library.optim, name)([w, v], **options)

        def step(k, w=w, v=v, optimizer=optimizer):
            optimizer.zero_grad()
            ((w - k).square().sum() + (v * v).sum()).backward()
            share(w, v)
            optimizer.step()

        if compiles and library is torchlike:
            step = library.compile(step)
        for k in range(3):
            step(library.tensor(float(k)))
        found.append((w.tolist(), v.tolist()))
    # Each step amplifies rounding errors of single precision, most of all by the division in Adam and similar rules.
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5, atol=1e-6)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("compiles", [False, True], ids=["recorded", "compiled"])
@pytest.mark.parametrize("name, options", ONE_EACH, ids=IDS)
def test_parameters_have_the_same_state(name, options, compiles):
    found = []
    for library in LIBRARIES:
        w, v = apart(library)
        optimizer = getattr(library.optim, name)([w, v], **options)

        def step(k, w=w, v=v, optimizer=optimizer):
            optimizer.zero_grad()
            ((w - k).square().sum() + (v * v).sum()).backward()
            optimizer.step()

        if compiles and library is torchlike:
            step = library.compile(step)
        step(library.tensor(0.0))
        own, other = optimizer.state[w], optimizer.state[v]
        own.update({key: x for key, x in other.items() if isinstance(x, library.Tensor) and x.shape == w.shape})
        for k in range(1, 4):
            step(library.tensor(float(k)))
        found.append((w.tolist(), v.tolist()))
    # Each step amplifies rounding errors of single precision, most of all by the division in Adam and similar rules.
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("compiles", [False, True], ids=["recorded", "compiled"])
@pytest.mark.parametrize("name", ["SGD", "Adam"])
@pytest.mark.parametrize("shape", [(1,), (3,), (2, 4)])
def test_a_parameter_that_got_another_shape_is_refused_at_the_step(name, shape, compiles):
    found = []
    for library in LIBRARIES:
        w = library.nn.Parameter(library.ones(4))
        w.grad = library.ones(4)
        optimizer = getattr(library.optim, name)([w], lr=0.1)
        step = library.compile(optimizer.step) if compiles and library is torchlike else optimizer.step
        optimizer.step()
        w.data = library.ones(shape)
        if shape == (2, 4):
            w.grad = library.ones(shape)
            optimizer.state[w]["exp_avg"] = library.ones(4)
        try:
            step()
            error = None
        except RuntimeError as e:
            error = str(e)
        found.append((error, w.tolist()))
    assert found[1] == found[0]


def after_removing(library, name, options, keys):
    """Take two steps with state removed in between, and return the parameter or the error."""
    param = library.nn.Parameter(library.ones(2, 2))
    optimizer = getattr(library.optim, name)([param], **options)
    param.grad = library.ones(2, 2)
    optimizer.step()
    for key in keys:
        del optimizer.state[param][key]
    try:
        optimizer.step()
    except (KeyError, AssertionError) as error:
        return type(error), str(error)
    return [round(x, 5) for row in param.tolist() for x in row], sorted(optimizer.state[param])


@pytest.mark.parametrize("name, options", ONE_EACH, ids=IDS)
def test_state_that_is_there_in_part(name, options):
    param = torch.nn.Parameter(torch.ones(2, 2))
    optimizer = getattr(torch.optim, name)([param], **options)
    param.grad = torch.ones(2, 2)
    optimizer.step()
    names = list(optimizer.state[param])
    for removed in [*[[key] for key in names], names[1:]]:
        ours = after_removing(torchlike, name, options, removed)
        assert ours == after_removing(torch, name, options, removed), removed


DECAYED = [
    ("AdamW", {"eps": 0.01}),
    ("AdamW", {"eps": 0.01, "amsgrad": True, "foreach": True}),
    ("AdamW", {"eps": 0.01, "maximize": True}),
    ("NAdam", {"eps": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("Adam", {"eps": 0.01, "weight_decay": 0.1}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("Rprop", {}),
]


@pytest.mark.parametrize(("name", "options"), DECAYED)
@pytest.mark.parametrize("is_part", [False, True])
def test_a_gradient_in_the_memory_of_its_parameter(name, options, is_part):
    """Decoupled weight decay shrinks such a gradient too, before it is used."""

    def run(T):
        memory = T.arange(8, dtype=T.float64) - 2.5
        w = T.nn.Parameter(memory[2:6] if is_part else memory)
        w.grad = w.detach()
        other = T.nn.Parameter(T.ones(2, dtype=T.float64))
        other.grad = T.ones(2, dtype=T.float64)
        optimizer = getattr(T.optim, name)([w, other], lr=0.05, **options)
        for _ in range(3):
            optimizer.step()
        return w, other, memory

    both(run)
