"""Gradients at special numbers, compared with PyTorch."""

import math

import pytest
import torch

import torchlike
from tests.ops import kinks
from tests.oracle import both

# In half precision, PyTorch's kernels save a rounded result or quotient for backward, or depend on the vector width.
WIDE = ("float32", "float64")


@pytest.mark.parametrize("dtype", WIDE)
@pytest.mark.parametrize("name", kinks.OF_ONE + kinks.OF_TWO)
def test_gradients(name, dtype):
    with torchlike.set_executor("numpy"):
        both(kinks.program(name, dtype), stride=False)


@pytest.mark.parametrize(
    "name", ["div", "atan2", "hypot", "logaddexp", "copysign", "xlogy", "sinc", "digamma", "logit", "special.ndtri"]
)
def test_gradients_compiled(name):
    with torchlike.set_executor("xla"):
        both(kinks.program(name, "float32"), stride=False)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_log_softmax_adds_its_gradient_up_in_float32(dtype, executor):
    def run(torch):
        kind = getattr(torch, dtype)
        x = torch.randn(2, 70_000).to(kind).requires_grad_()
        return x, *torch.autograd.grad(torch.log_softmax(x, -1), x, torch.rand(2, 70_000).to(kind))

    with torchlike.set_executor(executor):
        both(run)


_HOLES = [
    [1.0, math.nan, 3.0, 2.0],
    [math.nan, math.nan, math.nan, math.nan],
    [4.0, 1.0, 1.0, 2.0],
    [math.nan, 5.0, 5.0, math.nan],
]
_AMONG_HOLES = {
    f"{name} {q} {how}": lambda x, torch, name=name, q=q, how=how: getattr(torch, name)(x, q, 1, interpolation=how)
    for name in ("quantile", "nanquantile")
    for q, how in [(0.0, "linear"), (0.3, "linear"), (0.5, "higher"), (0.3, "nearest"), (1.0, "midpoint")]
}
_AMONG_HOLES |= {
    "quantile of all": lambda x, torch: torch.quantile(x, torch.tensor([0.2, 0.5])),
    "nanquantile of all": lambda x, torch: torch.nanquantile(x, torch.tensor([0.2, 0.5])),
    "nanmedian of all": lambda x, torch: torch.nanmedian(x),
    "nanmedian of none": lambda x, torch: torch.nanmedian(x[1]),
    "nanmedian": lambda x, torch: torch.nanmedian(x[[0, 2, 3]], 1)[0],
    "median of all": lambda x, torch: torch.median(x),
    "nanmean": lambda x, torch: torch.nanmean(x, 1),
    "nanmean of all": lambda x, torch: torch.nanmean(x),
    "nansum": lambda x, torch: torch.nansum(x, 1),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("name", _AMONG_HOLES)
def test_gradients_among_nan(name, executor):
    def run(torch):
        x = torch.tensor(_HOLES, requires_grad=True)
        made = _AMONG_HOLES[name](x, torch)
        return made, torch.autograd.grad(made.sum(), x)

    with torchlike.set_executor(executor):
        both(run, stride=False)


def _numbers(torch, *shape):
    return torch.rand(*shape, dtype=torch.float64)


_ADDED = {
    "expand": lambda x, i: x[:3].expand(9000, 3),
    "repeat": lambda x, i: x[:3].repeat(9000, 1),
    "repeat_interleave": lambda x, i: x[:3].repeat_interleave(9000),
    "index_select": lambda x, i: x.index_select(0, i),
    "gather": lambda x, i: x.gather(0, i),
    "scatter_add": lambda x, i: x.scatter_add(0, i, x.new_ones(1).expand(i.shape)),
}


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", _ADDED)
def test_many_addends_of_half_precision(name, dtype, executor):
    """Check the error of long sums in half precision.

    The difference from the float64 result may be twice as large as PyTorch's, or one rounding error of the largest
    element.
    """

    def furthest(library, kind):
        library.manual_seed(0)
        index = (library.arange(9000) * 31) % 7
        x = _numbers(library, 7).to(getattr(library, dtype)).to(kind).requires_grad_()
        made = _ADDED[name](x, index)
        weights = _numbers(library, *made.shape).to(getattr(library, dtype)).to(kind)
        (grad,) = library.autograd.grad(made, x, weights)
        return [t.detach().double().numpy() for t in (made, grad)]

    with torchlike.set_executor(executor):
        ours = furthest(torchlike, getattr(torchlike, dtype))
    exact, theirs = furthest(torch, torch.float64), furthest(torch, getattr(torch, dtype))
    for mine, right, due in zip(ours, exact, theirs):
        rounding = torch.finfo(getattr(torch, dtype)).eps * abs(right).max()
        assert abs(mine - right).max() <= max(2 * abs(due - right).max(), rounding)


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0, 3.0, float("inf")])
@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_distances_of_equal_rows_and_of_equal_components(p, executor):
    def run(torch):
        a = torch.tensor([[0.0, 0.0], [1.0, 1.0], [1.0, 3.0], [2.0, -2.0], [0.0, 0.0]], requires_grad=True)
        b = torch.tensor([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], requires_grad=True)
        across, within = torch.cdist(a, b, p=p), torch.nn.functional.pdist(a, p=p)
        return across, within, *torch.autograd.grad(across.sum(), (a, b)), *torch.autograd.grad(within.sum(), a)

    with torchlike.set_executor(executor):
        both(run, stride=False)


_OF_COMPLEX = ["abs", "angle", "sgn", "sqrt", "log", "log2", "log10", "log1p", "exp", "sin", "cos", "tan", "sinh"]
_OF_COMPLEX += ["cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "square", "reciprocal", "rsqrt"]
_OF_COMPLEX += ["sigmoid", "expm1", "pow 2", "pow 0.5", "pow 0"]


@pytest.mark.parametrize("name", _OF_COMPLEX)
def test_gradients_at_a_complex_zero(name):
    name, _, power = name.partition(" ")

    def run(torch):
        z = torch.tensor([0j, 0.5 - 0.25j], dtype=torch.complex128, requires_grad=True)
        made = getattr(torch, name)(z, *([float(power)] if power else []))
        return torch.autograd.grad(made, z, torch.ones_like(made))[0]

    both(run, stride=False)
