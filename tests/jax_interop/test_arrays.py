"""Conversion of tensors to JAX arrays and back: memory is shared, and writes on one side do not corrupt the other."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import torchlike
from torchlike.jax import from_jax, functional, to_jax

donating = jax.jit(lambda x: x + 1, donate_argnums=0)


def _address(array):
    return array.unsafe_buffer_pointer()


def test_conversion_in_both_directions_shares_memory():
    array = jnp.arange(1000.0) + 1
    assert _address(to_jax(from_jax(array))) == _address(array)
    tensor = torchlike.arange(1000.0) + 1
    assert _address(to_jax(tensor)) == _address(to_jax(tensor))


def test_dtypes_and_views():
    for kind in (torchlike.bfloat16, torchlike.float16, torchlike.complex64, torchlike.bool, torchlike.uint8):
        tensor = torchlike.tensor([[0, 1, 2], [3, 4, 5]]).to(kind)
        array = to_jax(tensor.t()[1:])
        assert array.dtype == kind.numpy
        assert from_jax(array).equal(tensor.t()[1:])


def test_a_write_to_a_tensor_does_not_change_its_array():
    tensor = torchlike.zeros(1000)
    array = to_jax(tensor)
    tensor.add_(1)
    assert (float(array.max()), float(tensor.max())) == (0.0, 1.0)
    back = from_jax(array)
    back += 5
    assert (float(array.max()), float(back.max())) == (0.0, 5.0)


def test_donation_by_jax_does_not_change_the_tensor():
    tensor = torchlike.arange(1000.0) * 2
    expected = tensor.tolist()
    donating(to_jax(tensor))
    assert tensor.tolist() == expected
    given = jnp.arange(1000.0) * 2
    tensor = from_jax(given)
    donating(given)
    assert tensor.tolist() == expected


def test_optimizer_steps_do_not_change_exported_arrays():
    layer = torchlike.nn.Linear(300, 300)
    optimizer = torchlike.optim.SGD(layer.parameters(), lr=0.1)
    params, _ = functional(layer)
    before = {name: np.array(array) for name, array in params.items()}
    for _ in range(3):
        layer(torchlike.ones(2, 300)).sum().backward()
        optimizer.step()
    assert all(np.array_equal(params[name], before[name]) for name in params)
    assert not np.array_equal(layer.weight.detach().numpy(), before["weight"])


def test_a_write_through_numpy_does_not_change_an_exported_array():
    tensor = torchlike.ones(16)
    array = to_jax(tensor)
    tensor.numpy()[0] = 9
    assert (array[0], tensor[0].item()) == (1.0, 9.0)


def test_conversions_that_raise():
    with pytest.raises(BufferError):
        to_jax(torchlike.ones(2, requires_grad=True))
    with pytest.raises(TypeError, match="from_jax"):
        from_jax(np.ones(2))
    with pytest.raises(TypeError, match="got a tracer"):
        jax.jit(lambda x: from_jax(x))(jnp.ones(2))
