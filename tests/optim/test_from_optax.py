"""Optax transformations as optimizers, compared with plain optax in JAX, step by step."""

import copy
import io

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import torchlike
from tests.engine.interrupting import alarms_interrupt, cut_short
from tests.optim.cases import arrays, give_grads, parameters
from torchlike._engine import stats
from torchlike.optim import from_optax, lr_scheduler

CHAIN = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.cosine_decay_schedule(0.1, 20)))
is_matrix = lambda x: x.ndim == 2
MAKERS = {
    "sgd": (optax.sgd, dict(learning_rate=0.1, momentum=0.9, nesterov=True)),
    "adam": (optax.adam, dict(learning_rate=0.01, b2=0.99)),
    "adamw": (
        optax.adamw,
        dict(learning_rate=0.01, weight_decay=0.1, mask=lambda p: {k: x.ndim > 1 for k, x in p.items()}),
    ),
    "lion": (optax.lion, dict(learning_rate=0.01, weight_decay=0.1)),
    "lamb": (optax.lamb, dict(learning_rate=0.01)),
    "adafactor": (optax.adafactor, dict(learning_rate=0.01, min_dim_size_to_factor=2)),
    "muon": (optax.contrib.muon, dict(learning_rate=0.01)),
    "noisy_sgd": (optax.noisy_sgd, dict(learning_rate=0.01, key=jax.random.key(0))),
    "schedule_free": (optax.contrib.schedule_free_adamw, dict(learning_rate=0.01)),
    "every_other": (optax.MultiSteps(optax.adam(0.01), 2).gradient_transformation(), {}),
    "chain": (CHAIN, {}),
}


class Plain:
    """Parameters that plain optax updates in JAX."""

    def __init__(self, starts, dtype="float32"):
        self.params = {str(i): jnp.asarray(a, dtype) for i, a in enumerate(starts)}
        self.dtype, self.state = dtype, None

    def step(self, tx, grads):
        if self.state is None:
            self.state = tx.init(self.params)
        grads = {str(i): jnp.asarray(g, self.dtype) for i, g in enumerate(grads)}
        updates, self.state = jax.jit(tx.update)(grads, self.state, self.params)
        self.params = optax.apply_updates(self.params, updates)

    def check(self, params, rtol=1.3e-6, atol=1e-5):
        for ours, theirs in zip(params, self.params.values(), strict=True):
            assert str(ours.dtype) == f"torch.{self.dtype}"
            np.testing.assert_allclose(
                ours.detach().float().numpy(), np.asarray(theirs, "float32"), rtol=rtol, atol=atol
            )


def halves(params):
    return [torchlike.nn.Parameter(p.detach().bfloat16()) for p in params]


def grads_of(params, seed):
    for param, grad in zip(params, arrays(seed)):
        param.grad = torchlike.from_numpy(grad.copy()).to(param.dtype)
    return arrays(seed)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", MAKERS)
def test_twenty_steps(name, dtype):
    make, options = MAKERS[name]
    params = parameters(torchlike, arrays(0))
    params = params if dtype == "float32" else halves(params)
    optimizer, plain = from_optax(make, params, **options), Plain(arrays(0), dtype)
    tx = make(**options) if options else make
    for seed in range(1, 21):
        grads = grads_of(params, seed)
        optimizer.step()
        plain.step(tx, grads)
        # In half precision, XLA rounds intermediate results of some fused programs and not those of others.
        plain.check(params, **({} if dtype == "float32" else dict(rtol=1.6e-2, atol=1.6e-2)))


def test_a_scheduler_and_options_of_groups_reach_the_transformation():
    params = parameters(torchlike, arrays(0))
    groups = [{"params": params[:1]}, {"params": params[1:], "learning_rate": 0.5, "weight_decay": 0.0}]
    optimizer = from_optax(optax.lion, groups, learning_rate=0.1, weight_decay=0.3)
    assert [group["lr"] for group in optimizer.param_groups] == [0.1, 0.5]
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.9)
    plains = [Plain(arrays(0)[:1]), Plain(arrays(0)[1:])]
    compiles = []
    for seed in range(1, 21):
        grads = grads_of(params, seed)
        optimizer.step()
        scheduler.step()
        compiles.append(stats.compiles)
        rate = 0.9 ** (seed - 1)
        plains[0].step(optax.lion(0.1 * rate, weight_decay=0.3), grads[:1])
        plains[1].step(optax.lion(0.5 * rate, weight_decay=0.0), grads[1:])
        plains[0].check(params[:1])
        plains[1].check(params[1:])
    optimizer.param_groups[1]["b1"] = 0.5
    grads = grads_of(params, 30)
    optimizer.step()
    plains[1].step(optax.lion(0.5 * 0.9**20, b1=0.5, weight_decay=0.0), grads[1:])
    plains[1].check(params[1:])
    assert stats.compiles == compiles[1], "numbers are inputs of the program"


