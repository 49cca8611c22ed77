"""Programs that XLA would fuse into kernels that repeat each other's work: loops recorded as long chains."""

import jax
import jax.numpy as jnp
import pytest

import torchlike as torch
from tests.oracle import both
from torchlike._engine.xla import fusion, lowering

STEPS = 24


def _lorenz(steps):
    """A simulation whose state is computed by element-wise operations alone."""

    def end(sigma, rho, x, y, z):
        for _ in range(steps):
            x, y, z = x + 0.01 * sigma * (y - x), y + 0.01 * (x * (rho - z) - y), z + 0.01 * (x * y - 8 / 3 * z)
        return x.sum()

    return jax.grad(end, (0, 1))


def _layers(count):
    """A deep network with residual connections and normalization."""

    def loss(weights, x):
        for w in weights:
            x = x + jnp.tanh((x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True) @ w)
        return x.sum()

    return jax.grad(loss)


def test_chains_are_not_fused():
    given = [jnp.float32(10), jnp.float32(28), *[jnp.ones(16)] * 3]
    chain = jax.jit(_lorenz(STEPS)).trace(*given).jaxpr
    assert fusion.duplication(chain) > 2 * fusion.LIMIT
    assert fusion.options(chain) == fusion.UNFUSED


def test_deep_networks_are_fused():
    network = jax.jit(_layers(STEPS)).trace([jnp.ones((8, 8))] * STEPS, jnp.ones((4, 8))).jaxpr
    assert fusion.duplication(network) < fusion.LIMIT / 2
    assert fusion.options(network) == {}


def test_the_size_of_an_unfused_program_is_linear():
    """With fusion, twice the steps are four to five times the instructions."""
    given = [jnp.float32(10), jnp.float32(28), *[jnp.ones(16)] * 3]
    sizes = []
    for steps in (STEPS, 2 * STEPS):
        compiled = lowering.Lowering(jax.jit(_lorenz(steps)), "cpu", *given).compile()
        sizes.append(compiled.as_text().count("\n"))
    assert sizes[1] < 2.1 * sizes[0]


@pytest.mark.parametrize("kind", ["LSTMCell", "GRUCell"])
def test_a_loop_over_cells_has_pytorchs_gradients(kind):
    def gradients(t):
        t.manual_seed(0)
        cell, x = getattr(t.nn, kind)(4, 6), t.randn(STEPS, 3, 4)
        state = (t.zeros(3, 6), t.zeros(3, 6)) if kind == "LSTMCell" else t.zeros(3, 6)
        for row in x:
            state = cell(row, state)
        (state[0] if kind == "LSTMCell" else state).square().sum().backward()
        return [p.grad for p in cell.parameters()]

    with torch.set_executor("xla"):
        both(gradients, rtol=1e-4, atol=1e-5)  # sums over 24 steps in another order
