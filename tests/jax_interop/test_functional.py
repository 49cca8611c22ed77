"""Modules as pure functions for JAX: PyTorch's values, gradients and buffers, under JAX's transformations."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import torchlike
from torchlike.jax import functional


def _small(library):
    nn = library.nn
    library.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 2))


def _close(ours, theirs, rtol=2e-5, atol=2e-6):
    np.testing.assert_allclose(np.asarray(ours), theirs.detach().numpy(), rtol=rtol, atol=atol)


X = np.random.default_rng(0).normal(size=(5, 3)).astype("float32")


def _stops(library):
    """Build a module that detaches parts of its computation from autograd. JAX cannot observe this."""

    class Stops(library.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = library.nn.Parameter(library.tensor([1.5, -2.0, 0.5]))

        def forward(self, x):
            h = (self.w * x).sin()
            with library.no_grad():
                scale = (self.w**2).sum()
            return ((h.detach() ** 2 * h + self.w.detach() ** 3) * scale * self.w).sum()

    return Stops()


def test_result_gradients_and_buffers_are_those_of_pytorch():
    params, apply = functional(_small(torchlike), mutable=True)
    theirs = _small(torch)
    floating = {k: v for k, v in params.items() if v.dtype == jnp.float32}
    others = {k: v for k, v in params.items() if k not in floating}

    def loss(some):
        result, written = apply({**some, **others}, X)
        return (result**2).mean(), (result, written)

    grads, (result, written) = jax.jit(jax.grad(loss, has_aux=True))(floating)
    due = theirs(torch.from_numpy(X))
    (due**2).mean().backward()
    _close(result, due)
    assert sorted(written) == ["1.num_batches_tracked", "1.running_mean", "1.running_var"]
    for name, parameter in theirs.named_parameters():
        _close(grads[name], parameter.grad)
    for name, buffer in theirs.named_buffers():
        _close(written[name], buffer)


def test_the_module_is_left_as_it_was():
    module = _small(torchlike)
    before = {k: (id(v), v.tolist(), v.requires_grad) for k, v in module.state_dict(keep_vars=True).items()}
    params, apply = functional(module, mutable=True)
    apply(params, X)
    assert {k: (id(v), v.tolist(), v.requires_grad) for k, v in module.state_dict(keep_vars=True).items()} == before
    assert all(p.is_leaf and p.grad is None for p in module.parameters())


def test_every_derivative_stops_where_autograd_does():
    params, apply = functional(_stops(torchlike))
    x = X[0]
    f = lambda w: apply({"w": w}, x)
    w = torch.tensor([1.5, -2.0, 0.5])
    theirs = _stops(torch)
    of = lambda w: torch.func.functional_call(theirs, {"w": w}, (torch.from_numpy(x),))
    for _ in range(3):
        f, of = jax.jacrev(f), torch.func.jacrev(of)
        _close(jax.jit(f)(params["w"]), of(w), rtol=1e-4, atol=1e-4)


def test_under_vmap_scan_and_remat():
    params, apply = functional(_stops(torchlike))
    f = lambda w, x: apply({"w": w}, x)
    one_by_one = np.stack([jax.grad(f)(params["w"], x) for x in X])
    np.testing.assert_allclose(jax.vmap(jax.grad(f), (None, 0))(params["w"], X), one_by_one, rtol=1e-5)
    scanned = lambda w: jax.lax.scan(lambda total, x: (total + f(w, x), None), jnp.float32(0), X)[0]
    np.testing.assert_allclose(jax.grad(scanned)(params["w"]), one_by_one.sum(0), rtol=1e-5)
    remat = jax.checkpoint(lambda w: f(w, X[0]))
    np.testing.assert_allclose(jax.grad(remat)(params["w"]), one_by_one[0], rtol=1e-5)


SHARDED = """
import jax, numpy as np, torchlike as torch

