"""Tests of the functional optimizers against PyTorch, and of exchanged parameters."""

import importlib
import inspect
from itertools import chain

import numpy as np
import pytest
import torch

import torchlike

LISTS = {
    "momentum_buffer_list": 0.0,
    "exp_avgs": 0.25,
    "exp_avg_sqs": 0.5,
    "max_exp_avg_sqs": 0.5,
    "state_sums": 0.5,
    "square_avgs": 0.5,
    "acc_deltas": 0.25,
    "exp_infs": 0.5,
    "axs": 0.25,
    "grad_avgs": 0.25,
    "prevs": 0.25,
    "step_sizes": 0.01,
}
COUNTERS = {"state_steps": 6.0, "mus": 0.5, "etas": 0.01, "mu_products": 0.75}
ADAM = dict(beta1=0.9, beta2=0.99, lr=0.1, eps=1e-8, weight_decay=0.1)
CASES = [
    ("sgd", dict(weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.1, nesterov=False, maximize=False)),
    ("sgd", dict(weight_decay=0.0, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=True)),
    ("sgd", dict(weight_decay=0.0, momentum=0.9, lr=0.1, dampening=0.0, nesterov=True, maximize=True, fused=True)),
    ("adam", dict(**ADAM, amsgrad=False, maximize=False)),
    ("adam", dict(**ADAM, amsgrad=True, maximize=True, decoupled_weight_decay=True)),
    ("adam", dict(**ADAM, amsgrad=True, maximize=True, foreach=True)),
    ("adamw", dict(**ADAM, amsgrad=True, maximize=False)),
    ("adamw", dict(**ADAM, amsgrad=False, maximize=False, fused=True)),
    ("adagrad", dict(lr=0.1, weight_decay=0.1, lr_decay=0.1, eps=1e-10, maximize=False)),
    ("adadelta", dict(lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.1, maximize=True)),
    ("adamax", ADAM),
    ("asgd", dict(lambd=1e-2, lr=0.1, t0=3, alpha=0.75, weight_decay=0.1)),
    ("nadam", dict(**ADAM, momentum_decay=4e-3)),
    ("nadam", dict(**ADAM, momentum_decay=4e-3, decoupled_weight_decay=True, maximize=True)),
    ("radam", ADAM),
    ("rmsprop", dict(lr=0.1, alpha=0.9, eps=1e-8, weight_decay=0.1, momentum=0.5, centered=True)),
    ("rmsprop", dict(lr=0.1, alpha=0.9, eps=1e-8, weight_decay=0.1, momentum=0.0, centered=False)),
    ("rprop", dict(step_size_min=1e-6, step_size_max=50, etaminus=0.5, etaplus=1.2)),
]


def _made(lib, name, dtype="float32"):
    """Return the parameters, gradients and state lists of a call."""
    rng = np.random.default_rng(0)
    dtype = getattr(lib, dtype)
    # PyTorch rounds the last few elements of a tensor in bfloat16 differently.
    shapes = ((64,), (32, 2)) if dtype is lib.bfloat16 else ((3,), (2, 2))
    fresh = lambda: [lib.tensor(rng.uniform(-1, 1, shape).tolist(), dtype=dtype) for shape in shapes]
    function = getattr(importlib.import_module(f"{lib.__name__}.optim.{name}"), name)
    names = inspect.signature(function).parameters
    params, grads = fresh(), fresh()
    lists = {n: [lib.full_like(p, LISTS[n]) for p in params] for n in names if n in LISTS}
    # The second parameter has made one step less.
    counts = {n: [lib.tensor(COUNTERS[n] - i * (n == "state_steps")) for i in range(2)] for n in names if n in COUNTERS}
    return function, params, grads, lists | counts


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "complex64"])
@pytest.mark.parametrize("name, options", CASES)
def test_functional(name, options, dtype):
    if dtype != "float32" and (options.get("fused") or (dtype == "complex64" and name == "rprop")):
        dtype = "float64"
    results, more = [], {} if name == "sgd" else {"has_complex": dtype == "complex64"}
    for lib in (torch, torchlike):
        function, params, grads, state = _made(lib, name, dtype)
        if "max_exp_avg_sqs" in state and not options["amsgrad"]:
            state["max_exp_avg_sqs"] = []
        for _ in range(3):
            function(params, grads, **state, **options, **more)
        results.append([lib.view_as_real(t) if t.is_complex() else t for t in [*params, *chain(*state.values())]])
    want, got = results
    for a, b in zip(want, got):
        assert str(a.dtype) == str(b.dtype).replace("torchlike", "torch")
        tolerance = 1e-2 if dtype == "bfloat16" else 1e-5
        np.testing.assert_allclose(b.double().numpy(), a.double().numpy(), rtol=tolerance, atol=tolerance * 1e-2)


def test_buffers_of_momentum_are_made():
    results = []
    for lib in (torch, torchlike):
        function, params, grads, _ = _made(lib, "sgd")
        buffers = [None, lib.ones(2, 2)]
        options = dict(weight_decay=0.0, momentum=0.9, lr=0.1, dampening=0.5, nesterov=False, maximize=False)
        function(params, grads, buffers, **options)
        assert buffers[0] is not grads[0]
        results.append([t.tolist() for t in (*params, *buffers)])
    for a, b in zip(*results):
        np.testing.assert_allclose(b, a, rtol=1e-6)


