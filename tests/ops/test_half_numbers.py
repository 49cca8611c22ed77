"""Numbers and zero-dim tensors as operands in half precision. torchlike rounds exactly those that PyTorch rounds."""

import numpy as np
import pytest
import torch

import torchlike

BINARY = [
    "add",
    "sub",
    "mul",
    "true_divide",
    "div",
    "fmod",
    "remainder",
    "floor_divide",
    "pow",
    "maximum",
    "atan2",
    "hypot",
    "copysign",
    "xlogy",
    "eq",
    "lt",
    "ge",
    "fmin",
    "logaddexp",
    "rsub",
]
OPERANDS = {
    "a number": lambda torch, dtype: 0.3,
    "a zero-dim tensor": lambda torch, dtype: torch.tensor(0.3),
    "a zero-dim tensor of float64": lambda torch, dtype: torch.tensor(0.3, dtype=torch.float64),
    "a zero-dim tensor of the same dtype": lambda torch, dtype: torch.tensor(0.3).to(dtype),
}
TENSORS_ONLY = ["maximum", "atan2", "hypot", "fmin", "logaddexp"]  # PyTorch accepts no Python number for these
CASES = [
    (name, operand) for name in BINARY for operand in OPERANDS if name not in TENSORS_ONLY or operand != "a number"
]
OTHER_OPERATORS = {
    "alpha": lambda torch, a, b: torch.add(a, b, alpha=0.3),
    "alpha of sub": lambda torch, a, b: torch.sub(a, b, alpha=0.3),
    "alpha of rsub": lambda torch, a, b: torch.rsub(a, b, alpha=0.3),
    "alpha and a number": lambda torch, a, b: torch.add(a, 0.7, alpha=0.3),
    "in place": lambda torch, a, b: a.clone().add_(b, alpha=0.3).mul_(0.3).sub_(0.7),
    "reversed": lambda torch, a, b: 0.3 - a,
    "rounded quotients": lambda torch, a, b: torch.div(a, 0.3, rounding_mode="floor"),
    "hardshrink": lambda torch, a, b: torch.nn.functional.hardshrink(a, 0.3),
    "clamp": lambda torch, a, b: a.clamp(0.3, 0.9),
    "where": lambda torch, a, b: torch.where(a > 0, a, 0.3),
    "leaky_relu": lambda torch, a, b: torch.nn.functional.leaky_relu(a, 0.3),
    "a whole number": lambda torch, a, b: a + 1001,
    "whole numbers": lambda torch, a, b: a + torch.arange(1000, 1000 + a.numel()),
    "a list": lambda torch, a, b: torch._foreach_add([a], 0.3)[0] + torch._foreach_mul([a], 0.3)[0],
}


def _both(program, dtype, executor):
    def run(torch):
        rng = np.random.default_rng(1)
        dtype_of = getattr(torch, dtype)
        made = program(torch, *[torch.tensor(np.round(rng.standard_normal(256), 1)).to(dtype_of) for _ in range(2)])
        return str(made.dtype).removeprefix("torchlike.").removeprefix("torch."), made.double().numpy()

    with torchlike.set_executor(executor):
        kind, ours = run(torchlike)
    wanted, theirs = run(torch)
    assert kind == wanted
    return ours, theirs


@pytest.mark.one_in(7)
@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize(("name", "operand"), CASES)
def test_binary_operators_round_number_operands_as_pytorch(name, operand, dtype, executor):
    def program(torch, a, b):
        return getattr(torch, name)(a, OPERANDS[operand](torch, a.dtype))

    ours, theirs = _both(program, dtype, executor)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("case", OTHER_OPERATORS)
def test_other_operators_round_number_arguments_as_pytorch(case, dtype, executor):
    ours, theirs = _both(OTHER_OPERATORS[case], dtype, executor)
    np.testing.assert_array_equal(ours, theirs)


PRODUCTS = {
    "a product, widened": lambda torch, a, b: (a @ b).float(),
    "linear": lambda torch, a, b: torch.nn.functional.linear(a, b, b[0]),
    "addmm": lambda torch, a, b: torch.addmm(b, a, b, alpha=0.7, beta=0.3),
    "baddbmm": lambda torch, a, b: torch.baddbmm(b[None], a[None], b[None], beta=0.3),
    "its gradient": lambda torch, a, b: _gradient(torch, a, b),
}


def _gradient(torch, a, b):
    weight = b.requires_grad_()
    (torch.nn.functional.linear(a, weight, b[0]) * a).sum().backward()
    return weight.grad


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("case", PRODUCTS)
def test_products_with_an_addend_are_rounded_once(case, executor):
    def program(torch, a, b):
        return PRODUCTS[case](torch, a.reshape(16, 16), b.reshape(16, 16))

    ours, theirs = _both(program, "bfloat16", executor)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_attention_rounds_the_exponentials_and_then_the_quotient(dtype, is_causal, executor):
    def program(torch, a, b):
        q, k = (t.reshape(1, 4, 8, 8) for t in (a, b))
        return torch.nn.functional.scaled_dot_product_attention(q, k, q + k, is_causal=is_causal)

    ours, theirs = _both(program, dtype, executor)
    # An exponential between two representable numbers may be rounded to either of them. A third of the results would
    # differ if intermediates were not rounded at all.
    assert (ours != theirs).mean() < 0.2
    np.testing.assert_allclose(ours, theirs, rtol=2**-7 if dtype == "bfloat16" else 2**-10, atol=2**-10)
