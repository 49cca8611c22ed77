"""Learning rate schedulers, compared with PyTorch: learning rates, state, errors and warnings."""

import inspect
import math
import pickle
import warnings

import pytest
import torch

import torchlike
from tests.optim.cases import same


class Callable:
    """A callable object. Schedulers save its attributes."""

    def __init__(self, base):
        self.base = base

    def __call__(self, x):
        return self.base**x


# Each entry builds a scheduler from `(module, optimizer, **last_epoch)`.
STEPPED = {
    "StepLR": lambda m, o, **k: m.StepLR(o, 3, gamma=0.3, **k),
    "StepLR every step": lambda m, o, **k: m.StepLR(o, 1, **k),
    "MultiStepLR": lambda m, o, **k: m.MultiStepLR(o, [7, 2, 2, 5], gamma=0.7, **k),
    "LambdaLR": lambda m, o, **k: m.LambdaLR(o, lambda t: 0.95**t, **k),
    "LambdaLR by group": lambda m, o, **k: m.LambdaLR(o, [Callable(0.9), lambda t: 1 / (t + 1)], **k),
    "MultiplicativeLR": lambda m, o, **k: m.MultiplicativeLR(o, [lambda t: 0.95, lambda t: t / (t + 1)], **k),
    "ConstantLR": lambda m, o, **k: m.ConstantLR(o, **k),
    "ConstantLR half": lambda m, o, **k: m.ConstantLR(o, 0.5, 2, **k),
    "LinearLR": lambda m, o, **k: m.LinearLR(o, **k),
    "LinearLR down": lambda m, o, **k: m.LinearLR(o, 0.9, 0.1, 7, **k),
    "ExponentialLR": lambda m, o, **k: m.ExponentialLR(o, 0.87, **k),
    "PolynomialLR": lambda m, o, **k: m.PolynomialLR(o, 9, 1.7, **k),
    "PolynomialLR line": lambda m, o, **k: m.PolynomialLR(o, **k),
    "CosineAnnealingLR": lambda m, o, **k: m.CosineAnnealingLR(o, 5, eta_min=0.01, **k),
    "CosineAnnealingLR one": lambda m, o, **k: m.CosineAnnealingLR(o, 1, **k),
    "CosineAnnealingLR long": lambda m, o, **k: m.CosineAnnealingLR(o, 100, **k),
    "CosineAnnealingWarmRestarts": lambda m, o, **k: m.CosineAnnealingWarmRestarts(o, 4, **k),
    "CosineAnnealingWarmRestarts growing": lambda m, o, **k: m.CosineAnnealingWarmRestarts(o, 2, 2, 0.01, **k),
    "CyclicLR": lambda m, o, **k: m.CyclicLR(o, 0.01, [0.1, 0.2], 4, **k),
    "CyclicLR lopsided": lambda m, o, **k: m.CyclicLR(o, 0.01, 0.1, 4, 3, mode="triangular2", **k),
    "CyclicLR exp": lambda m, o, **k: m.CyclicLR(o, 0.01, 0.1, 3, mode="exp_range", gamma=0.97, **k),
    "CyclicLR own": lambda m, o, **k: m.CyclicLR(
        o, 0.01, 0.1, 3, scale_fn=lambda x: 0.9**x, scale_mode="iterations", **k
    ),
    "CyclicLR callable": lambda m, o, **k: m.CyclicLR(o, 0.01, 0.1, 3, scale_fn=Callable(0.9), **k),
    "CyclicLR still momentum": lambda m, o, **k: m.CyclicLR(o, 0.01, 0.1, 3, cycle_momentum=False, **k),
    "OneCycleLR": lambda m, o, **k: m.OneCycleLR(o, 0.3, total_steps=30, **k),
    "OneCycleLR linear": lambda m, o, **k: m.OneCycleLR(
        o, [0.3, 0.2], epochs=5, steps_per_epoch=6, anneal_strategy="linear", pct_start=0.5, **k
    ),
    "OneCycleLR three phases": lambda m, o, **k: m.OneCycleLR(
        o, 0.3, total_steps=30, three_phase=True, base_momentum=[0.7, 0.8], div_factor=5, final_div_factor=100, **k
    ),
    "OneCycleLR still momentum": lambda m, o, **k: m.OneCycleLR(o, 0.3, total_steps=30, cycle_momentum=False, **k),
}