class Scales(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.b = torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        return ((self.w * 2).tanh() * x + self.b.sin() * torch.arange(3.0)).sum()

params, apply = torch.jax.functional(Scales())
mesh = jax.make_mesh((2,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))
spec = jax.sharding.PartitionSpec
xs = np.arange(12, dtype="float32").reshape(4, 3)
loss = lambda params, xs: jax.vmap(lambda x: apply(params, x))(xs).sum()
summed = jax.grad(lambda params, xs: jax.lax.psum(loss(params, xs), "d"))
sharded = jax.shard_map(summed, mesh=mesh, in_specs=(spec(), spec("d")), out_specs=spec())(params, xs)
whole = jax.grad(loss)(params, xs)
print(jax.device_count(), [bool(np.allclose(sharded[name], whole[name])) for name in params])
"""


def test_under_shard_map_gradients_are_summed_over_devices():
    env = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run([sys.executable, "-W", "error", "-c", SHARDED], env=env, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("2 [True, True]\n", "")


def test_a_backward_of_the_users_own_is_kept():
    class Straight(torchlike.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.round()

        @staticmethod
        def backward(ctx, grad):
            return grad * 5

    class Rounds(torchlike.nn.Module):
        def forward(self, x):
            return Straight.apply(x).sum()

    params, apply = functional(Rounds())
    assert params == {}
    assert jax.grad(lambda x: apply(params, x))(X[0]).tolist() == [5.0, 5.0, 5.0]


def test_loops_and_containers():
    def build(library):
        library.manual_seed(1)
        return library.nn.LSTM(3, 4)

    params, apply = functional(build(torchlike))
    theirs, xs = build(torch), np.stack([X, X * 2])
    (out, (h, c)) = apply(params, xs)
    due, (their_h, their_c) = theirs(torch.from_numpy(xs))
    for ours, their in ((out, due), (h, their_h), (c, their_c)):
        _close(ours, their)
    due.sum().backward()
    grads = jax.jit(jax.grad(lambda p: apply(p, xs)[0].sum()))(params)
    for name, parameter in theirs.named_parameters():
        _close(grads[name], parameter.grad, rtol=1e-4, atol=1e-5)


def test_checkpointed_parts():
    class Checkpointed(torchlike.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = _small(torchlike)[0]

        def forward(self, x):
            return torchlike.utils.checkpoint.checkpoint(lambda x: self.inner(x).tanh(), x, use_reentrant=False).sum()

    module = Checkpointed()
    params, apply = functional(module)
    grads = jax.jit(jax.grad(lambda p: apply(p, X)))(params)
    module(torchlike.from_numpy(X)).backward()
    for name, parameter in module.named_parameters():
        np.testing.assert_allclose(grads[name], parameter.grad.numpy(), rtol=1e-5, atol=1e-6)


def test_control_flow_inside():
    class Chooses(torchlike.nn.Module):
        def forward(self, x):
            y = torchlike.cond(x.sum() > 0, lambda x: x * x, lambda x: -x, (x,))
            return torchlike.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, y))[1].sum()

    _, apply = functional(Chooses())
    f = jax.jit(jax.grad(lambda x: apply({}, x)))
    up, down = np.array([1.0, 2.0], "float32"), np.array([-1.0, -2.0], "float32")
    np.testing.assert_allclose(f(up), 5 * up**4)
    np.testing.assert_allclose(f(down), -4 * down**3)


def test_it_trains_or_not_as_it_did_when_it_was_given():
    module = _small(torchlike).eval()
    params, apply = functional(module)
    module.train()
    due = _small(torch).eval()(torch.from_numpy(X))
    _close(apply(params, X), due)
    assert module.training


def test_shared_parameters_have_one_name():
    class Tied(torchlike.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torchlike.nn.Linear(3, 3, bias=False)
            self.b = torchlike.nn.Linear(3, 3, bias=False)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(self.a(x)).sum()

    module = Tied()
    params, apply = functional(module)
    assert list(params) == ["a.weight"]
    module(torchlike.from_numpy(X)).backward()
    np.testing.assert_allclose(
        jax.grad(lambda p: apply(p, X))(params)["a.weight"], module.a.weight.grad.numpy(), rtol=1e-5
    )


class Misbehaves(torchlike.nn.Module):
    def __init__(self, forward):
        super().__init__()
        self.forward = forward


OUTSIDE = torchlike.zeros(3)
REFUSED = {
    "look": (lambda x: x if x.sum() > 0 else -x, r"must not read them: bool\(\) of a tensor .* at .*test_functional"),
    "item": (lambda x: x * x.sum().item(), r"must not read them: item\(\)"),
    "draw": (lambda x: x * torchlike.rand(3), "samples random numbers at"),
    "draw by elements": (lambda x: torchlike.poisson(torchlike.exp(x)), "samples random numbers at"),
    "write": (lambda x: OUTSIDE.add_(x) * 2, "writes to a tensor that is neither a parameter nor a buffer"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_impure_modules_are_refused(name):
    forward, sentence = REFUSED[name]
    params, apply = functional(Misbehaves(forward))
    with pytest.raises(RuntimeError, match=sentence):
        apply(params, X[0])
    assert OUTSIDE.tolist() == [0.0, 0.0, 0.0]
    assert (torchlike.ones(2) + 1).tolist() == [2.0, 2.0]


def test_written_buffers_are_refused_by_name():
    params, apply = functional(_small(torchlike))
    with pytest.raises(RuntimeError, match=r"writes to 1\.num_batches_tracked, 1\.running_mean, .*mutable"):
        apply(params, X)


def test_params_have_the_names_and_shapes_that_were_given():
    params, apply = functional(torchlike.nn.Linear(3, 2))
    with pytest.raises(RuntimeError, match=r"missing: \['bias'\], unknown: \['other'\]"):
        apply({"weight": params["weight"], "other": params["bias"]}, X)
    with pytest.raises(RuntimeError, match=r"params\['bias'\] has shape \(3,\); the module's has \(2,\)"):
        apply({**params, "bias": jnp.zeros(3)}, X)


def test_a_tensor_kept_by_the_module_says_where_it_came_from():
    module = Misbehaves(lambda x: setattr(module, "kept", x * 2) or x * module.kept)
    _, apply = functional(module)
    np.testing.assert_allclose(apply({}, X[0]), 2 * X[0] ** 2, rtol=1e-6)
    with pytest.raises(RuntimeError, match=r"created inside Misbehaves\.forward is used outside"):
        module.kept + 1


@pytest.mark.parametrize("see", [lambda w: w.data, lambda w: w.detach().view(-1), lambda w: w.t()])
def test_a_view_kept_from_before_is_refused(see):
    layer = torchlike.nn.Linear(3, 3)
    kept = see(layer.weight)
    layer.forward = lambda x: (layer.weight @ x).sum() + kept.sum()
    params, apply = functional(layer)
    with pytest.raises(RuntimeError, match="shares memory with weight"):
        apply(params, X[0])


def test_forward_mode_is_refused_by_jax():
    params, apply = functional(torchlike.nn.Linear(3, 2))
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jvp(lambda x: apply(params, x), (X,), (X,))


def _drawing(forward):
    return functional(Misbehaves(forward), random=True)[1]


def test_dropout_from_a_key():
    layer = torchlike.nn.Linear(3, 400)
    params, apply = functional(torchlike.nn.Sequential(layer, torchlike.nn.Dropout(0.25)), random=True)
    keys, state = jax.random.split(jax.random.key(0), 3), torchlike.get_rng_state()
    run = jax.jit(lambda params, key: apply(params, key, X))
    first, second, again = (np.asarray(run(params, key)) for key in (keys[0], keys[1], keys[0]))
    assert np.array_equal(first, again) and not np.array_equal(first, second)
    plain = layer(torchlike.from_numpy(X)).detach().numpy()
    kept = first != 0
    np.testing.assert_allclose(first[kept], (plain / 0.75)[kept], rtol=1e-5)
    assert abs(kept.mean() - 0.75) < 0.05
    grad = jax.grad(lambda params: apply(params, keys[0], X).sum())(params)["0.bias"]
    np.testing.assert_allclose(grad, kept.sum(0) / 0.75, rtol=1e-5)
    assert jax.vmap(lambda key: apply(params, key, X))(keys).shape == (3, 5, 400)
    assert torchlike.get_rng_state().equal(state)


DRAWN = {
    "rand": (lambda x: torchlike.rand(4000), 0.5, 1 / 12),
    "randn": (lambda x: torchlike.randn(4000), 0.0, 1.0),
    "normal_": (lambda x: torchlike.empty(4000).normal_(2.0, 3.0), 2.0, 9.0),
    "uniform_": (lambda x: torchlike.empty(4000).uniform_(1.0, 3.0), 2.0, 4 / 12),
    "bernoulli_": (lambda x: torchlike.empty(4000).bernoulli_(0.25), 0.25, 0.1875),
    "exponential_": (lambda x: torchlike.empty(4000).exponential_(0.5), 2.0, 4.0),
    "randint": (lambda x: torchlike.randint(2, 5, (4000,)).float(), 3.0, 2 / 3),
    "gumbel_softmax": (
        lambda x: -torchlike.nn.functional.gumbel_softmax(x.expand(4000, 2), dim=1)[:, 0].logit(),
        0,
        3.29,
    ),
    "in another order": (lambda x: torchlike.nn.functional.dropout(x.expand(40, 100).clone().t()), 1.0, 1.0),
}


@pytest.mark.parametrize("name", DRAWN)
def test_numbers_from_a_key_have_their_distribution(name):
    forward, mean, variance = DRAWN[name]
    drawn = np.asarray(jax.jit(_drawing(forward))({}, jax.random.key(1), np.ones(1, "float32")))
    assert abs(drawn.mean() - mean) < 5 * (variance / drawn.size) ** 0.5
    assert abs(drawn.var() - variance) < 0.2 * variance


def test_draws_are_apart_from_each_other():
    drawn = _drawing(lambda x: (torchlike.rand(100), torchlike.rand(100)))({}, jax.random.key(0), X)
    assert not np.array_equal(*drawn)


KEYLESS = {
    "looked at": lambda x: x * torchlike.rand(1).item(),
    "of a generator": lambda x: x + torchlike.rand(3, generator=torchlike.Generator()),
    "by elements": lambda x: torchlike.bernoulli(torchlike.sigmoid(x)),
    "not written for keys": lambda x: x + torchlike.empty(3).cauchy_(),
}


@pytest.mark.parametrize("name", KEYLESS)
def test_draws_that_a_key_cannot_make_are_refused(name):
    with pytest.raises(RuntimeError, match=r"samples random numbers|must not read them"):
        _drawing(KEYLESS[name])({}, jax.random.key(0), X[0])
