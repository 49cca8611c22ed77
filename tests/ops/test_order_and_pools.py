"""The order of equal elements, zeros and NaN.

Sorting is stable in every dtype and with both executors. Adaptive pooling takes the first of equal elements and the
last NaN.
"""

import itertools

import numpy as np
import pytest
import torch

import torchlike
from tests.oracle import assert_same, both

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")
SPECIAL = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1, 1, -1, 3e38, -3e38, np.nan], "f")
SIZES = ((5, 1), (5, 40), (0, 3), (3, 0))


def elements(dtype: str, shape: tuple) -> torch.Tensor:
    random = np.random.default_rng(0)
    if dtype in FLOATS:
        return torch.from_numpy(random.choice(SPECIAL, shape)).to(getattr(torch, dtype))
    span = {"int32": (-(2**31), 2**31), "uint32": (0, 2**32), "uint64": (0, 2**62), "int64": (-(2**62), 2**62)}
    few = random.integers(*span.get(dtype, (0, 4)), size=(3,))  # few values, so that many elements are equal
    return torch.from_numpy(random.choice(few, shape).astype("uint64" if dtype == "uint64" else "int64")).to(
        getattr(torch, dtype)
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("executor", ["xla", "numpy"])
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_stable(dtype, executor):
    for shape, dim, descending in itertools.product(SIZES, (0, 1), (False, True)):
        x = elements(dtype, shape)
        bits = x.view(torch.int16) if dtype == "bfloat16" else x
        ours = torchlike.from_numpy(bits.numpy())
        ours = ours.view(torchlike.bfloat16) if dtype == "bfloat16" else ours
        with torchlike.set_executor(executor):
            found = torchlike.sort(ours.clone(), dim=dim, descending=descending, stable=True)
            due = torch.sort(x, dim=dim, descending=descending, stable=True)
            assert_same(tuple(found), tuple(due), stride=bool(x.numel()))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("name", ["sort", "median", "kthvalue", "msort"])
def test_gradients(name, descending):
    def under(library):
        library.manual_seed(0)
        x = (library.randn(6, 7) * 2).round().requires_grad_()  # many equal elements
        options = {"kthvalue": (3, 1), "median": (1,), "sort": (1, descending), "msort": ()}[name]
        found = getattr(library, name)(x, *options)
        values = found if name == "msort" else found[0]
        change = library.randn(*values.shape)
        return library.autograd.grad((values * change).sum(), x)

    if name in ("median", "kthvalue"):  # PyTorch returns any of several equal elements
        assert torchlike.equal(under(torchlike)[0].sum(1), torchlike.from_numpy(under(torch)[0].sum(1).numpy()))
    else:
        both(under)


NAN = float("nan")
POOLED = {
    "holes": lambda L, x: L.nn.functional.adaptive_max_pool2d(x, (1, 2), return_indices=True),
    "one window": lambda L, x: L.nn.functional.adaptive_max_pool2d(x, 1, return_indices=True),
    "one dim": lambda L, x: L.nn.functional.adaptive_max_pool1d(x[0], 3, return_indices=True),
    "three dims": lambda L, x: L.nn.functional.adaptive_max_pool3d(x[None], (2, 1, 3), return_indices=True),
    "no windows": lambda L, x: L.nn.functional.adaptive_max_pool2d(x.detach(), (0, 2), return_indices=True),
    "large windows": lambda L, x: L.nn.functional.max_pool2d(
        x.nan_to_num(2.0).repeat(1, 4, 3), (7, 9), (3, 2), return_indices=True
    ),
    "large windows, means": lambda L, x: L.nn.functional.avg_pool2d(x.repeat(1, 4, 3), (7, 9), (3, 2)),
}


@pytest.mark.parametrize("trains", [False, True])
@pytest.mark.parametrize("name", POOLED)
def test_pooling(name, trains):
    def under(library):
        x = library.tensor([[[NAN, 1, NAN, 2.0], [3, 1, 1, 3]], [[0, 0, NAN, 0], [1, 2, NAN, 3]]]).requires_grad_()
        found = POOLED[name](library, x)
        values = found[0] if isinstance(found, tuple) else found
        if trains and values.requires_grad:
            return library.autograd.grad(values.sum(), x)
        return tuple(v.detach() for v in found) if isinstance(found, tuple) else found.detach()

    both(under)