COMBINED = {
    "SequentialLR": lambda m, o: m.SequentialLR(
        o, [m.ConstantLR(o, 0.1, 3), m.ExponentialLR(o, 0.9), m.StepLR(o, 2)], [4, 9]
    ),
    "SequentialLR warm-up": lambda m, o: m.SequentialLR(
        o, [m.LinearLR(o, 0.1, total_iters=4), m.CosineAnnealingLR(o, 8)], [4]
    ),
    "SequentialLR restarts": lambda m, o: m.SequentialLR(
        o, [m.CosineAnnealingWarmRestarts(o, 3), m.CosineAnnealingWarmRestarts(o, 2, 2)], [5]
    ),
    "SequentialLR nested": lambda m, o: m.SequentialLR(
        o, [m.SequentialLR(o, [m.ConstantLR(o, 0.5, 2), m.LinearLR(o)], [3]), m.ExponentialLR(o, 0.9)], [7]
    ),
    "ChainedScheduler": lambda m, o: m.ChainedScheduler([m.ConstantLR(o, 0.1, 2), m.ExponentialLR(o, 0.9)]),
    "ChainedScheduler three": lambda m, o: m.ChainedScheduler(
        [m.LinearLR(o), m.CosineAnnealingLR(o, 7), m.MultiStepLR(o, [3, 5])], optimizer=o
    ),
}

OPTIMIZERS = {"SGD": dict(momentum=0.9), "Adam": {}}


def make(library, optimizer="SGD", lr=0.1, last_epoch=None):
    groups = [
        {"params": [library.nn.Parameter(library.ones(2))]},
        {"params": [library.nn.Parameter(library.ones(3))], "lr": 0.05},
    ]
    made = getattr(library.optim, optimizer)(groups, lr=lr, **OPTIMIZERS[optimizer])
    if last_epoch is not None:
        for group in made.param_groups:
            group.update(initial_lr=group["lr"], max_lr=0.3, min_lr=0.001, max_momentum=0.95, base_momentum=0.85)
    return made


def both(build, optimizer="SGD", **kwargs):
    optimizers = [make(library, optimizer, **kwargs) for library in (torchlike, torch)]
    resume = {} if kwargs.get("last_epoch") is None else dict(last_epoch=kwargs["last_epoch"])
    with warnings.catch_warnings():  # both libraries warn about nested SequentialLRs
        warnings.filterwarnings("ignore", "Detected call of `lr_scheduler.step..` before")
        made = [build(o_module, o, **resume) for o_module, o in zip(modules(), optimizers)]
    return optimizers, made


def modules():
    return torchlike.optim.lr_scheduler, torch.optim.lr_scheduler


def check(optimizers, schedulers):
    ours, theirs = schedulers
    assert ours.get_last_lr() == theirs.get_last_lr()
    for a, b in zip(optimizers[0].param_groups, optimizers[1].param_groups):
        assert {k: v for k, v in a.items() if k != "params"} == {k: v for k, v in b.items() if k != "params"}
    assert_same_state(ours.state_dict(), theirs.state_dict())


def assert_same_state(ours, theirs):
    for state in (ours, theirs):
        state.pop("_scale_fn_ref", None)  # PyTorch's undocumented way to store a method
    assert list(ours) == list(theirs)
    for key in theirs:
        if key == "_schedulers":
            for a, b in zip(ours[key], theirs[key]):
                assert_same_state(a, b)
        else:
            same(ours[key], theirs[key])


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", [*STEPPED, *COMBINED])
def test_rates_and_state_equal_pytorchs(name, optimizer):
    build = {**STEPPED, **COMBINED}[name]
    optimizers, schedulers = both(build, optimizer)
    check(optimizers, schedulers)
    for _ in range(25):
        for o, s in zip(optimizers, schedulers):
            o.step()
            s.step()
        check(optimizers, schedulers)


