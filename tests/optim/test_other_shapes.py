"""Parameters that change shape while their gradient or state keeps the old shape. PyTorch broadcasts or raises."""

import numpy as np
import pytest
import torch

import torchlike

LIBRARIES = (torch, torchlike)
NAMES = ["SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "ASGD"]
SHAPES = [
    ((2, 2), (1, 2)),
    ((1, 2), (2, 2)),
    ((2, 2), (3, 2)),
    ((4,), (2, 2)),
    ((2, 2), ()),
    ((), (2,)),
    ((3,), (2, 3)),
]


def outcome(step, params):
    try:
        step()
    except RuntimeError:
        return "refused"
    return [p.tolist() for p in params]


def grown(library, name, old, new, compiles):
    w = library.nn.Parameter(library.ones(old))
    optimizer = getattr(library.optim, name)([w], lr=0.1)

    def step():
        optimizer.zero_grad()
        w.square().sum().backward()
        optimizer.step()

    step = library.compile(step) if compiles and library is torchlike else step
    step()
    step()
    w.data = library.ones(new)
    return outcome(step, [w])


def stale(library, name, old, new, compiles):
    w = library.nn.Parameter(library.ones(old))
    optimizer = getattr(library.optim, name)([w], lr=0.1)
    w.grad = library.ones(old)
    w.data = library.ones(new)
    step = library.compile(optimizer.step) if compiles and library is torchlike else optimizer.step
    return outcome(step, [w])


@pytest.mark.one_in(5)
@pytest.mark.filterwarnings("ignore:.*programs at .* differ only in the shapes")
@pytest.mark.parametrize("compiles", [False, True], ids=["recorded", "compiled"])
@pytest.mark.parametrize("change", [grown, stale])
@pytest.mark.parametrize("name", NAMES)
def test_another_shape(name, change, compiles):
    for old, new in SHAPES:
        theirs, ours = (change(library, name, old, new, compiles) for library in LIBRARIES)
        if theirs == "refused" or ours == "refused":
            assert ours == theirs, (old, new)
        else:
            # A step amplifies rounding errors of single precision.
            np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6, err_msg=f"{old} {new}")


def test_many_small_parameters_that_grow_are_refused():
    params = [torchlike.nn.Parameter(torchlike.ones(2)) for _ in range(3)]
    optimizer = torchlike.optim.Adam(params)
    for shape in ((2,), (2,), (3,)):
        params[0].data = torchlike.ones(shape)
        optimizer.zero_grad()
        sum(p.sum() for p in params).backward()
        if shape == (3,):
            with pytest.raises(RuntimeError, match="must match the size of tensor"):
                optimizer.step()
        else:
            optimizer.step()
