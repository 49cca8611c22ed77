"""Update rules, compared with PyTorch: parameters and state after many steps."""

import numpy as np
import pytest
import torch

import torchlike
from tests.optim.cases import CASES, IDS, ONE_EACH, Pair, give_grads, parameters, same


@pytest.mark.one_in(7)
@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_twenty_steps(name, options, dtype):
    pair = Pair(name, dtype, **options)
    tolerance = {} if dtype == "float32" else dict(rtol=1e-11, atol=1e-13)
    for seed in range(1, 21):
        pair.step(seed)
        if seed in (1, 2, 5, 6, 7, 20):
            pair.check(**tolerance)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=[name for name, _ in ONE_EACH])
def test_gradients_that_come_late(name, options):
    """Step parameters of one group that have taken different numbers of steps."""
    pair = Pair(name, **options)
    for seed, without in enumerate([(1, 2), (1,), (), (), (0,), (0, 1, 2), (), (2,), ()], start=1):
        pair.step(seed, without)
        pair.check()


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=[name for name, _ in ONE_EACH])
def test_complex_parameters(name, options):
    if name == "Adafactor":
        for library in (torchlike, torch):
            with pytest.raises(RuntimeError, match="Adafactor does not support complex parameters"):
                one_matrix(library, "Adafactor", np.ones((2, 2), "complex64")).step()
        return
    pair = Pair(name, "complex64", **options)
    for seed in range(1, 6):
        pair.step(seed)
        pair.check()


@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=[name for name, _ in ONE_EACH])
def test_options_that_change_between_steps(name, options):
    """Check that every option is read at every step, as schedulers require."""
    pair = Pair(name, **options)
    for seed in range(1, 8):
        for optimizer in pair.optimizers.values():
            group = optimizer.param_groups[0]
            group["lr"] = 0.1 / seed
            if "weight_decay" in group and seed > 3:
                group["weight_decay"] = 0.01 * seed
            if "momentum" in group:
                group["momentum"] = 0.9 - 0.05 * seed
            if "betas" in group:
                group["betas"] = (0.9 - 0.05 * seed, 0.99)
        pair.step(seed)
        pair.check()


def one_matrix(library, name, start, **options):
    (param,) = params = parameters(library, [start])
    give_grads(library, params, [np.ones_like(start)])
    optimizer = getattr(library.optim, name)(params, **options)
    assert optimizer.param_groups[0]["params"][0] is param
    return optimizer


@pytest.mark.parametrize(
    "options", [{}, dict(nesterov=False), dict(adjust_lr_fn="match_rms_adamw", lr=0.01, ns_steps=3)], ids=str
)
@pytest.mark.parametrize("shape", [(3, 5), (6, 2)])
def test_muon(shape, options):
    rng = np.random.default_rng(3)
    start = rng.standard_normal(shape).astype("float32")
    optimizers = [one_matrix(library, "Muon", start, **options) for library in (torchlike, torch)]
    for _ in range(5):
        grad = rng.standard_normal(shape).astype("float32")
        params = [optimizer.param_groups[0]["params"] for optimizer in optimizers]
        for library, optimizer, held in zip((torchlike, torch), optimizers, params):
            give_grads(library, held, [grad])
            optimizer.step()
        same(params[0][0], params[1][0])  # each step of the iteration is rounded as in PyTorch
        same(optimizers[0].state_dict(), optimizers[1].state_dict())


@pytest.mark.parametrize("options", [{}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "decoupled_weight_decay": True}])
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "NAdam", "RAdam", "RMSprop", "ASGD", "Rprop"])
def test_versions_of_parameters(name, options):
    """Each step adds PyTorch's number of writes to the version of a parameter, which errors of backward show."""

    def versions(library):
        parameter = library.nn.Parameter(library.ones(2))
        optimizer = getattr(library.optim, name)([parameter], lr=0.1, **options)
        found = []
        for _ in range(3):
            parameter.grad = library.ones(2)
            optimizer.step()
            found.append(parameter._version)
        return found

    try:
        due = versions(torch)
    except TypeError:  # the optimizer has no such option
        return
    assert versions(torchlike) == due
