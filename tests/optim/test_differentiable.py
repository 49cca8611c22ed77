"""Optimizer steps that autograd records (`differentiable=True`): values and gradients, compared with PyTorch's."""

import inspect

import numpy as np
import pytest
import torch

import torchlike
from tests.optim.cases import CASES, IDS
from tests.optim.test_optimizer import outcome

LIBRARIES = (torchlike, torch)
SHAPE = (3, 2)
STEPS = 3


def is_offered(name):
    return "differentiable" in inspect.signature(getattr(torch.optim, name)).parameters


OFFERED = [
    (case, i)
    for case, i in zip(CASES, IDS)
    if is_offered(case[0])
    and not (case[1].get("fused") or case[1].get("foreach"))
    # `maximize` and `weight_decay` act independently, so half of their combinations suffice.
    and bool(case[1].get("maximize")) == bool(case[1].get("weight_decay"))
]
NAMES = sorted({name for (name, _), _ in OFFERED})


def leaves(library, count, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    made = [rng.standard_normal(SHAPE) for _ in range(count)]
    if dtype.startswith("complex"):
        made = [a + 1j * rng.standard_normal(SHAPE) for a in made]
    return [library.tensor(a, dtype=getattr(library, dtype), requires_grad=True) for a in made]


def trained(library, name, options, dtype="float64", tensors=()):
    """Return the parameter and state after some steps, and their gradients with respect to all inputs."""
    w, *grads = leaves(library, 1 + STEPS, dtype)
    hyper = {k: library.tensor(options[k], dtype=library.float64, requires_grad=True) for k in tensors}
    param = w.clone()
    optimizer = getattr(library.optim, name)([param], **{**options, **hyper}, differentiable=True)
    for grad in grads:
        param.grad = grad.clone()
        optimizer.step()
        # PyTorch saves some of its state for backward and then refuses to overwrite it in the next step.
        optimizer.state[param].update({k: v.clone() for k, v in optimizer.state[param].items()})
    state = optimizer.state[param]
    total = sum((x * (i + 1)).abs().square().sum() for i, x in enumerate([param, *state.values()]))
    found = library.autograd.grad(total, [w, *grads, *hyper.values()], allow_unused=True)
    return [param, *state.values()], found, list(state), [x.requires_grad for x in [param, *state.values()]]


def agree(ours, theirs, **tolerance):
    for mine, other in zip(ours[0] + list(ours[1]), theirs[0] + list(theirs[1]), strict=True):
        if other is None:
            # One operator makes all results, so results that need no gradient get a zero gradient.
            assert mine is None or not mine.any()
            continue
        expected = other.detach()
        torch.testing.assert_close(torch.from_numpy(mine.detach().numpy().copy()), expected, **tolerance)
    assert ours[2] == theirs[2]


@pytest.mark.one_in(7)
@pytest.mark.parametrize("case", [case for case, _ in OFFERED], ids=[i for _, i in OFFERED])
def test_gradients_through_several_steps(case):
    ours, theirs = (trained(library, *case) for library in LIBRARIES)
    agree(ours, theirs)
    assert ours[3] == theirs[3]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_other_dtypes(name, dtype):
    agree(*(trained(library, name, {}, dtype) for library in LIBRARIES), rtol=1e-4, atol=1e-4)


# Hyperparameters with respect to which PyTorch can differentiate. All others must be numbers there.
HYPERPARAMETERS = [
    ("SGD", dict(lr=0.1), ("lr",)),
    ("SGD", dict(lr=0.1, weight_decay=0.2), ("weight_decay",)),
    ("SGD", dict(lr=0.1, weight_decay=0.2, maximize=True), ("lr", "weight_decay")),
    ("SGD", dict(lr=0.1, momentum=0.9), ("momentum",)),
    ("SGD", dict(lr=0.1, foreach=True, momentum=0.9), ()),
    ("Adam", dict(lr=0.1), ("lr",)),
    ("Adam", dict(lr=0.1, weight_decay=0.2), ("lr", "weight_decay")),
    ("Adam", dict(lr=0.1, weight_decay=0.2, decoupled_weight_decay=True), ("lr", "weight_decay")),
    ("AdamW", dict(lr=0.1, weight_decay=0.2), ("lr", "weight_decay")),
    ("AdamW", dict(lr=0.1, amsgrad=True, maximize=True), ("lr",)),
    ("NAdam", dict(lr=0.1), ("lr",)),
    ("NAdam", dict(lr=0.1, weight_decay=0.2, decoupled_weight_decay=True), ("lr", "weight_decay")),
    ("RAdam", dict(lr=0.1), ("lr",)),
    ("RAdam", dict(lr=0.1, weight_decay=0.2, decoupled_weight_decay=True), ("lr", "weight_decay")),
    ("ASGD", dict(lr=0.1), ("lr",)),
]


@pytest.mark.parametrize("case", HYPERPARAMETERS, ids=lambda case: f"{case[0]}-{case[1]}-{case[2]}")
def test_gradients_for_hyperparameters(case):
    name, options, tensors = case
    ours, theirs = (one_step(library, name, options, tensors) for library in LIBRARIES)
    agree(ours, theirs, rtol=1e-6, atol=1e-7)


def one_step(library, name, options, tensors):
    w, grad = leaves(library, 2)
    hyper = {k: library.tensor(options[k], dtype=library.float64, requires_grad=True) for k in tensors}
    param = w.clone()
    optimizer = getattr(library.optim, name)([param], **{**options, **hyper}, differentiable=True)
    param.grad = grad.clone()
    optimizer.step()
    total = param.square().sum()
    return [param, param.grad], library.autograd.grad(total, [w, grad, *hyper.values()], allow_unused=True), list(hyper)


def test_gradients_for_betas():
    def program(library):
        w, grad = leaves(library, 2)
        betas = tuple(library.tensor(b, dtype=library.float64, requires_grad=True) for b in (0.8, 0.9))
        param = w.clone()
        optimizer = library.optim.Adam([param], lr=0.1, betas=betas, differentiable=True)
        state = {k: library.full_like(w, v).requires_grad_() for k, v in (("exp_avg", 0.5), ("exp_avg_sq", 0.7))}
        optimizer.state[param].update(
            step=library.tensor(4.0, dtype=library.float64), **{k: v.clone() for k, v in state.items()}
        )
        param.grad = grad.clone()
        optimizer.step()
        found = library.autograd.grad(param.square().sum(), [w, grad, *betas, *state.values()])
        return [param, *optimizer.state[param].values()], found, list(optimizer.state[param])

    agree(*map(program, LIBRARIES))


STATES = {
    "SGD": (dict(lr=0.1, momentum=0.9, dampening=0.2), ["momentum_buffer"]),
    "Adam": (dict(lr=0.1, amsgrad=True), ["exp_avg", "exp_avg_sq", "max_exp_avg_sq"]),
    "AdamW": (dict(lr=0.1), ["exp_avg", "exp_avg_sq"]),
    "NAdam": (dict(lr=0.1), ["exp_avg", "exp_avg_sq"]),
    "RAdam": (dict(lr=0.1), ["exp_avg", "exp_avg_sq"]),
    "Adamax": (dict(lr=0.1), ["exp_avg", "exp_inf"]),
    "Adagrad": (dict(lr=0.1, lr_decay=0.1), ["sum"]),
    "Adadelta": (dict(lr=0.1), ["square_avg", "acc_delta"]),
    "RMSprop": (dict(lr=0.1, momentum=0.5, centered=True), ["square_avg", "momentum_buffer", "grad_avg"]),
    "Rprop": (dict(lr=0.1), ["prev", "step_size"]),
    "ASGD": (dict(lr=0.1, t0=2), ["ax"]),
}
COUNTERS = {"SGD": {}, "NAdam": dict(step=10.0, mu_product=0.6), "ASGD": dict(step=10.0, eta=0.05, mu=1.0)}


def after_a_step(library, name, param, grad, *state):
    """Return the parameter and the state after one step from the given parameter, gradient and state."""
    options, names = STATES[name]
    param = param.clone()
    param.grad = grad.clone()
    optimizer = getattr(library.optim, name)([param], **options, differentiable=True)
    counters = {k: library.tensor(v, dtype=library.float64) for k, v in COUNTERS.get(name, dict(step=10.0)).items()}
    optimizer.state[param].update(counters, **{k: v.clone() for k, v in zip(names, state, strict=True)})
    optimizer.step()
    return param, *[optimizer.state[param][k] for k in names]


def inputs(library, name):
    w, grad, *rest = leaves(library, 2 + len(STATES[name][1]))
    signs = {"exp_avg", "prev", "momentum_buffer", "ax", "grad_avg"}
    state = [x if n in signs else x.detach().abs().add(2).requires_grad_() for n, x in zip(STATES[name][1], rest)]
    return [w, grad, *state]


def test_every_optimizer_is_here():
    assert sorted(STATES) == NAMES


@pytest.mark.parametrize("name", STATES)
def test_gradients_for_state(name):
    def program(library):
        given = inputs(library, name)
        made = after_a_step(library, name, *given)
        total = sum((x * (i + 1)).square().sum() for i, x in enumerate(made))
        return list(made), library.autograd.grad(total, given, allow_unused=True), name

    agree(*map(program, LIBRARIES))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", STATES)
def test_gradcheck(name):
    given = inputs(torchlike, name)
    assert torchlike.autograd.gradcheck(lambda *args: after_a_step(torchlike, name, *args), given)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop"])
def test_second_derivatives(name):
    given = inputs(torchlike, name)
    assert torchlike.autograd.gradgradcheck(lambda *args: after_a_step(torchlike, name, *args), given)


def test_a_learning_rate_that_is_learned():
    """Differentiate the loss after some steps with respect to the learning rate and the initial weights."""

    def program(library):
        w, x = leaves(library, 2)
        x = x.detach()
        lr, weight_decay = (library.tensor(v, dtype=library.float64, requires_grad=True) for v in (0.1, 0.2))
        param = w.clone()
        optimizer = library.optim.Adam([param], lr=lr, weight_decay=weight_decay, differentiable=True)
        for _ in range(3):
            loss = (param * x).sin().sum()
            loss.backward(inputs=(param,), create_graph=True)
            optimizer.step()
        loss.backward(inputs=(lr, weight_decay, w))
        return [param, param.grad, loss], [lr.grad, weight_decay.grad, w.grad], None

    agree(*map(program, LIBRARIES), rtol=1e-5, atol=1e-6)  # PyTorch counts steps in float32


def test_a_view_and_several_groups():
    def program(library):
        w, grad = leaves(library, 2)
        whole = w.clone()
        upper, lower = whole[:1], whole[1:]
        upper.grad, lower.grad = grad[:1], grad[1:]
        optimizer = library.optim.Adam([{"params": [upper], "lr": 0.5}, {"params": [lower]}], differentiable=True)
        with library.no_grad():
            optimizer.step()
        return [whole, upper, lower], library.autograd.grad(whole.square().sum(), [w, grad]), None

    agree(*map(program, LIBRARIES))


def test_half_precision():
    def program(library):
        w, grad = (x.detach().to(library.bfloat16).requires_grad_() for x in leaves(library, 2))
        param = w.clone()
        param.grad = grad.clone()
        library.optim.SGD([param], lr=0.5, weight_decay=0.5, differentiable=True).step()
        found = library.autograd.grad(param.square().sum(), [w, grad])
        return [param.float()], [x.float() for x in found], None

    agree(*map(program, LIBRARIES), rtol=1e-2, atol=1e-2)


def after_two(library, **options):
    w, grad = leaves(library, 2)
    param = w.clone()
    param.grad = grad.clone()
    optimizer = library.optim.Adam([param], differentiable=True, **options)
    optimizer.step()
    return w, param, optimizer


def without_history(library):
    (w,) = leaves(library, 1)
    w.grad = library.ones_like(w)
    library.optim.SGD([w], differentiable=True).step()


def step_with_grad(library):
    _, param, optimizer = after_two(library)
    optimizer.state[param]["step"] = library.tensor(1.0, requires_grad=True)
    optimizer.step()


def overwritten(library, name):
    (w,) = leaves(library, 1)
    param = w.clone()
    param.grad = library.ones_like(w)
    getattr(library.optim, name)([param], differentiable=True).step()
    param.grad.zero_()
    param.sum().backward()


def leaf_gradient(library):
    w, grad = leaves(library, 2)
    param = w.clone()
    param.grad = grad
    decay = library.tensor(0.1, requires_grad=True)
    library.optim.SGD([param], weight_decay=decay, differentiable=True).step()


MISTAKES = {
    "a leaf": without_history,
    "a step that requires grad": step_with_grad,
    "lists": lambda library: after_two(library, foreach=True),
    "fused": lambda library: after_two(library, fused=True),
    "weight decay into a leaf's gradient": leaf_gradient,
    "a learning rate of Rprop": lambda library: trained(library, "Rprop", dict(lr=0.1), tensors=("lr",)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_errors_equal_pytorchs(name):
    ours, theirs = (outcome(lambda lib=lib: MISTAKES[name](lib)) for lib in LIBRARIES)
    assert ours == theirs
    assert ours[0] is not None


@pytest.mark.parametrize("name", ["SGD", "ASGD", "Adam"])
def test_a_gradient_that_is_overwritten(name):
    ours, theirs = (outcome(lambda lib=lib: overwritten(lib, name))[0] for lib in LIBRARIES)
    assert (ours is None) == (theirs is None)
    assert ours is None or "modified by an inplace operation" in ours[1]


def test_state_dict_and_repr():
    ours, theirs = (after_two(library)[2] for library in LIBRARIES)
    assert repr(ours) == repr(theirs)
    assert ours.state_dict()["param_groups"] == theirs.state_dict()["param_groups"]
    assert list(ours.state_dict()["state"][0]) == list(theirs.state_dict()["state"][0])