@pytest.mark.parametrize("name", STEPPED)
def test_resuming_with_last_epoch(name):
    optimizers, schedulers = both(STEPPED[name], last_epoch=4)
    check(optimizers, schedulers)
    for _ in range(10):
        for o, s in zip(optimizers, schedulers):
            o.step()
            s.step()
        check(optimizers, schedulers)


@pytest.mark.parametrize("name", STEPPED)
def test_jump_to_epoch(name):
    optimizers, schedulers = both(STEPPED[name])
    for epoch in (3, 1, 7, 12, 12, 0, 5):
        for o, s in zip(optimizers, schedulers):
            o.step()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                s.step(epoch)
        check(optimizers, schedulers)


def test_warm_restarts_accept_fractional_epochs():
    for build in (STEPPED["CosineAnnealingWarmRestarts"], STEPPED["CosineAnnealingWarmRestarts growing"]):
        optimizers, schedulers = both(build)
        for epoch in (0.5, 1.25, 3.9, 4.5, 13.2, 0.1, None, None):
            for s in schedulers:
                s.step(epoch)
            check(optimizers, schedulers)


@pytest.mark.parametrize("name", [*STEPPED, *COMBINED])
def test_state_dict_moves_between_libraries(name):
    build = {**STEPPED, **COMBINED}[name]
    optimizers, schedulers = both(build)
    for _ in range(6):
        optimizers[1].step()
        schedulers[1].step()
    for a, b in zip(optimizers[0].param_groups, optimizers[1].param_groups):
        a.update({k: v for k, v in b.items() if k != "params"})
    schedulers[0].load_state_dict(schedulers[1].state_dict())
    check(optimizers, schedulers)
    for _ in range(6):
        for o, s in zip(optimizers, schedulers):
            o.step()
            s.step()
        check(optimizers, schedulers)


PLATEAUS = [
    dict(patience=1),
    dict(patience=0, cooldown=2, factor=0.5),
    dict(mode="max", patience=1, threshold=0.1),
    dict(threshold_mode="abs", threshold=0.2, patience=1),
    dict(mode="max", threshold_mode="abs", threshold=0.2, patience=1, min_lr=[0.01, 0.02]),
    dict(patience=0, min_lr=0.03, eps=0.01),
]


@pytest.mark.parametrize("options", PLATEAUS)
def test_reduce_lr_on_plateau_equals_pytorchs(options):
    optimizers, schedulers = both(lambda m, o: m.ReduceLROnPlateau(o, **options))
    check(optimizers, schedulers)
    for metric in (5, 4, 4.1, 4.05, 3.99, 3.99, 3.98, float("nan"), 3, 3, 3, 3, 9, 8, 8, 8, -1, -2, -2, -2):
        for s in schedulers:
            s.step(metric)
        check(optimizers, schedulers)
    fresh = torchlike.optim.lr_scheduler.ReduceLROnPlateau(make(torchlike))
    fresh.load_state_dict(schedulers[1].state_dict())
    assert_same_state(fresh.state_dict(), schedulers[1].state_dict())
    assert fresh.in_cooldown == schedulers[1].in_cooldown


def test_reduce_lr_on_plateau_accepts_a_tensor():
    scheduler = torchlike.optim.lr_scheduler.ReduceLROnPlateau(make(torchlike))
    scheduler.step(torchlike.tensor(2.5))
    assert scheduler.best == 2.5


def test_a_learning_rate_tensor_is_updated_in_place():
    optimizers = [
        library.optim.SGD([library.nn.Parameter(library.ones(2))], lr=library.tensor(0.1))
        for library in (torchlike, torch)
    ]
    rate = optimizers[0].param_groups[0]["lr"]
    schedulers = [m.CosineAnnealingLR(o, 5) for m, o in zip(modules(), optimizers)]
    for _ in range(8):
        for o, s in zip(optimizers, schedulers):
            o.step()
            s.step()
        assert optimizers[0].param_groups[0]["lr"] is rate
        assert math.isclose(rate.item(), optimizers[1].param_groups[0]["lr"].item(), rel_tol=1e-6, abs_tol=1e-8)