class Loop:
    """Training of a small network."""

    def __init__(self, make=optax.adamw, compiled=False, scaler=None, **options):
        torchlike.manual_seed(0)
        self.net = torchlike.nn.Sequential(torchlike.nn.Linear(4, 8), torchlike.nn.ReLU(), torchlike.nn.Linear(8, 1))
        self.optimizer = from_optax(make, self.net.parameters(), **(options or dict(learning_rate=0.01)))
        self.x, self.y = torchlike.randn(16, 4), torchlike.randn(16, 1)
        self.scaler = scaler or torchlike.amp.GradScaler("cpu", enabled=False)
        self.run = torchlike.compile(self._step, fullgraph=True) if compiled else self._step

    def _step(self):
        self.optimizer.zero_grad()
        loss = (self.net(self.x) - self.y).square().mean()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss

    def losses(self, steps=6):
        scheduler = lr_scheduler.StepLR(self.optimizer, 2, 0.5)
        found = []
        for _ in range(steps):
            found.append(self.run().item())
            scheduler.step()
        return found


def test_a_compiled_step():
    compiled, plain = Loop(compiled=True), Loop()
    np.testing.assert_allclose(compiled.losses(), plain.losses(), rtol=1e-6)
    compiles = stats.compiles
    compiled.losses()
    assert stats.compiles == compiles
    plain.losses()
    compiled.optimizer.param_groups[0]["nesterov"] = plain.optimizer.param_groups[0]["nesterov"] = True
    np.testing.assert_allclose(compiled.losses(), plain.losses(), rtol=1e-6)


def test_a_compiled_step_sees_a_loaded_state():
    compiled, plain = Loop(compiled=True), Loop()
    state = copy.deepcopy(plain.optimizer.state_dict())
    for loop in (compiled, plain):
        loop.losses()
        loop.optimizer.load_state_dict(copy.deepcopy(state))
    np.testing.assert_allclose(compiled.losses(), plain.losses(), rtol=1e-6)


def test_grad_scaler():
    scaler = torchlike.amp.GradScaler("cpu", init_scale=2.0**120, growth_interval=2)
    scaled, plain = Loop(scaler=scaler), Loop()
    weight = scaled.net[0].weight.tolist()
    scaled.run()
    if scaler.get_scale() < 2.0**120:  # the first gradients overflowed
        assert scaled.net[0].weight.tolist() == weight
    scaler.update(1024.0)
    before = copy.deepcopy(scaled.net.state_dict()), copy.deepcopy(scaled.optimizer.state_dict())
    plain.net.load_state_dict(before[0])
    plain.optimizer.load_state_dict(before[1])
    np.testing.assert_allclose(scaled.losses(), plain.losses(), rtol=1e-5)


def test_a_step_that_the_device_skips():
    params = parameters(torchlike, arrays(0))
    optimizer, plain = from_optax(optax.adam, params, learning_rate=0.1), Plain(arrays(0))
    for seed, overflow in enumerate([1.0, 0.0, 1.0, 0.0], start=1):
        grads = grads_of(params, seed)
        optimizer._step_groups(None, {"cpu": torchlike.tensor(overflow)})
        if not overflow:
            plain.step(optax.adam(0.1), grads)
        plain.check(params)
    assert optimizer.state[params[0]]["0.count"].item() == 2


def make_groups(params):
    groups = [{"params": params[:1], "weight_decay": 0.0}, {"params": params[1:]}]
    return from_optax(optax.adamw, groups, learning_rate=0.1, mu_dtype=jnp.bfloat16)


