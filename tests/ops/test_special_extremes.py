"""Special functions of huge, tiny and infinite arguments."""

from __future__ import annotations

import pytest

import torchlike
from tests.oracle import both

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_incomplete_gamma_of_large_shapes(name, executor):
    def run(torch):
        a = torch.tensor([2e6, 1e8, 1e9, 1e9, 1e10, 1e20, 1e30, 1e9, 1e9, 0.0, NAN, 1e9], dtype=torch.float64)
        x = a * torch.tensor([1, 1.0001, 1 - 1e-5, 1 + 3e-5, 1 + 1e-6, 1, 1, 0.5, 1.5, 1, 1, INF], dtype=torch.float64)
        x[9] = 0.5
        return getattr(torch, name)(a, x)

    with torchlike.set_executor(executor):
        both(run, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_gradient_of_an_incomplete_gamma_of_a_large_shape(executor):
    def run(torch):
        a = torch.tensor([1e9, 3.0], dtype=torch.float64)
        x = torch.tensor([1e9, 2.0], dtype=torch.float64, requires_grad=True)
        return torch.autograd.grad(torch.igamma(a, x).sum(), x)

    with torchlike.set_executor(executor):
        both(run)


def test_airy_function_of_large_arguments():
    def run(torch):
        x = torch.tensor([100.0, 200.0, 1e8, 1e30, INF, NAN, -1e3, -1e5], dtype=torch.float64)
        return torch.special.airy_ai(x)

    both(run)
    found = torchlike.special.airy_ai(torchlike.tensor([-999_999.0, -1_000_001.0, -1e10], dtype=torchlike.float64))
    assert found.isfinite().all()


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_hyperbolic_sine_of_small_complex_numbers(executor):
    def run(torch):
        z = torch.tensor([1e-30 + 2e-30j, -1e-8 + 1e-9j, 1e-3j, 0.5 - 0.25j, 3 + 4j], requires_grad=True)
        found = torch.sinh(z)
        return torch.view_as_real(found / z.detach()), torch.autograd.grad(found, z, torch.ones_like(z))

    with torchlike.set_executor(executor):
        both(run)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("scale", [1, 300, 20_000])
def test_batch_norm_of_large_half_precision_numbers(scale, executor):
    def run(torch):
        torch.manual_seed(0)
        x = (torch.rand(6, 3, 5) * scale).half()
        functional = torch.nn.functional
        return functional.batch_norm(x, None, None, training=True), functional.instance_norm(x)

    with torchlike.set_executor(executor):
        both(run)


def test_gelu_of_the_largest_numbers():
    both(lambda torch: torch.nn.functional.gelu(torch.tensor([1e308, -1e308], dtype=torch.float64)))