def outcome(call):
    """Return the error and the warnings of a call, as text."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            call()
            error = None
        except Exception as e:
            error = (type(e), str(e))
    ours = [
        (w.category, str(w.message)) for w in seen if "scheduler" in str(w.message) or "get_last_lr" in str(w.message)
    ]
    return error, ours


def adagrad(library):
    return library.optim.Adagrad([library.nn.Parameter(library.ones(2))])


MISTAKES = {
    "no optimizer": lambda m, o, lib: m.StepLR(3, 1),
    "no optimizer, plateau": lambda m, o, lib: m.ReduceLROnPlateau(3),
    "no optimizer, cycle": lambda m, o, lib: m.CyclicLR(3, 1, 2),
    "no optimizer, one cycle": lambda m, o, lib: m.OneCycleLR(3, 1),
    "verbose is gone": lambda m, o, lib: m.StepLR(o, 1, verbose=True),
    "resume without initial_lr": lambda m, o, lib: m.StepLR(o, 1, last_epoch=3),
    "scheduler first": lambda m, o, lib: m.StepLR(o, 1).step(),
    "right order": lambda m, o, lib: (s := m.StepLR(o, 1), o.step(), s.step()),
    "epoch": lambda m, o, lib: (s := m.StepLR(o, 1), o.step(), s.step(3)),
    "plateau epoch": lambda m, o, lib: m.ReduceLROnPlateau(o).step(3, 4),
    "step replaced": lambda m, o, lib: (s := m.StepLR(o, 1), setattr(o, "step", lambda: 0), s.step()),
    "get_lr": lambda m, o, lib: m.StepLR(o, 1).get_lr(),
    "get_lr lambda": lambda m, o, lib: m.LambdaLR(o, lambda t: 1).get_lr(),
    "get_lr cosine": lambda m, o, lib: m.CosineAnnealingLR(o, 3).get_lr(),
    "abstract": lambda m, o, lib: m.LRScheduler(o),
    "constant": lambda m, o, lib: m.ConstantLR(o, 2),
    "linear": lambda m, o, lib: m.LinearLR(o, 0),
    "linear 2": lambda m, o, lib: m.LinearLR(o, 2),
    "linear end": lambda m, o, lib: m.LinearLR(o, 0.5, 2),
    "lambdas": lambda m, o, lib: m.LambdaLR(o, [lambda t: 1] * 3),
    "multiplicative": lambda m, o, lib: m.MultiplicativeLR(o, [lambda t: 1] * 3),
    "T_0": lambda m, o, lib: m.CosineAnnealingWarmRestarts(o, 0),
    "T_0 float": lambda m, o, lib: m.CosineAnnealingWarmRestarts(o, 1.5),
    "T_mult": lambda m, o, lib: m.CosineAnnealingWarmRestarts(o, 1, 0),
    "eta_min": lambda m, o, lib: m.CosineAnnealingWarmRestarts(o, 1, eta_min="a"),
    "negative epoch": lambda m, o, lib: m.CosineAnnealingWarmRestarts(o, 1).step(-1),
    "empty sequence": lambda m, o, lib: m.SequentialLR(o, [], []),
    "sequence of two optimizers": lambda m, o, lib: m.SequentialLR(
        o, [m.ConstantLR(o), m.ConstantLR(adagrad(lib))], [3]
    ),
    "sequence milestones": lambda m, o, lib: m.SequentialLR(o, [m.ConstantLR(o), m.ConstantLR(o)], [3, 4]),
    "sequence plateau": lambda m, o, lib: m.SequentialLR(o, [m.ReduceLROnPlateau(o), m.ConstantLR(o)], [3]),
    "sequence of numbers": lambda m, o, lib: m.SequentialLR(o, [3, m.ConstantLR(o)], [3]),
    "empty chain": lambda m, o, lib: m.ChainedScheduler([]),
    "chain of two optimizers": lambda m, o, lib: m.ChainedScheduler([m.ConstantLR(o), m.ConstantLR(adagrad(lib))]),
    "chain plateau": lambda m, o, lib: m.ChainedScheduler([m.ConstantLR(o), m.ReduceLROnPlateau(o)]),
    "chain of numbers": lambda m, o, lib: m.ChainedScheduler([m.ConstantLR(o), 3]),
    "plateau factor": lambda m, o, lib: m.ReduceLROnPlateau(o, factor=1.0),
    "plateau mode": lambda m, o, lib: m.ReduceLROnPlateau(o, mode="x"),
    "plateau threshold mode": lambda m, o, lib: m.ReduceLROnPlateau(o, threshold_mode="x"),
    "plateau bounds": lambda m, o, lib: m.ReduceLROnPlateau(o, min_lr=[1, 2, 3]),
    "plateau without metric": lambda m, o, lib: m.ReduceLROnPlateau(o).step(),
    "plateau new group": lambda m, o, lib: (
        s := m.ReduceLROnPlateau(o, min_lr=[0, 0], patience=0),
        o.add_param_group({"params": lib.nn.Parameter(lib.ones(1))}),
        [s.step(1.0) for _ in range(3)],
    ),
    "cycle mode": lambda m, o, lib: m.CyclicLR(o, 0.1, 0.2, mode="x"),
    "cycle base": lambda m, o, lib: m.CyclicLR(o, [0.1] * 3, 0.2),
    "cycle momenta": lambda m, o, lib: m.CyclicLR(o, 0.1, 0.2, base_momentum=[0.1] * 3),
    "cycle no momentum": lambda m, o, lib: m.CyclicLR(adagrad(lib), 0.1, 0.2),
    "one cycle no momentum": lambda m, o, lib: m.OneCycleLR(adagrad(lib), 0.1, total_steps=3),
    "one cycle length": lambda m, o, lib: m.OneCycleLR(o, 0.1),
    "one cycle epochs only": lambda m, o, lib: m.OneCycleLR(o, 0.1, epochs=2),
    "one cycle steps": lambda m, o, lib: m.OneCycleLR(o, 0.1, total_steps=-1),
    "one cycle steps float": lambda m, o, lib: m.OneCycleLR(o, 0.1, total_steps=1.5),
    "one cycle epochs": lambda m, o, lib: m.OneCycleLR(o, 0.1, epochs=-1, steps_per_epoch=2),
    "one cycle steps per epoch": lambda m, o, lib: m.OneCycleLR(o, 0.1, epochs=1, steps_per_epoch=-2),
    "one cycle pct": lambda m, o, lib: m.OneCycleLR(o, 0.1, total_steps=3, pct_start=2),
    "one cycle strategy": lambda m, o, lib: m.OneCycleLR(o, 0.1, total_steps=3, anneal_strategy="x"),
    "one cycle ended": lambda m, o, lib: (
        s := m.OneCycleLR(o, 0.1, total_steps=3),
        [(o.step(), s.step()) for _ in range(5)],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_errors_and_warnings_equal_pytorchs(name):
    ours, theirs = (
        outcome(lambda m=m, lib=lib: MISTAKES[name](m, make(lib), lib)) for m, lib in zip(modules(), (torchlike, torch))
    )
    assert ours == theirs


def test_signatures_equal_pytorchs():
    ours, theirs = modules()
    for name in theirs.__all__:
        a, b = (inspect.signature(getattr(m, name)).parameters.values() for m in (ours, theirs))
        assert [(p.name, p.kind, p.default) for p in a] == [(p.name, p.kind, p.default) for p in b], name


def test_all_schedulers_exist():
    ours, theirs = modules()
    assert set(theirs.__all__) <= set(dir(ours))


def test_schedulers_wrap_step_once_and_the_state_can_be_pickled():
    optimizer = make(torchlike)
    torchlike.optim.lr_scheduler.StepLR(optimizer, 1)
    wrapped = optimizer.step
    torchlike.optim.lr_scheduler.StepLR(optimizer, 1)
    assert optimizer.step is wrapped
    copy = pickle.loads(pickle.dumps(optimizer.state_dict()))
    assert copy["param_groups"][0]["initial_lr"] == 0.1


def test_a_subclass_with_its_own_get_lr():
    class Halving(torchlike.optim.lr_scheduler.LRScheduler):
        def get_lr(self):
            return [base / 2**self.last_epoch for base in self.base_lrs]

    optimizer = make(torchlike)
    scheduler = Halving(optimizer)
    optimizer.step()
    scheduler.step()
    assert scheduler.get_last_lr() == [0.05, 0.025]