def test_a_recorded_step():
    results = []
    for lib in (torch, torchlike):
        function, params, grads, state = _made(lib, "adam")
        grads = [g.requires_grad_() for g in grads]
        function(params, grads, *state.values(), **ADAM, amsgrad=False, maximize=False, differentiable=True)
        sum(p.sum() for p in params).backward()
        results.append([t.tolist() for t in (*params, *[g.grad for g in grads])])
    for a, b in zip(*results):
        np.testing.assert_allclose(b, a, rtol=1e-4, atol=1e-6)


def test_scaled_gradients():
    results = []
    for lib in (torch, torchlike):
        found = []
        for flag in (0.0, 1.0):
            function, params, grads, state = _made(lib, "adam")
            options = dict(**ADAM, amsgrad=False, maximize=False, fused=True)
            options |= dict(grad_scale=lib.tensor(4.0), found_inf=lib.tensor(flag))
            state["max_exp_avg_sqs"] = []
            function(params, grads, *state.values(), **options)
            found += [t.tolist() for t in (*params, *grads, *state["state_steps"])]
        results.append(found)
    for a, b in zip(*results):
        np.testing.assert_allclose(b, a, rtol=1e-5)


def test_sparse_adam():
    results = []
    for lib in (torch, torchlike):
        function = importlib.import_module(f"{lib.__name__}.optim._functional").sparse_adam
        param, mean, square = lib.ones(4, 2), lib.zeros(4, 2), lib.zeros(4, 2)
        grad = lib.sparse_coo_tensor([[0, 2, 0]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], (4, 2), check_invariants=True)
        function([param], [grad], [mean], [square], [3], eps=1e-8, beta1=0.9, beta2=0.99, lr=0.1, maximize=False)
        results.append([t.tolist() for t in (param, mean, square)])
    for a, b in zip(*results):
        np.testing.assert_allclose(b, a, rtol=1e-5)


def _failing(call):
    with pytest.raises(Exception) as caught:
        call()
    return type(caught.value).__name__, str(caught.value)


def _errors_of(lib):
    function, params, grads, state = _made(lib, "adam")
    options = dict(**ADAM, amsgrad=False, maximize=False)
    leaves = [p.requires_grad_() for p in _made(lib, "adam")[1]]
    return [
        _failing(lambda: function(params, grads, **{**state, "state_steps": [1, 1]}, **options)),
        _failing(lambda: function(params, grads, **state, **options, grad_scale=lib.ones(()))),
        _failing(lambda: function(leaves, grads, **state, **options)),
        _failing(lambda: function(params, grads, **state, **options, capturable=True)),
    ]


def test_errors():
    assert _errors_of(torchlike) == _errors_of(torch)


def test_multi_tensor_classes():
    for lib in (torch, torchlike):
        classes = importlib.import_module(f"{lib.__name__}.optim._multi_tensor")
        optimizer = classes.Adam([lib.ones(2)], 0.5)
        assert isinstance(optimizer, lib.optim.Adam)
        assert optimizer.param_groups[0]["foreach"] is True and optimizer.param_groups[0]["lr"] == 0.5


def _swapped(lib, change=lambda state: None, take=2):
    own = [lib.nn.Parameter(lib.ones(2)), lib.nn.Parameter(lib.ones(3))]
    optimizer = lib.optim.Adam([{"params": own[:1], "lr": 0.5}, {"params": own[1:]}], lr=0.25)
    for p in own:
        p.grad = lib.full_like(p, 2.0)
    optimizer.step()
    others = [lib.full_like(p, 3.0) for p in own]
    for p in others:
        p.grad = lib.full_like(p, -1.0)
    state = optimizer.state_dict()
    state = {
        "state": {i: {n: t.clone() for n, t in kept.items()} for i, kept in state["state"].items()},
        "param_groups": [{**group, "lr": 1.0} for group in state["param_groups"]],
    }
    change(state)
    swap = lib.optim.swap_in_optimizer_params_and_state
    with swap(optimizer, dict(zip("ab", others[:take])), state):
        optimizer.step()
        inside = [group["lr"] for group in optimizer.param_groups]
    optimizer.step()
    kept = [t.tolist() for of in (state["state"], optimizer.state) for k in of.values() for t in k.values()]
    return inside, [group["lr"] for group in optimizer.param_groups], [p.tolist() for p in (*own, *others)], kept


def test_swap_in_optimizer_params_and_state():
    for a, b in zip(_swapped(torch), _swapped(torchlike)):
        for x, y in zip(a, b):
            np.testing.assert_allclose(y, x, rtol=1e-5)


@pytest.mark.parametrize(
    "change, take",
    [
        (lambda state: state.update(state=[]), 2),
        (lambda state: state["state"].update({0: 3}), 2),
        (lambda state: state["state"].update({7: {}}), 2),
        (lambda state: state.update(param_groups={}), 2),
        (lambda state: state["param_groups"].pop(), 2),
        (lambda state: state["param_groups"][0].update(more=1), 2),
        (lambda state: state["param_groups"][0].update(params=[0, 1]), 2),
        (lambda state: None, 1),
    ],
)
def test_wrong_swaps(change, take):
    assert _failing(lambda: _swapped(torchlike, change, take)) == _failing(lambda: _swapped(torch, change, take))
