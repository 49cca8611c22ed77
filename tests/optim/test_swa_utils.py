"""Averaged models, compared with PyTorch."""

import warnings

import numpy as np
import pytest
import torch

import torchlike

LIBRARIES = (torchlike, torch)


def model(library):
    nn = library.nn
    return nn.Sequential(nn.Linear(2, 2, bias=False), nn.BatchNorm1d(2))


def tools(library):
    import importlib

    return importlib.import_module(f"{library.__name__}.optim.swa_utils")


AVERAGES = {
    "equal": lambda m: {},
    "equal, with buffers": lambda m: dict(use_buffers=True),
    "own": lambda m: dict(avg_fn=lambda a, p, n: a + p / (n + 2)),
    "ema": lambda m: dict(avg_fn=m.get_ema_avg_fn(0.9), use_buffers=True),
    "ema of lists": lambda m: dict(multi_avg_fn=m.get_ema_multi_avg_fn(0.9)),
    "swa of lists": lambda m: dict(multi_avg_fn=m.get_swa_multi_avg_fn()),
}


@pytest.mark.parametrize("name", AVERAGES)
def test_average(name):
    states = []
    for library in LIBRARIES:
        trained, m = model(library), tools(library)
        averaged = m.AveragedModel(trained, **AVERAGES[name](m))
        for k in range(4):
            with library.no_grad():
                trained[0].weight.fill_(k + 1.0)
                trained[1].running_mean.fill_(2.0 * k)
                trained[1].num_batches_tracked.fill_(10 * k)
            averaged.update_parameters(trained)
        states.append({key: value.numpy() for key, value in averaged.state_dict().items()})
    assert list(states[0]) == list(states[1])
    for key in states[1]:
        assert states[0][key].dtype == states[1][key].dtype
        np.testing.assert_allclose(states[0][key], states[1][key], rtol=1e-6)


def test_update_bn():
    made = []
    for library in LIBRARIES:
        trained = model(library).eval()
        with library.no_grad():
            trained[0].weight.fill_(0.5)
        batches = [library.arange(8.0).reshape(4, 2), (library.ones(3, 2), 5)]
        tools(library).update_bn(batches, trained)
        norm = trained[1]
        made.append([norm.running_mean.tolist(), norm.running_var.tolist(), norm.momentum, trained.training])
    np.testing.assert_allclose(made[0][0], made[1][0], rtol=1e-6)
    np.testing.assert_allclose(made[0][1], made[1][1], rtol=1e-6)
    assert made[0][2:] == made[1][2:]


@pytest.mark.parametrize("options", [{}, dict(anneal_epochs=3, anneal_strategy="linear"), dict(anneal_epochs=0)])
def test_swalr(options):
    made = []
    for library in LIBRARIES:
        optimizer = library.optim.SGD([library.nn.Parameter(library.ones(1))], lr=0.1)
        scheduler = tools(library).SWALR(optimizer, 0.01, **options)
        rates = [scheduler.get_last_lr()]
        for _ in range(12):
            optimizer.step()
            scheduler.step()
            rates.append(scheduler.get_last_lr())
        made.append((rates, scheduler.state_dict()))
    assert made[0] == made[1]


MISTAKES = [
    lambda m, o: m.get_ema_avg_fn(2.0),
    lambda m, o: m.get_ema_multi_avg_fn(-1),
    lambda m, o: m.SWALR(o, [1, 2]),
    lambda m, o: m.SWALR(o, 0.1, anneal_strategy="x"),
    lambda m, o: m.SWALR(o, 0.1, anneal_epochs=-1),
    lambda m, o: m.SWALR(o, 0.1, anneal_epochs=1.5),
    lambda m, o: m.AveragedModel(None, avg_fn=1, multi_avg_fn=2),
]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_errors_equal_pytorchs(mistake):
    seen = []
    for library in LIBRARIES:
        optimizer = library.optim.SGD([library.nn.Parameter(library.ones(1))], lr=0.1)
        with pytest.raises((ValueError, AssertionError)) as error, warnings.catch_warnings():
            mistake(tools(library), optimizer)
        seen.append((error.type, str(error.value)))
    assert seen[0] == seen[1]


def _averaged_while_training(library, options, compiled):
    net = library.nn.Sequential(library.nn.Linear(3, 3), library.nn.BatchNorm1d(3))
    with library.no_grad():
        for i, p in enumerate(net.parameters()):
            p.copy_((library.arange(p.numel()).reshape(p.shape) + i).float().sin())
    optimizer = library.optim.SGD(net.parameters(), lr=0.1)
    averaged = library.optim.swa_utils.AveragedModel(net, **options(library.optim.swa_utils))
    x = library.arange(12.0).reshape(4, 3).cos()

    def step():
        optimizer.zero_grad()
        net(x).square().sum().backward()
        optimizer.step()
        averaged.update_parameters(net)

    run = library.compile(step, fullgraph=True) if compiled else step
    for _ in range(4):
        run()
    step()  # the count is then pending, and the next call must notice
    run()
    return averaged, run


@pytest.mark.parametrize(
    "options",
    [
        lambda utils: {"multi_avg_fn": utils.get_ema_multi_avg_fn(0.9)},
        lambda utils: {},
        lambda utils: {"avg_fn": lambda a, p, n: a * (n / (n + 1)) + p / (n + 1)},
    ],
    ids=["exponential", "equal", "own"],
)
def test_a_compiled_step_averages(options):
    ours, run = _averaged_while_training(torchlike, options, True)
    theirs, _ = _averaged_while_training(torch, options, False)
    assert ours.n_averaged.item() == theirs.n_averaged.item() == 6
    for mine, yours in zip(ours.state_dict().values(), theirs.state_dict().values(), strict=True):
        np.testing.assert_allclose(mine.numpy(), yours.numpy(), rtol=1e-5, atol=1e-6)
    assert run.explained().uncompiled == ()


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_model_with_other_buffers_is_refused(library):
    averaged = library.optim.swa_utils.AveragedModel(model(library))
    with pytest.raises(ValueError, match="shorter than argument 1"):
        averaged.update_parameters(library.nn.Sequential())
