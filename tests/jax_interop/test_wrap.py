"""JAX functions as operators: PyTorch's values and gradients, arguments in any containers, one compilation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import assert_same
from torchlike._engine import stats
from torchlike.jax import wrap


def _leaf(library, *numbers):
    return library.tensor(numbers, requires_grad=True)


def _program(library):
    x, y = _leaf(library, 1.0, 2.0, 3.0), _leaf(library, 0.5, 0.1, 0.2)
    if library is torchlike:
        made = wrap(lambda d, p: {"a": jnp.sin(d["x"]) ** p, "n": jnp.argmax(d["y"]), "s": (d["x"] * d["y"]).sum()})
        out = made({"x": x, "y": y}, p=3)
    else:
        out = {"a": x.sin() ** 3, "n": y.argmax(), "s": (x * y).sum()}
    (out["a"].sum() + out["s"]).backward()
    return out, x.grad, y.grad


def test_containers_static_arguments_and_results_without_gradient():
    assert_same(_program(torchlike), _program(torch))


def test_derivatives_of_every_order():
    x, theirs = _leaf(torchlike, 1.0, 2.0), _leaf(torch, 1.0, 2.0)
    cube = wrap(lambda x: jnp.sin(x) ** 3)
    ours, due = cube(x), theirs.sin() ** 3
    for _ in range(3):
        (ours,) = torchlike.autograd.grad(ours.sum(), x, create_graph=True)
        (due,) = torch.autograd.grad(due.sum(), theirs, create_graph=True)
        assert_same(ours.detach(), due.detach())


def test_complex_gradients_are_pytorchs():
    z, theirs = _leaf(torchlike, 1 + 2j), _leaf(torch, 1 + 2j)
    wrap(lambda z: (z * z * jnp.conj(z)).imag)(z).sum().backward()
    (theirs * theirs * theirs.conj()).imag.sum().backward()
    assert_same(z.grad, theirs.grad)


def test_it_joins_the_program_around_it():
    layer = torchlike.nn.Linear(3, 3)
    norm = wrap(lambda x: x / jnp.sqrt((x * x).sum(-1, keepdims=True)))
    counts = []
    for _ in range(4):
        layer.zero_grad(set_to_none=False)
        norm(layer(torchlike.randn(2, 3))).sum().backward()
        counts.append(stats.compiles)
    assert counts[-1] == counts[-2]


def test_overwriting_an_argument_of_a_wrapped_function_refuses_backward():
    x = _leaf(torchlike, 1.0, 2.0)
    given = x * 2
    y = wrap(jnp.sin)(given)
    given.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_second_backward_needs_the_graph():
    x = _leaf(torchlike, 1.0, 2.0)
    y = wrap(jnp.sin)(x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_arrays_of_jax_and_numpy_are_arguments_too():
    add = wrap(lambda a, b, c: a + b + c)
    total = add(torchlike.ones(2), jnp.ones(2, "float32"), np.ones(2, "float32"))
    assert total.tolist() == [3.0, 3.0]


def test_without_gradient():
    x = _leaf(torchlike, 1.0, 2.0)
    assert not wrap(jnp.sin, differentiable=False)(x).requires_grad
    with torchlike.no_grad():
        assert not wrap(jnp.sin)(x).requires_grad


def test_a_function_with_a_gradient_of_its_own():
    @jax.custom_vjp
    def five(x):
        return x

    five.defvjp(lambda x: (x, None), lambda _, grad: (grad * 5,))
    x = _leaf(torchlike, 1.0, 2.0)
    wrap(five)(x).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_results_may_depend_on_shapes():
    pair = wrap(lambda x: (x, x) if x.ndim == 1 else [x])
    assert [type(pair(torchlike.ones(*shape))) for shape in ((2,), (2, 2), (2,))] == [tuple, list, tuple]


def test_there_must_be_a_tensor():
    with pytest.raises(TypeError, match="takes at least one tensor, but sin got none"):
        wrap(jnp.sin)(1.0)


def test_a_module_and_its_function_meet():
    """Check a wrapped function that calls a function from `functional`, so that both kinds of gradient nest."""
    params, apply = torchlike.jax.functional(torchlike.nn.Linear(3, 1))
    x = torchlike.randn(2, 3, requires_grad=True)
    wrap(lambda x: jnp.tanh(apply(params, x)))(x).sum().backward()
    due = torch.from_numpy(x.detach().numpy()).requires_grad_()
    weight, bias = (torch.from_numpy(np.array(params[name])) for name in ("weight", "bias"))
    torch.nn.functional.linear(due, weight, bias).tanh().sum().backward()
    assert_same(x.grad, due.grad)
