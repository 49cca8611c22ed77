"""Gradients are NaN, infinite or finite where PyTorch's are, and their finite elements agree."""

from __future__ import annotations

import copy
import zlib
from typing import Any

import numpy as np
import pytest
import torch

import torchlike
from tests.ops.row import JUDGED, function
from tests.ops.sample import Sample, arguments, cotangent, made_real
from tests.ops.test_non_finite import DIFFERENT as RESULTS
from tests.ops.test_rows import attempt, good, tensors
from tests.oracle import both

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")

NAN, INF = float("nan"), float("inf")
SPECIAL = [NAN, INF, -INF, 0.0, -0.0]

_LAPACK = "LAPACK leaves the results undefined, and its implementations differ"
_WEIGHTS = "the product with a matrix spreads NaN; PyTorch's loop skips weights of 0"
_TRANSFORM = "PyTorch does not compute the imaginary part of real elements"
_VECTOR = "in PyTorch, the slope at NaN depends on whether the element is in a whole vector register"
_WINDOW = "of several NaN elements of a window, PyTorch gives the gradient to the last"
_LOUD = "NaN where PyTorch's gradient is 0 or ignores NaN"
DIFFERENT = {
    **dict.fromkeys(("linalg.eigvalsh", "linalg.lu_solve", "linalg.matrix_norm", "logdet"), _LAPACK),
    **dict.fromkeys((f"nn.functional.conv{d}d" for d in (1, 2)), _WEIGHTS),
    **dict.fromkeys((f"nn.functional.adaptive_avg_pool{d}d" for d in (1, 2, 3)), _WEIGHTS),
    **dict.fromkeys(("grouped_mm", "nn.functional.conv_transpose2d"), _WEIGHTS),
    **dict.fromkeys(("fft.hfft", "fft.hfft2", "fft.hfftn", "fft.irfft", "fft.irfft2", "fft.irfftn"), _TRANSFORM),
    **dict.fromkeys((f"nn.functional.{name}" for name in ("elu", "selu", "celu", "hardswish")), _VECTOR),
    **dict.fromkeys((f"nn.functional.{name}" for name in ("hardshrink", "hardtanh", "relu6", "softshrink")), _VECTOR),
    **dict.fromkeys((f"nn.functional.max_pool{d}d" for d in (1, 2, 3)), _WINDOW),
    **dict.fromkeys(("scatter_reduce", "segment_reduce", "sinc", "special.i1", "special.i1e"), _LOUD),
    **dict.fromkeys(("angle", "igammac"), _LOUD),
    **dict.fromkeys(("igamma", "nn.functional.multilabel_margin_loss"), "PyTorch multiplies a gradient of NaN by 0"),
    "celu": _VECTOR,
    "clamp": "PyTorch gives the gradient to `max` although the result is NaN because of `min`",
    **dict.fromkeys(("cumprod", "prod"), "PyTorch divides by the factors"),
    **dict.fromkeys(("kthvalue", "topk"), "PyTorch selects any of several equal elements"),
    "logcumsumexp": "PyTorch takes logarithms of the incoming gradient, which drops NaN",
    "polar": "PyTorch computes the gradient from the result",
    "nn.functional.embedding_bag": "PyTorch's maximum ignores NaN, and its gradient reads memory before it is written",
    "nn.functional.scaled_dot_product_attention": "PyTorch's blockwise code gives 0 for scores of NaN",
}


def _spoiled(x: Any, rng: np.random.Generator) -> Any:
    """Return an array with some of its elements replaced by special numbers."""
    if isinstance(x, np.ndarray) and x.dtype in (np.float32, np.float64):
        found = x.copy(order="K")
        places = rng.random(x.shape) < 0.25
        found[places] = rng.choice(SPECIAL, int(places.sum()))
        return found
    return [_spoiled(e, rng) for e in x] if isinstance(x, list) else x