@pytest.mark.parametrize("weights_only", [True, False])
def test_state_dict_round_trip(weights_only):
    params = parameters(torchlike, arrays(0))
    optimizer = make_groups(params)
    for seed in range(1, 4):
        grads_of(params, seed)
        optimizer.step()
    file = io.BytesIO()
    torchlike.save(optimizer.state_dict(), file)
    file.seek(0)
    others = [torchlike.nn.Parameter(p.detach().clone()) for p in params]
    resumed = make_groups(others)
    resumed.load_state_dict(torchlike.load(file, weights_only=weights_only))
    assert sorted(resumed.state_dict()["state"][0]) == ["0.count", "0.mu", "0.nu"]
    for seed in range(4, 8):
        for each, optimizer_of in ((params, optimizer), (others, resumed)):
            grads_of(each, seed)
            optimizer_of.step()
        assert all(torchlike.equal(p, q) for p, q in zip(params, others))
    kept = resumed.state[others[1]]
    assert (kept["0.mu"].dtype, kept["0.count"].dtype) == (torchlike.bfloat16, torchlike.int32)
    assert kept["0.count"] is resumed.state[others[2]]["0.count"]
    assert kept["0.count"].item() == 7


def test_a_pickled_optimizer_continues():
    loop = Loop()
    loop.losses()
    copied = copy.deepcopy(loop)
    copied.run = copied._step
    np.testing.assert_array_equal(copied.losses(), loop.losses())


def test_parameters_without_gradients_keep_value_and_state():
    params = parameters(torchlike, arrays(0))
    params[0].requires_grad_(False)
    optimizer = from_optax(optax.adam, params, learning_rate=0.1)
    give_grads(torchlike, params, [None, *arrays(1)[1:]])
    optimizer.step()
    assert sorted(optimizer.state_dict()["state"]) == [1, 2], "a frozen parameter has no state"
    mean = optimizer.state[params[1]]["0.mu"].clone()
    params[0].requires_grad_(True)
    before = params[1].tolist()
    give_grads(torchlike, params, [arrays(2)[0], None, arrays(2)[2]])
    optimizer.step()
    assert params[1].tolist() == before
    assert torchlike.equal(optimizer.state[params[1]]["0.mu"], mean)
    assert {p: s["0.count"].item() for p, s in optimizer.state.items()} == dict.fromkeys(params, 2)
    give_grads(torchlike, params, [None] * 3)
    optimizer.step()
    assert optimizer.state[params[1]]["0.count"].item() == 2


def test_a_state_over_all_parameters_cannot_grow():
    params = parameters(torchlike, arrays(0))
    params[0].requires_grad_(False)
    optimizer = from_optax(optax.flatten(optax.adam(0.1)), params)
    give_grads(torchlike, params, [None, *arrays(1)[1:]])
    optimizer.step()
    params[0].requires_grad_(True)
    grads_of(params, 2)
    with pytest.raises(RuntimeError, match="mu of the transformation depends on all parameters"):
        optimizer.step()
    assert params[0] not in optimizer.state


def test_names_select_parts():
    """Labels may equal names of parameters."""
    net = torchlike.nn.Linear(3, 2)
    start = {name: jnp.asarray(p.detach().numpy().copy()) for name, p in net.named_parameters()}
    parts = {"weight": optax.adam(0.1), "rest": optax.sgd(0.1, momentum=0.9)}
    tx = optax.multi_transform(
        parts, lambda params: {name: "weight" if name == "weight" else "rest" for name in params}
    )
    optimizer = from_optax(tx, net.named_parameters())
    state = tx.init(start)
    for _ in range(3):
        optimizer.zero_grad()
        (net.weight.square().sum() + net.bias.square().sum()).backward()
        optimizer.step()
        updates, state = tx.update({name: 2 * p for name, p in start.items()}, state, start)
        start = optax.apply_updates(start, updates)
    for name, p in net.named_parameters():
        np.testing.assert_allclose(p.detach().numpy(), start[name], rtol=1e-6)
    assert "inner_states.rest.inner_state.0.trace" in optimizer.state[net.bias]


def test_the_loss_of_a_closure():
    params = parameters(torchlike, arrays(0))
    optimizer = from_optax(optax.polyak_sgd, params)

    def closure():
        optimizer.zero_grad()
        loss = sum(p.square().sum() for p in params)
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(3)]
    np.testing.assert_allclose(losses[1:], [losses[0] / 4, losses[0] / 16], rtol=1e-5)
    with pytest.raises(TypeError, match="value"):
        optimizer.step()


def test_a_number_whose_value_is_needed():
    """Such a number is part of the program."""

    def make(learning_rate, limit=1.0):
        return optax.chain(optax.clip(limit), optax.sgd(learning_rate)) if limit > 0.5 else optax.sgd(learning_rate)

    param = torchlike.nn.Parameter(torchlike.zeros(2))
    optimizer = from_optax(make, [param], learning_rate=1.0)
    param.grad = torchlike.full((2,), 4.0)
    optimizer.step()
    optimizer.param_groups[0]["limit"] = 0.25
    optimizer.param_groups[0]["lr"] = 0.5
    optimizer.step()
    assert param.tolist() == [-3.0, -3.0]


