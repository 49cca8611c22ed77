"""Recompilation: later steps and epochs, and changed numbers, must not compile another program."""

import numpy as np
import pytest

import torchlike as torch
from torchlike import nn
from torchlike._engine import boundary, stats
from torchlike._engine.interpreter import costs
from torchlike._engine.trace.flush import forget_programs
from torchlike._engine.xla.executor import FEW_NUMBERS


def _step(model, optimizer, x, y, scale=1.0):
    loss = nn.functional.cross_entropy(model(x), y) * scale
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@pytest.fixture
def model():
    boundary()  # run pending work of failed tests, which would otherwise become part of the first step
    forget_programs()
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 3))


def _batch(n):
    rng = np.random.default_rng(n)
    return torch.tensor(rng.standard_normal((n, 5)).astype("float32")), torch.tensor(rng.integers(0, 3, n))


def _compiles(run):
    before = stats.compiles
    run()
    return stats.compiles - before


def _first_steps(*args):
    """Run two steps: the first is interpreted, and the second compiles forward, backward and update."""
    for _ in range(2):
        _step(*args)


@pytest.mark.parametrize("is_small", [True, False])
def test_a_step_compiles_two_programs_and_later_steps_none(model, is_small, monkeypatch):
    if not is_small:
        monkeypatch.setattr(costs, "FEW", 0)
    optimizer = torch.optim.Adam(model.parameters())
    x, y = _batch(4)
    assert _compiles(lambda: _step(model, optimizer, x, y)) == (0 if is_small else 1)
    assert _compiles(lambda: _step(model, optimizer, x, y)) == (2 if is_small else 1)
    assert _compiles(lambda: [_step(model, optimizer, x, y) for _ in range(5)]) == 0


def test_the_interpreted_first_update_equals_the_compiled_one_bit_for_bit():
    """The interpreted first update equals a compiled one bit for bit.

    Training that resumes from a checkpoint interprets its first update. It must give the same result as one long run.
    """

    def trained(name, options):
        torch.manual_seed(0)
        params = [nn.Parameter(torch.randn(*shape)) for shape in ((64, 64), (64,), (129, 37), (3,))]
        optimizer = getattr(torch.optim, name)(params, **options)
        for _ in range(3):
            for param in params:
                param.grad = torch.randn(*param.shape)
            optimizer.step()
        return [param.tolist() for param in params]

    plain = [(name, {}) for name in ("Adadelta", "NAdam", "RAdam")]
    for name, options in (
        *plain,
        ("SGD", {"momentum": 0.9}),
        ("AdamW", {"amsgrad": True}),
        ("RMSprop", {"centered": True}),
        ("Adagrad", {"weight_decay": 0.1}),
    ):
        forget_programs()
        with torch.explain() as report:
            interpreted = trained(name, options)
        assert report.totals.interpreter_runs > 0
        forget_programs()
        with torch.set_executor("xla"):
            assert trained(name, options) == interpreted, name


def test_setup_before_the_first_step_is_a_separate_program():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 11), nn.ReLU(), nn.Linear(11, 3))
    mask = torch.ones(4, 5).tril()
    average = [p.detach().clone() for p in model.parameters()]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = _batch(4)

    def steps():
        for _ in range(3):
            nn.functional.cross_entropy(model(x * mask), y).backward()
            optimizer.step()
            optimizer.zero_grad()
            with torch.no_grad():
                for a, p in zip(average, model.parameters()):
                    a.mul_(0.9).add_(p, alpha=0.1)

    assert _compiles(steps) == 2


def test_a_model_without_gradients_runs_as_one_program(model):
    model.requires_grad_(False)
    x, _ = _batch(4)
    model(x).tolist()
    with torch.explain() as report:
        model(x).tolist()
    assert report.totals.runs == 1


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop"])
def test_a_learning_rate_that_changes_each_step_compiles_nothing(model, name):
    optimizer = getattr(torch.optim, name)(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch)
    x, y = _batch(4)
    _first_steps(model, optimizer, x, y)

    def steps():
        for _ in range(10):
            _step(model, optimizer, x, y)
            scheduler.step()

    assert _compiles(steps) == 0


def test_a_learning_rate_that_becomes_equal_to_another_number_compiles_nothing(model):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1, eps=1e-3)
    x, y = _batch(4)
    _first_steps(model, optimizer, x, y)
    optimizer.param_groups[0]["lr"] = 1e-3
    assert _compiles(lambda: _step(model, optimizer, x, y)) == 0


def test_a_loss_scale_that_changes_compiles_nothing(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = _batch(4)
    _first_steps(model, optimizer, x, y, 2.0)
    assert _compiles(lambda: [_step(model, optimizer, x, y, 2.0**n) for n in range(5)]) == 0


def test_a_last_batch_of_another_size_compiles_once(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = _batch(4)
    last_x, last_y = _batch(3)
    _first_steps(model, optimizer, x, y)

    def epoch():
        _step(model, optimizer, x, y)
        _step(model, optimizer, last_x, last_y)

    assert [_compiles(epoch) for _ in range(5)] == [0, 1, 0, 0, 0]  # interpreted first, compiled at the second run


def test_accumulating_gradients_compiles_one_more_program(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = _batch(4)

    def accumulate():
        optimizer.zero_grad()
        for _ in range(3):
            nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    # In the first round, the accumulating backward runs a second time and is compiled. In the second round, the
    # non-accumulating backward and the update are compiled.
    assert [_compiles(accumulate) for _ in range(4)] == [1, 2, 0, 0]


def test_an_index_that_varies_stops_compiling():
    x = torch.ones(50, 3).requires_grad_()
    rows = [(x[i] * 2).sum().item() for i in range(8)]
    assert rows == [6.0] * 8
    assert _compiles(lambda: [(x[i] * 2).sum().item() for i in range(8, 50)]) == 0


def test_python_numbers_are_inputs_of_a_program():
    x = torch.ones(7)
    (x * 1.5 + 2).sum().item()
    assert _compiles(lambda: [(x * (i / 3) + i).sum().item() for i in range(5)]) == 0


def test_many_python_numbers_are_inputs_of_a_program():
    """A program takes many numbers as one argument each, so that the kernels of a loop do not differ."""
    count = FEW_NUMBERS + 4

    def scaled(x, scale):
        for i in range(count):
            x = x * (scale + i / count) + i - scale
        return x.sum().item()

    def expected(scale):
        x = np.ones(3)
        for i in range(count):
            x = x * (scale + i / count) + i - scale
        return x.sum()

    with torch.set_executor("xla"):
        x = torch.ones(3, dtype=torch.float64)
        assert scaled(x, 0.5) == pytest.approx(expected(0.5), rel=1e-12)
        assert _compiles(lambda: scaled(x, 0.7)) == 0
        assert scaled(x, -0.3) == pytest.approx(expected(-0.3), rel=1e-12)


@pytest.mark.parametrize("optimizer", [torch.optim.SparseAdam, torch.optim.Adagrad])
def test_sparse_gradients_of_many_lengths_compile_once(optimizer):
    table = nn.Embedding(40, 3, sparse=True)
    made = optimizer(table.parameters(), lr=0.1)

    def step(length):
        made.zero_grad()
        table(torch.arange(length) % 7).sum().backward()
        made.step()
        return table.weight.detach().sum().item()

    step(17)
    assert _compiles(lambda: [step(length) for length in range(18, 32)]) == 0
