"""Public random functions and in-place fills give PyTorch's numbers, in the order of the tensor's memory."""

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import assert_same
from tests.tensor.test_factories import refusal

DRAWS = """
L.rand(3, 2)
L.rand(size=(2,))
L.randn(20)
L.randn(3, dtype=L.float64)
L.randint(5, (4,))
L.randint(-3, 5, (4,), dtype=L.int32)
L.randint(low=0, high=5, size=(2,))
L.randperm(7)
L.rand_like(L.empty(5, 6).t())
L.randn_like(L.empty(5, 6).t())
L.randn_like(L.empty(2, 3, 4, 5).to(memory_format=L.channels_last))
L.randint_like(L.empty(5, 6).t(), 0, 9)
L.empty(5, 6).t().normal_()
L.empty(5, 12)[:, ::2].normal_()
L.empty(5, 6).t().uniform_(-1, 2)
L.empty(4, 5, 6).permute(2, 0, 1).random_(10)
L.empty(4, 5).t().bernoulli_(0.3)
L.empty(4, 6).t().bernoulli_(L.linspace(0, 1, 24).reshape(6, 4))
L.empty(3, 4).t().exponential_(2.0)
L.empty(3, 4).t().cauchy_()
L.empty(3, 4).t().log_normal_()
L.empty(3, 4).t().geometric_(0.4)
L.bernoulli(L.linspace(0, 1, 24).reshape(6, 4).t())
L.bernoulli(L.ones(3), 0.5)
L.normal(L.arange(4.0), 0.5)
L.normal(L.arange(4.0), L.arange(4.0))
L.normal(1.0, L.arange(4.0))
L.normal(0, 1, (3,))
L.multinomial(L.linspace(0, 1, 24).reshape(6, 4), 2)
L.multinomial(L.ones(4), 6, replacement=True)
L.poisson(L.tensor([1.0, 2.5, 30.0]))
L.binomial(L.tensor([10.0, 20.0]), L.tensor([0.5, 0.3]))
L._standard_gamma(L.tensor([1.0, 2.5]))
L._sample_dirichlet(L.tensor([1.0, 2.5]))
L.rand(3, generator=L.Generator().manual_seed(5))
L.randn(3, out=L.empty(3))
L.random.get_rng_state()[:24]
"""

ERRORS = """
L.rand()
L.rand(2.5)
L.rand(2, dtype=L.int64)
L.randn(2, dtype=L.int64)
L.randint(5)
L.randint(5, 3)
L.randint(0, (2,))
L.randint(2.5, (2,))
L.randint(0, 300, (2,), dtype=L.uint8)
L.randperm(-1)
L.randperm(300, dtype=L.uint8)
L.randperm(2050, dtype=L.float16)
L.randperm(2**24 + 2, dtype=L.float32)
L.randperm(-1, dtype=L.float16)
L.normal(2, 3)
L.normal(L.zeros(2), L.zeros(2) - 1)
L.bernoulli(L.ones(3) * 2)
L.bernoulli(3)
L.multinomial(L.ones(3), 5)
L.poisson(-L.ones(3))
L.ones(3).uniform_(2, 1)
L.ones(3).normal_(0, -1)
L.ones(3).random_(0)
L.ones(3, dtype=L.int64).normal_()
L.ones(3, requires_grad=True).normal_()
L.manual_seed("a")
L.Generator().set_state(3)
L.Generator().set_state(L.zeros(5, dtype=L.uint8))
L.set_rng_state(L.zeros(5))
"""


def drawn(library, call: str):
    library.manual_seed(7)
    return eval(call, {"L": library, "np": np})


@pytest.mark.parametrize("call", DRAWS.strip().splitlines())
def test_the_numbers_are_pytorchs(call):
    assert_same(drawn(torchlike, call), drawn(torch, call))


@pytest.mark.parametrize("call", ERRORS.strip().splitlines())
def test_errors_equal_pytorchs(call):
    assert refusal(torchlike, call) == refusal(torch, call)


def test_states_cross_over():
    torch.manual_seed(3)
    torch.rand(5)
    torchlike.set_rng_state(torchlike.from_numpy(torch.get_rng_state().numpy()))
    assert torchlike.rand(4).tolist() == torch.rand(4).tolist()
    generator = torchlike.Generator()
    generator.set_state(torchlike.from_numpy(torch.get_rng_state().numpy()))
    assert torchlike.randn(4, generator=generator).tolist() == torch.randn(4).tolist()


def test_a_fork_leaves_the_generator_alone():
    torchlike.manual_seed(1)
    due = torchlike.rand(2).tolist()
    torchlike.manual_seed(1)
    with torchlike.random.fork_rng():
        torchlike.manual_seed(9)
        torchlike.rand(3)
    assert torchlike.rand(2).tolist() == due
