"""Samples whose parameters are tensors require grad if the parameters do. The gradients are zero."""

import pytest

from tests.oracle import both

DRAWS = {
    "bernoulli": lambda torch, x: torch.bernoulli(x),
    "bernoulli method": lambda torch, x: x.bernoulli(),
    "poisson": lambda torch, x: torch.poisson(x),
    "normal by means": lambda torch, x: torch.normal(x, 1.0),
    "normal by deviations": lambda torch, x: torch.normal(1.0, x),
    "normal by both": lambda torch, x: torch.normal(x, 2 * x),
    "no power": lambda torch, x: torch.linalg.matrix_power(x.reshape(1, 2, 2), 0),
    "multinomial": lambda torch, x: torch.multinomial(x, 2),
    "bernoulli by a number": lambda torch, x: torch.bernoulli(x, 0.5),
    "binomial": lambda torch, x: torch.binomial(torch.ones(4), x),
}


@pytest.mark.parametrize("name", DRAWS)
def test_history(name):
    def drawn(torch):
        x = torch.full((4,), 0.5, requires_grad=True)
        made = DRAWS[name](torch, x)
        return made.detach(), made.requires_grad, made.grad_fn and made.grad_fn.name(), DRAWS[name](torch, x.detach())

    if name in ("bernoulli by a number", "binomial"):  # implemented as a Function, so the name of the node differs
        both(lambda torch: (lambda made: (made[:2], made[3]))(drawn(torch)))
    else:
        both(drawn)


@pytest.mark.parametrize("name", DRAWS)
def test_gradients(name):
    def gradient(torch):
        x = torch.full((4,), 0.5, requires_grad=True)
        (DRAWS[name](torch, x) * x.sum()).sum().backward()
        return x.grad

    both(gradient)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64", "bool", "float16", "float32", "complex64"])
@pytest.mark.parametrize("bounds", [(0, None), (5, None), (-5, None), (1, None), (3,)], ids=str)
def test_random_without_an_upper_bound(dtype, bounds):
    both(lambda torch: torch.zeros(3, dtype=getattr(torch, dtype)).random_(*bounds))