def _with_special_inputs(sample: Sample, rng: np.random.Generator) -> Sample:
    found = copy.copy(sample)
    found.args = tuple([_spoiled(x, rng) for x in sample.args])
    found.kwargs = {name: _spoiled(x, rng) for name, x in sample.kwargs.items()}
    return found


def _gradients(library: Any, key: str, sample: Sample, which: str, seed: int) -> list:
    """Return the gradients for special numbers in the inputs or in the incoming gradients."""
    rng, leaves = np.random.default_rng(seed), []
    if which == "inputs":
        sample = _with_special_inputs(sample, rng)

    def leaf(t: Any) -> Any:
        if t.is_floating_point() or t.is_complex():
            t = t.detach().requires_grad_()
            leaves.append(t)
        return t

    args, kwargs = arguments(library, sample, leaf)
    roots = [t for t in tensors(function(library, key)(*args, **kwargs)) if t.requires_grad and not t.is_sparse]
    weights = []
    for number, root in enumerate(roots):
        weight = cotangent(tuple(root.shape), np.dtype(str(root.dtype).removeprefix("torch.")), number)
        weight = _spoiled(weight, rng) if which == "gradients" else weight
        weights.append(made_real(library, weight))
    found = library.autograd.grad(roots, leaves, weights, allow_unused=True)
    return [None if g is None or g.is_sparse else g.resolve_conj().numpy() for g in found]


def _is_half(sample: Sample) -> bool:
    return any(isinstance(a, np.ndarray) and a.dtype.itemsize == 2 for a in sample.args)


def _same(ours: Any, theirs: Any) -> np.ndarray:
    """Return whether gradients agree: both are close, or neither is finite.

    An infinite incoming gradient gives NaN in one order of operations and infinity in another.
    """
    parts = [np.stack((g.real, g.imag)) if np.iscomplexobj(g) else g for g in (ours, theirs)]
    neither = ~np.isfinite(parts[0]) & ~np.isfinite(parts[1])
    return np.isclose(*parts, rtol=1e-3, atol=1e-4) | neither


@pytest.mark.one_in(3)
@pytest.mark.parametrize("which", ["inputs", "gradients"])
@pytest.mark.parametrize(
    "key", [key for key in JUDGED if key not in DIFFERENT and "LAPACK" not in RESULTS.get(key, "")]
)
def test_gradients_of_special_numbers(key, which):
    for number, sample in enumerate(good(key)):
        if not sample.gradient or _is_half(sample):
            continue
        seed = zlib.crc32(f"{key} {number} {which}".encode())
        theirs, error = attempt(lambda: _gradients(torch, key, sample, which, seed))  # noqa: B023
        if error is None:
            with torchlike.set_executor("numpy"):
                ours = _gradients(torchlike, key, sample, which, seed)
            for place, (mine, due) in enumerate(zip(ours, theirs)):
                assert (mine is None) == (due is None), f"{sample}: gradient {place}"
                if mine is not None and not _same(mine, due).all():
                    pytest.fail(f"{sample}: gradient {place}\n{mine}\nnot\n{due}")


def test_the_table_does_not_grow():
    assert len(DIFFERENT) == 47  # lower it with every removed name


