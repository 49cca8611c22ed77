"""Loss scaling: the numbers, errors and state are PyTorch's."""

import copy
import pickle
import warnings

import pytest

import torchlike
from tests.oracle import both
from torchlike._engine import boundary, stats


def _setup(t, **options):
    model = t.nn.Linear(2, 2)
    with t.no_grad():
        for p in model.parameters():
            p.copy_(t.arange(p.numel()).reshape(p.shape) / 7)
    return model, t.optim.SGD(model.parameters(), 0.1), t.amp.GradScaler("cpu", **options), t.ones(1, 2)


def _loss(model, x):
    return model(x).square().sum()


def test_steps_that_grow_and_shrink_the_scale():
    def program(t):
        model, optimizer, scaler, x = _setup(t, init_scale=4.0, growth_interval=2, growth_factor=3.0)
        seen = []
        for factor in (1.0, 1.0, 1.0, float("inf"), 1.0, float("nan"), 1.0, 1.0):
            optimizer.zero_grad()
            (scaler.scale(_loss(model, x)) * factor).backward()
            seen.append(scaler.step(optimizer))
            scaler.update()
            seen += [scaler.get_scale(), scaler._get_growth_tracker(), model.weight.detach().clone()]
            seen += [scaler._scale, scaler._growth_tracker, scaler.state_dict()]
        return seen

    both(program)


def test_a_scale_that_would_overflow_does_not_grow():
    def program(t):
        model, optimizer, scaler, x = _setup(t, init_scale=2.0**127, growth_interval=1)
        scaler.scale(_loss(model, x) * 0).backward()
        scaler.step(optimizer)
        scaler.update()
        return scaler.get_scale(), scaler._get_growth_tracker()

    both(program)


def test_gradients_are_clipped_between():
    def program(t):
        model, optimizer, scaler, x = _setup(t)
        scaler.scale(_loss(model, x)).backward()
        before = model.weight.grad.clone()
        scaler.unscale_(optimizer)
        norm = t.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        scaler.step(optimizer)
        found = scaler._found_inf_per_device(optimizer)
        scaler.update()
        return before, norm, model.weight, model.weight.grad, list(found.values())

    both(program)


def test_two_optimizers_and_gradients_accumulated():
    def program(t):
        model, optimizer, scaler, x = _setup(t)
        other = t.optim.Adam([t.ones(2, requires_grad=True), t.ones(1, requires_grad=True)])
        weight = other.param_groups[0]["params"][0]
        for _ in range(2):
            scaler.scale(_loss(model, x) + (weight * 3).sum()).backward()
            scaler.scale(_loss(model, 2 * x)).backward()
            scaler.step(optimizer)
            scaler.step(other)
            scaler.update()
        return model.weight, weight, scaler.state_dict()

    both(program)


def test_scale_of_tensors_and_nested_containers():
    def program(t):
        scaler, x = t.amp.GradScaler("cpu"), t.ones(2)
        made = [scaler.scale(x), scaler.scale([x, [x]]), scaler.scale((x,)), list(scaler.scale(iter([x])))]
        return [*made, scaler.scale(x.bfloat16()), scaler.scale(x.sum().bfloat16()), scaler.scale(x.int())]

    both(program)


def _after_scaling(t):
    model, optimizer, scaler, x = _setup(t)
    scaler.scale(_loss(model, x)).backward()
    return model, optimizer, scaler


def _stepped(t):
    _, optimizer, scaler = _after_scaling(t)
    scaler.step(optimizer)
    return optimizer, scaler


def _unscaled(t):
    _, optimizer, scaler = _after_scaling(t)
    scaler.unscale_(optimizer)
    return optimizer, scaler


def _half(t):
    p = t.ones(2, dtype=t.float16, requires_grad=True)
    optimizer, scaler = t.optim.SGD([p], 0.1), t.amp.GradScaler("cpu")
    scaler.scale((p * 1).sum()).backward()
    return scaler.unscale_(optimizer)


def _without_gradients(t):
    _, optimizer, scaler, x = _setup(t)
    scaler.scale(x)
    return optimizer, scaler


REFUSED = [
    lambda t: t.amp.GradScaler("cpu", growth_factor=1.0),
    lambda t: t.amp.GradScaler("cpu", backoff_factor=1.0),
    lambda t: t.amp.GradScaler("cpu").scale(3),
    lambda t: _setup(t)[2].unscale_(_setup(t)[1]),
    lambda t: _setup(t)[2].step(_setup(t)[1]),
    lambda t: _setup(t)[2].update(),
    lambda t: (lambda o, s: s.step(o))(*_without_gradients(t)),
    lambda t: (lambda o, s: s.update())(*_without_gradients(t)),
    lambda t: (lambda o, s: s.step(o))(*_stepped(t)),
    lambda t: (lambda o, s: s.unscale_(o))(*_stepped(t)),
    lambda t: (lambda o, s: s.unscale_(o))(*_unscaled(t)),
    lambda t: (lambda o, s: s.step(o, closure=lambda: 0))(*_unscaled(t)),
    lambda t: (lambda o, s: s.update(t.ones(2)))(*_unscaled(t)),
    lambda t: (lambda o, s: s.update(t.ones((), requires_grad=True)))(*_unscaled(t)),
    lambda t: (lambda o, s: pickle.dumps(s))(*_unscaled(t)),
    lambda t: t.amp.GradScaler("cpu").load_state_dict({}),
    _half,
]