SCHEDULERS = {
    "StepLR": {"step_size": 1},
    "ReduceLROnPlateau": {},
    "OneCycleLR": {"max_lr": 1, "total_steps": 5, "cycle_momentum": False},
    "CyclicLR": {"base_lr": 0.1, "max_lr": 1, "cycle_momentum": False},
}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("is_schedule", [False, True])
def test_a_fixed_learning_rate_cannot_be_scheduled(is_schedule, scheduler):
    params = parameters(torchlike, arrays(0))
    schedule = optax.linear_schedule(1, 0, 5)
    optimizer = from_optax(optax.adam, params, lr=schedule) if is_schedule else from_optax(optax.adam(0.1), params)
    with pytest.raises(RuntimeError, match="is part of its optax transformation"):
        getattr(lr_scheduler, scheduler)(optimizer, **SCHEDULERS[scheduler])


def test_errors():
    params = parameters(torchlike, arrays(0))
    with pytest.raises(TypeError, match="fixed, but got lr"):
        from_optax(optax.adam(0.1), params, lr=0.1)
    with pytest.raises(TypeError, match="betas"):
        from_optax(optax.adam, params, lr=0.1, betas=(0.9, 0.99))
    with pytest.raises(TypeError, match="but got float"):
        from_optax(0.1, params)
    with pytest.raises(ValueError, match="required optimization parameter lr"):
        from_optax(optax.adam, params)
    with pytest.raises(ValueError, match="Invalid learning rate: -1"):
        from_optax(optax.adam, params, lr=-1)
    with pytest.raises(TypeError, match="the option mask of a group"):
        from_optax(optax.adamw, [{"params": params, "mask": lambda x: x}], lr=1)
    fixed = from_optax(optax.adam(0.1), params)
    fixed.param_groups[0]["lr"] = 0.1
    grads_of(params, 1)
    with pytest.raises(RuntimeError, match="cannot be changed"):
        fixed.step()
    with pytest.raises(TypeError, match=r"instead of optax\.inject_hyperparams"):
        from_optax(optax.inject_hyperparams(optax.adam), params, learning_rate=0.1).step()


def test_sparse_gradients_and_shared_memory_are_refused():
    table = torchlike.nn.Embedding(3, 2, sparse=True)
    optimizer = from_optax(optax.adam, table.parameters(), lr=0.1)
    table(torchlike.tensor([1])).sum().backward()
    with pytest.raises(RuntimeError, match="does not support sparse gradients"):
        optimizer.step()
    base = torchlike.zeros(4)
    views = [torchlike.nn.Parameter(base[:3]), torchlike.nn.Parameter(base[1:])]
    for view in views:
        view.grad = torchlike.ones(3)
    with pytest.raises(NotImplementedError, match="share memory"):
        from_optax(optax.adam, views, lr=0.1).step()


def test_memory_is_reused():
    param = torchlike.nn.Parameter(torchlike.zeros(1000))
    optimizer = from_optax(optax.adam, [param], lr=0.1)
    for _ in range(3):
        param.grad = torchlike.ones(1000)
        optimizer.step()
    places = param.data_ptr(), optimizer.state[param]["0.mu"].data_ptr()
    param.grad = torchlike.ones(1000)
    optimizer.step()
    assert (param.data_ptr(), optimizer.state[param]["0.mu"].data_ptr()) == places


@pytest.mark.filterwarnings("ignore:.*_xla_gc_callback:pytest.PytestUnraisableExceptionWarning")  # JAX's own finalizer
def test_interrupts_leave_parameters_and_state_consistent():
    a, b = (torchlike.nn.Parameter(torchlike.zeros(8)) for _ in range(2))
    optimizer = from_optax(optax.sgd, [a, b], learning_rate=1.0, momentum=1.0)

    def step():
        optimizer.zero_grad()
        (a.sum() + b.sum()).backward()
        optimizer.step()

    for _ in range(3):  # compile everything first
        step()
    interrupted = 0
    with alarms_interrupt():
        for delay in np.linspace(1e-5, 3e-3, 40):
            interrupted += cut_short(step, float(delay))
            assert a.tolist() == b.tolist()
            count = optimizer.state[a]["0.trace"][0].item()
            assert a[0].item() == -count * (count + 1) / 2
            assert torchlike.equal(optimizer.state[a]["0.trace"], optimizer.state[b]["0.trace"])
    assert interrupted > 15
