"""Optimizers as optax transformations: the numbers of the optimizers, under JAX's transformations."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import torchlike
from tests.optim.cases import CASES, IDS, ONE_EACH, arrays, give_grads, parameters
from torchlike.jax import to_optax

ONE_IDS = [name for name, _ in ONE_EACH]


def jitted(tx):
    def step(grads, state, params):
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), state

    return jax.jit(step)


def both(name, options, dtype="float32", steps=20, lr=None):
    """Return the parameters of the optimizer and of its transformation after some steps.

    `lr(count)`, if given, is the learning rate of each step of the optimizer.
    """
    kind = getattr(torchlike.optim, name)
    ours = [p.detach().to(getattr(torchlike, dtype)).requires_grad_() for p in parameters(torchlike, arrays(0))]
    optimizer, tx = kind(ours, **{**options, **({} if lr is None else {"lr": lr(0)})}), to_optax(kind, **options)
    params = {str(i): jnp.asarray(a, dtype) for i, a in enumerate(arrays(0))}
    state, step = tx.init(params), jitted(tx)
    for seed in range(1, steps + 1):
        if lr is not None:
            optimizer.param_groups[0]["lr"] = float(lr(seed - 1))
        grads = arrays(seed)
        for p, grad in zip(ours, grads):
            p.grad = torchlike.from_numpy(grad.copy()).to(p.dtype)
        optimizer.step()
        params, state = step({str(i): jnp.asarray(g, dtype) for i, g in enumerate(grads)}, state, params)
    return [p.detach().float().numpy() for p in ours], [np.asarray(x, "float32") for x in params.values()], state


def assert_equal(ours, theirs, rtol=1.3e-6, atol=1e-5):
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(b, a, rtol=rtol, atol=atol)


@pytest.mark.one_in(7)
@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
def test_twenty_updates(name, options):
    assert_equal(*both(name, options)[:2])


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("name", "options"), ONE_EACH, ids=ONE_IDS)
def test_half_precision(name, options):
    ours, theirs, state = both(name, options, "bfloat16", 5)
    assert_equal(ours, theirs, rtol=1.6e-2)
    assert {x.dtype.name for x in jax.tree.leaves(state.slots)} <= {"bfloat16"}


@pytest.mark.parametrize("name", ["SGD", "AdamW", "ASGD", "Rprop"])
def test_schedules(name):
    schedule = optax.cosine_decay_schedule(0.1, 10)
    assert_equal(*both(name, {"lr": schedule}, steps=8, lr=schedule)[:2])


def test_hyperparameters_are_injected():
    tx = optax.inject_hyperparams(
        lambda lr, weight_decay: to_optax(torchlike.optim.AdamW, lr=lr, weight_decay=weight_decay)
    )
    tx = tx(lr=0.1, weight_decay=0.5)
    params = jnp.ones(2, "float32")
    state, step = tx.init(params), jitted(tx)
    params, state = step(jnp.ones(2, "float32"), state, params)
    np.testing.assert_allclose(params, [0.85, 0.85], rtol=1e-6)
    state.hyperparams["lr"] = jnp.float32(0.0)
    np.testing.assert_array_equal(step(jnp.ones(2, "float32"), state, params)[0], params)


def test_it_composes_with_optax():
    """Matrices use Muon, the others SGD, behind clipping by the global norm."""
    parts = {
        "matrix": to_optax(torchlike.optim.Muon, lr=0.1),
        "other": to_optax(torchlike.optim.SGD, lr=0.1, momentum=0.9),
    }
    label = lambda params: jax.tree.map(lambda x: "matrix" if x.ndim == 2 else "other", params)
    tx = optax.chain(optax.clip_by_global_norm(1e3), optax.multi_transform(parts, label))
    starts = arrays(0)
    params = {
        "layer": {"weight": jnp.asarray(starts[0]), "bias": jnp.asarray(starts[1])},
        "scale": jnp.asarray(starts[2]),
    }
    state, step = tx.init(params), jitted(tx)
    ours = parameters(torchlike, starts)
    optimizers = [torchlike.optim.Muon(ours[:1], lr=0.1), torchlike.optim.SGD(ours[1:], lr=0.1, momentum=0.9)]
    for seed in range(1, 5):
        weight, bias, scale = grads = arrays(seed)
        give_grads(torchlike, ours, grads)
        for optimizer in optimizers:
            optimizer.step()
        params, state = step({"layer": {"weight": weight, "bias": bias}, "scale": scale}, state, params)
    theirs = [params["layer"]["weight"], params["layer"]["bias"], params["scale"]]
    assert_equal([p.detach().numpy() for p in ours], theirs)


def test_vmap():
    tx = to_optax(torchlike.optim.Adam, lr=0.1)
    params = jnp.asarray(arrays(0)[0])
    state = jax.vmap(tx.init)(params)
    together = jax.vmap(tx.update)(params, state, params)[0]
    alone = [tx.update(row, tx.init(row), row)[0] for row in params]
    np.testing.assert_allclose(together, np.stack(alone), rtol=1e-6)


def test_complex_parameters():
    start, grad = arrays(0, "complex64")[0], arrays(1, "complex64")[0]
    (param,) = params = parameters(torchlike, [start])
    give_grads(torchlike, params, [grad])
    torchlike.optim.Rprop(params, lr=0.1).step()
    tx = to_optax(torchlike.optim.Rprop, lr=0.1)
    updates, _ = tx.update(jnp.asarray(grad), tx.init(jnp.asarray(start)), jnp.asarray(start))
    np.testing.assert_allclose(start + np.asarray(updates), param.detach().numpy(), rtol=1e-6)


@pytest.mark.parametrize("name", ["LBFGS", "SparseAdam"])
def test_optimizers_without_a_dense_rule(name):
    with pytest.raises(TypeError, match=f"dense update rule, but got {name}"):
        to_optax(getattr(torchlike.optim, name), lr=0.1)


def test_errors():
    with pytest.raises(ValueError, match="Invalid learning rate: -1"):
        to_optax(torchlike.optim.SGD, lr=-1)
    with pytest.raises(TypeError, match="betas"):
        to_optax(torchlike.optim.SGD, lr=1, betas=(0, 0))
    with pytest.raises(ValueError, match="only supports 2D parameters"):
        to_optax(torchlike.optim.Muon).init(jnp.ones(3))
    tx = to_optax(torchlike.optim.Adam)
    with pytest.raises(ValueError, match="needs the parameters: Adam"):
        tx.update(jnp.ones(3), tx.init(jnp.ones(3)))
