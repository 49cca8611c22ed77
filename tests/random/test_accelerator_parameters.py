"""Random functions of accelerator tensors treat their parameters as PyTorch does on the CPU.

Gradients, dtypes and errors are compared. CPU devices stand in for the accelerator. The numbers themselves differ.
"""

import jax
import pytest
import torch

import torchlike
from torchlike._dtypes.devices import stand_ins

LEAVES = "x = torch.tensor([0.25, 0.5]).requires_grad_()", "y = torch.tensor([1.0, 2.0]).requires_grad_()"
CALLS = (
    "torch.normal(x, 2.0)",
    "torch.normal(1.0, y)",
    "torch.normal(x, y)",
    "torch.normal(x, y.double())",
    "torch.normal(x.bfloat16(), y)",
    "torch.normal(x.double(), y)",
    "torch.normal(x, y[:, None])",
    "torch.normal(x, -1.0)",
    "torch.normal(x, y.long())",
    "torch.normal(x.long(), 1.0)",
    "torch.normal(x.detach().to(torch.complex64), 1.0)",
    "torch.normal(x, 1.0, out=torch.empty(2))",
    "torch.bernoulli(x)",
    "torch.poisson(y)",
    "torch.poisson(y.long())",
    "torch.binomial(y.detach().long(), x)",
    "torch.binomial(y.detach(), x.detach())",
    "torch._standard_gamma(y.long())",
    "torch._sample_dirichlet(y.long())",
    "torch.distributions.Normal(x, y).sample()",
    "torch.distributions.MultivariateNormal(x, torch.eye(2)).sample()",
    "torch.distributions.Gamma(x, y).sample()",
    "torch.distributions.Normal(x, y).rsample()",
    "torch.distributions.Laplace(x, y).rsample()",
    "torch.distributions.Gamma(x, y).rsample()",
)


def _facts(library, call):
    """Return the dtype, the shape and which gradients are zero, or the error."""
    names = {"torch": library}
    for line in LEAVES:
        exec(line, names)
    try:
        made = eval(call, names)
    except Exception as error:
        return type(error), str(error)
    facts = str(made.dtype), tuple(made.shape), made.requires_grad
    if not made.requires_grad:
        return facts
    leaves = names["x"], names["y"]
    gradients = library.autograd.grad(made.abs().sum(), leaves, allow_unused=True)
    return facts, [None if g is None else bool(g.any()) for g in gradients]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("call", CALLS)
def test_gradients_dtypes_and_errors(call):
    due = _facts(torch, call)
    with stand_ins("cuda", jax.devices("cpu")[:1]), torchlike.device("cuda"):
        assert _facts(torchlike, call) == due


def test_the_mean_of_a_tensor_of_bfloat16_is_that_of_the_rounded_numbers():
    with stand_ins("cuda", jax.devices("cpu")[:1]):
        torchlike.manual_seed(0)
        mean = torchlike.full((4096,), 3.0, device="cuda", dtype=torchlike.bfloat16)
        made = torchlike.normal(mean, torchlike.full((4096,), 0.5, device="cuda"))
        assert made.dtype == torchlike.bfloat16
        assert abs(made.float().mean().item() - 3) < 0.03 and abs(made.float().std().item() - 0.5) < 0.03