_ACTIVATIONS = [
    "gelu",
    "silu",
    "mish",
    "hardswish",
    "hardsigmoid",
    "tanhshrink",
    "logsigmoid",
    "softplus",
    "elu",
    "celu",
]
_FUNCTIONS = {name: lambda torch, x, name=name: getattr(torch.nn.functional, name)(x) for name in _ACTIVATIONS}
_FUNCTIONS |= {
    "gelu by tanh": lambda torch, x: torch.nn.functional.gelu(x, approximate="tanh"),
    "tanh": lambda torch, x: torch.tanh(x),
    "nan_to_num": lambda torch, x: torch.nan_to_num(x),
    "nansum": lambda torch, x: torch.nansum(x).expand(x.shape),
    "frexp": lambda torch, x: torch.frexp(x)[0],
    "copysign": lambda torch, x: torch.copysign(x.detach(), x),
    "floored": lambda torch, x: torch.div(x, 0.3, rounding_mode="floor"),
    **{f"power {n}": lambda torch, x, n=n: x**n for n in (-4, -3, -2, -1, -0.5, 0, 0.5, 2, 3)},
}
# With AVX-512, PyTorch's gelu is NaN at infinity.
_LEFT_OUT = {"gelu": (INF, -INF), "gelu by tanh": (INF, -INF)}


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("name", _FUNCTIONS)
def test_slopes(name, executor):
    def run(torch):
        numbers = [
            x for x in (NAN, INF, -INF, 3.0, -3.0, 0.0, -0.0, 0.5, -0.5, 1.0) if x not in _LEFT_OUT.get(name, ())
        ]
        # Whole vector registers: PyTorch's slopes at NaN differ in the last elements of a tensor.
        x = torch.tensor(numbers).repeat_interleave(16).requires_grad_()
        made = _FUNCTIONS[name](torch, x)
        weights = [torch.full_like(made, w) for w in (1.0, NAN, INF)]
        return [torch.autograd.grad(made, x, w, retain_graph=True)[0] for w in weights]

    with torchlike.set_executor(executor):
        both(run, stride=False)


_SPECIAL_CASES = {
    "softmax of a scalar": lambda torch, x: torch.softmax(x[3], 0),
    "log_softmax of a scalar": lambda torch, x: torch.log_softmax(x[3], 0),
    "quantile": lambda torch, x: torch.quantile(x[:3], torch.tensor([0.2, 0.3, 0.7])),
    "norm of order 1": lambda torch, x: torch.linalg.vector_norm(x, 1),
    "norm of order inf": lambda torch, x: torch.linalg.vector_norm(x, INF),
    "norm of order -inf": lambda torch, x: torch.linalg.vector_norm(x, -INF),
    "pairwise_distance": lambda torch, x: torch.nn.functional.pairwise_distance(x, x.detach().flip(0), 1.0),
    "prelu": lambda torch, x: torch.nn.functional.prelu(torch.ones(4, 4), x),
    "scatter_reduce": lambda torch, x: x.scatter_reduce(0, torch.tensor([3, 3, 1, 0]), x, "amax"),
    "lerp": lambda torch, x: torch.lerp(x, x.flip(0), torch.tensor([0.0, 0.25, 0.75, 1.0])),
    "largest of all": lambda torch, x: x[:3].max(),
    "poisson_nll_loss": lambda torch, x: torch.nn.functional.poisson_nll_loss(
        torch.ones(4), x, full=True, reduction="none"
    ),
}


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_logcumsumexp_of_infinity(executor):
    def run(torch):
        x = torch.tensor([1.0, -INF, 2.0, INF, 3.0], requires_grad=True)
        made = torch.logcumsumexp(x, 0)
        return made, torch.autograd.grad(made, x, torch.ones_like(x))

    with torchlike.set_executor(executor):
        both(run)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("name", _SPECIAL_CASES)
def test_single_functions(name, executor):
    def run(torch):
        x = torch.tensor([-INF, 1.0, 2.5, NAN], requires_grad=True)
        made = _SPECIAL_CASES[name](torch, x)
        return made, *[torch.autograd.grad(made, x, torch.full_like(made, w), retain_graph=True) for w in (1.0, NAN)]

    with torchlike.set_executor(executor):
        both(run, stride=False)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
def test_recurrent_layers_give_nan_a_gradient(executor):
    def run(torch):
        torch.manual_seed(0)
        layer, cell = torch.nn.RNN(2, 3, nonlinearity="relu"), torch.nn.RNNCell(2, 3, nonlinearity="relu")
        x = torch.tensor([[[1.0, NAN]], [[0.5, -1.0]]], requires_grad=True)
        return torch.autograd.grad(layer(x)[0].sum() + cell(x[0]).sum(), [x, *cell.parameters()])

    with torchlike.set_executor(executor):
        both(run)
