"""Optimizer state that is changed through a reference from before. The following steps must use the changed state."""

import numpy as np
import pytest
import torch

import torchlike
from tests.gate import gated
from tests.optim.cases import ONE_EACH

LIBRARIES = (torch, torchlike)


def _halve(kept):
    for key, value in kept.items():
        if not isinstance(value, (int, float)):
            kept[key] = value * 0.5


def a_dictionary(optimizer, param):
    kept = optimizer.state[param]
    return lambda library: _halve(kept)


def a_state_dictionary(optimizer, param):
    saved = optimizer.state_dict()
    return lambda library: _halve(saved["state"].get(0, {}))


def tensors(optimizer, param):
    held = [x for x in optimizer.state[param].values() if not isinstance(x, (int, float))]
    return lambda library: [x.mul_(0.5) for x in held]


def a_counter(optimizer, param):
    kept = optimizer.state[param]
    return lambda library: kept.update(step=library.tensor(20.0)) if "step" in kept else None


def all_of_it(optimizer, param):
    state = optimizer.state
    return lambda library: state.clear()


def a_parameter_s(optimizer, param):
    state = optimizer.state
    return lambda library: state.pop(param, None)


def another_optimizer_s(optimizer, param):
    twin = type(optimizer)(optimizer.param_groups[0]["params"], lr=0.01)
    twin.load_state_dict(optimizer.state_dict())  # both optimizers now share the step counters
    return lambda library: twin.step()


IN_GATE = lambda each: each[0] in ("SGD", "Adam", "Adagrad")
HOLD = [a_dictionary, a_state_dictionary, tensors, a_counter, all_of_it, a_parameter_s, another_optimizer_s]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("compiles", [False, True], ids=["recorded", "compiled"])
@pytest.mark.parametrize("hold", HOLD, ids=[hold.__name__ for hold in HOLD])
@pytest.mark.parametrize("name, options", gated(ONE_EACH, IN_GATE), ids=[name for name, _ in ONE_EACH])
def test_steps_see_the_change(name, options, hold, compiles):
    found = []
    for library in LIBRARIES:
        w, v = (library.nn.Parameter(library.full((2, 2), x)) for x in (1.0, 2.0))
        optimizer = getattr(library.optim, name)([w, v], **options)

        def step(x, w=w, v=v, optimizer=optimizer):
            optimizer.zero_grad()
            ((w * x).square().sum() + (v * x).square().sum()).backward()
            optimizer.step()

        if compiles and library is torchlike:
            step = library.compile(step)
        step(library.tensor(0.5))
        change = hold(optimizer, w)
        for k in range(4):
            step(library.tensor(0.5))
            if k % 2:
                change(library)
        step(library.tensor(0.5))
        found.append((w.tolist(), v.tolist()))
    # Each step amplifies rounding errors of single precision, most of all by the division in Adam and similar rules.
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5, atol=1e-6)


def _counters(library, name, first, then):
    """Make the first step under one default dtype, the second and a new parameter's first under another."""
    library.set_default_dtype(getattr(library, first))
    try:
        optimizer = getattr(library.optim, name)([library.ones(2, 2, requires_grad=True)], lr=0.1)
        for _ in range(2):
            for param in (param for group in optimizer.param_groups for param in group["params"]):
                param.grad = library.ones_like(param)
            optimizer.step()
            library.set_default_dtype(getattr(library, then))
            if len(optimizer.param_groups) == 1:
                optimizer.add_param_group({"params": [library.ones(2, requires_grad=True)]})
        saved = [optimizer.state_dict()["state"][i] for i in (0, 1)]
        tensors = [[(k, v) for k, v in kept.items() if library.is_tensor(v) and v.ndim == 0] for kept in saved]
        return [[(k, str(v.dtype).split(".")[1], round(v.item(), 5)) for k, v in kept] for kept in tensors]
    finally:
        library.set_default_dtype(library.float32)


@pytest.mark.parametrize("dtypes", [("float32", "float64"), ("float64", "float32")], ids="-".join)
@pytest.mark.parametrize("name", ["Adam", "Adagrad", "ASGD", "NAdam", "RMSprop", "Rprop"])
def test_counters_keep_the_default_dtype_of_their_first_step(name, dtypes):
    assert _counters(torchlike, name, *dtypes) == _counters(torch, name, *dtypes)


@pytest.mark.parametrize("held", [{"note": 1}, {"step": 3}, {"step": 2, "eta": 0.1, "mu": 1.0}, {"mu_product": 0.5}])
@pytest.mark.parametrize("name", ["Adadelta", "Adagrad", "Adam", "ASGD", "NAdam", "RMSprop", "SGD", "SparseAdam"])
def test_loading_a_state_without_counters(name, held):
    """A state that only holds the user's own entries raises KeyError in optimizers that count steps."""

    def loaded(library):
        parameter = library.nn.Parameter(library.ones(2))
        optimizer = getattr(library.optim, name)([parameter], lr=0.1)
        optimizer.state[parameter].update(held)
        try:
            optimizer.load_state_dict(optimizer.state_dict())
        except KeyError as error:
            return str(error)
        return {key: float(value) for key, value in optimizer.state[parameter].items() if key != "sum"}

    assert loaded(torchlike) == loaded(torch)