@pytest.mark.parametrize("program", REFUSED)
def test_refusals(program):
    both(program)


def test_a_new_scale_from_outside():
    def program(t):
        _, scaler = _unscaled(t)
        scaler.update(2.0)
        first = scaler.get_scale()
        scaler.update(t.tensor(3.0, dtype=t.float64))
        return first, scaler.get_scale(), scaler._scale

    both(program)


def test_disabled():
    def program(t):
        model, optimizer, _, x = _setup(t)
        scaler = t.amp.GradScaler("cpu", enabled=False)
        loss = _loss(model, x)
        same = scaler.scale(loss) is loss
        loss.backward()
        seen = [scaler.unscale_(optimizer), scaler.step(optimizer), scaler.update(), scaler.get_scale()]
        return same, seen, scaler.state_dict(), scaler.load_state_dict({}), scaler.is_enabled(), model.weight

    both(program)


def test_settings_and_state():
    def program(t):
        scaler = t.amp.GradScaler("cpu")
        scaler.load_state_dict(
            {"scale": 8.0, "growth_factor": 3.0, "backoff_factor": 0.25, "growth_interval": 5, "_growth_tracker": 2}
        )
        seen = [scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()]
        scaler.scale(t.ones(1))
        seen += [scaler._scale, scaler._growth_tracker]
        scaler.set_growth_factor(2.0)
        scaler.set_backoff_factor(0.5)
        scaler.set_growth_interval(1)
        twins = [copy.deepcopy(scaler), pickle.loads(pickle.dumps(scaler))]
        scaler.load_state_dict({**scaler.state_dict(), "scale": 16.0, "_growth_tracker": 7})
        return [*seen, scaler.state_dict(), scaler._scale, *[s.state_dict() for s in twins]]

    both(program)


def test_bfloat16_gradients():
    def program(t):
        p = t.ones(2, dtype=t.bfloat16, requires_grad=True)
        optimizer, scaler = t.optim.SGD([p], 0.5), t.amp.GradScaler("cpu")
        scaler.scale((p * 3).sum()).backward()
        scaler.unscale_(optimizer)
        grad = p.grad.clone()
        scaler.step(optimizer)
        scaler.update()
        return grad, p, scaler.get_scale()

    both(program)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize("number", [3.0, float("inf")])
def test_a_sparse_gradient(number):
    def program(t):
        p, scaler = t.ones(3, 2, requires_grad=True), t.amp.GradScaler("cpu", init_scale=2.0)
        optimizer = t.optim.SGD([p], 0.5)
        scaler.scale(t.ones(1))
        p.grad = t.sparse_coo_tensor([[1, 1]], t.tensor([[number, 1.0], [2.0, 2.0]]), (3, 2))
        scaler.unscale_(optimizer)
        return p.grad.to_dense(), list(scaler._found_inf_per_device(optimizer).values())

    both(program)


def test_cuda_without_a_gpu_is_disabled(monkeypatch):
    monkeypatch.setattr(torchlike.cuda, "is_available", lambda: False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scaler = torchlike.amp.GradScaler()
    assert not scaler.is_enabled()
    assert str(caught[0].message) == "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."


def _steps(count, model, optimizer, scaler, x, factor=1.0):
    for _ in range(count):
        optimizer.zero_grad()
        with torchlike.autocast("cpu"):
            loss = torchlike.nn.functional.mse_loss(model(x), x)
        (scaler.scale(loss) * factor).backward()
        scaler.step(optimizer)
        scaler.update()


def test_a_scale_that_grows_and_shrinks_compiles_nothing():
    boundary()
    model, optimizer, scaler, x = _setup(torchlike, init_scale=4.0, growth_interval=1)
    _steps(2, model, optimizer, scaler, x)
    before, compiles = scaler.get_scale(), stats.compiles
    _steps(3, model, optimizer, scaler, x)
    _steps(1, model, optimizer, scaler, x, float("inf"))
    _steps(3, model, optimizer, scaler, x)
    assert scaler.get_scale() == before * 2**5
    assert stats.compiles == compiles


def test_a_step_is_four_programs_from_the_first_on():
    """Check that a step compiles four programs, all of them at the first step.

    They are forward and backward, the unscaling of the gradients, the optimizer, and the update of the scale.
    """
    boundary()
    model, optimizer, scaler, x = _setup(torchlike)
    with torchlike.set_executor("xla"):
        before = stats.compiles
        _steps(1, model, optimizer, scaler, x)
        first = stats.compiles - before
        _steps(5, model, optimizer, scaler, x)
    assert (first, stats.compiles - before) == (4, 4)


@pytest.mark.parametrize("part", [slice(None), slice(1, None)], ids=["one", "overlapping"])
def test_gradients_that_share_memory_are_divided_one_after_the_other(part):
    def program(t):
        w, v = t.nn.Parameter(t.ones(4)), t.nn.Parameter(t.ones(4)[part].clone())
        optimizer, scaler = t.optim.SGD([w, v], lr=0.1), t.amp.GradScaler("cpu", init_scale=8.0)
        scaler.scale(w.sum()).backward()
        v.grad = w.grad[part]
        scaler.step(optimizer)
        return w.grad.tolist(), w.tolist(), v.tolist()

    both(program)
