"""Conversion of tensors to JAX arrays and back: memory is shared, and writes on one side do not corrupt the other."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import torchlike
from torchlike.jax import from_jax, functional, to_jax

DONATING = jax.jit(lambda x: x + 1, donate_argnums=0)


def _where(array):
    return array.unsafe_buffer_pointer()


def test_the_same_memory_there_and_back():
    array = jnp.arange(1000.0) + 1
    assert _where(to_jax(from_jax(array))) == _where(array)
    tensor = torchlike.arange(1000.0) + 1
    assert _where(to_jax(tensor)) == _where(to_jax(tensor))


def test_kinds_and_views():
    for kind in (torchlike.bfloat16, torchlike.float16, torchlike.complex64, torchlike.bool, torchlike.uint8):
        tensor = torchlike.tensor([[0, 1, 2], [3, 4, 5]]).to(kind)
        array = to_jax(tensor.t()[1:])
        assert array.dtype == kind.numpy
        assert from_jax(array).equal(tensor.t()[1:])


def test_a_write_to_the_tensor_does_not_show():
    tensor = torchlike.zeros(1000)
    array = to_jax(tensor)
    tensor.add_(1)
    assert (float(array.max()), float(tensor.max())) == (0.0, 1.0)
    back = from_jax(array)
    back += 5
    assert (float(array.max()), float(back.max())) == (0.0, 5.0)


def test_what_jax_gives_away_stays_with_the_tensor():
    tensor = torchlike.arange(1000.0) * 2
    due = tensor.tolist()
    DONATING(to_jax(tensor))
    assert tensor.tolist() == due
    given = jnp.arange(1000.0) * 2
    tensor = from_jax(given)
    DONATING(given)
    assert tensor.tolist() == due


def test_what_an_optimizer_overwrites_stays_with_jax():
    layer = torchlike.nn.Linear(300, 300)
    optimizer = torchlike.optim.SGD(layer.parameters(), lr=0.1)
    params, _ = functional(layer)
    before = {name: np.array(array) for name, array in params.items()}
    for _ in range(3):
        layer(torchlike.ones(2, 300)).sum().backward()
        optimizer.step()
    assert all(np.array_equal(params[name], before[name]) for name in params)
    assert not np.array_equal(layer.weight.detach().numpy(), before["weight"])


def test_an_array_on_the_host_that_is_lent_stays_apart():
    tensor = torchlike.ones(16)
    array = to_jax(tensor)
    tensor.numpy()[0] = 9
    assert (array[0], tensor[0].item()) == (1.0, 9.0)


def test_refusals():
    with pytest.raises(BufferError):
        to_jax(torchlike.ones(2, requires_grad=True))
    with pytest.raises(TypeError, match="from_jax"):
        from_jax(np.ones(2))
    with pytest.raises(TypeError, match="got a tracer"):
        jax.jit(lambda x: from_jax(x))(jnp.ones(2))
