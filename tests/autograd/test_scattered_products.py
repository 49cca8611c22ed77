"""Products by `scatter_reduce`, `index_reduce` and `segment_reduce`.

Their derivatives of every order equal those of multiplying the factors one by one, for any number of zero factors.
"""

import numpy as np
import pytest
import torch

import torchlike

pytestmark = pytest.mark.filterwarnings("ignore:index_reduce:UserWarning")

PLACES = [0, 1, 0, 2, 0, 1]
SOURCES = {
    "no zero": [0.5, -1.5, 2.0, 3.0, -0.5, 1.25],
    "one": [0.5, -1.5, 0.0, 3.0, -0.5, 1.25],
    "two of one place": [0.0, -1.5, 0.0, 3.0, -0.5, 1.25],
    "three of one place": [0.0, 0.0, 0.0, 0.0, 0.0, 1.25],
}


def multiplied(input, source, include_self):
    """Return the products in PyTorch, computed factor by factor."""
    found = []
    for place, own in enumerate(input):
        factors = [x for x, at in zip(source, PLACES) if at == place]
        factors = [own, *factors] if include_self or not factors else factors
        found.append(factors[0])
        for factor in factors[1:]:
            found[-1] = found[-1] * factor
    return torch.stack(found)


def weighed(library, x):
    return (x * library.arange(1.0, x.numel() + 1, dtype=x.dtype)).sum()


def derivatives(library, product, source):
    """Return the gradients of the first three orders with respect to both arguments.

    Each order differentiates a weighted sum of the gradients of the previous order.
    """
    inputs = [library.tensor(x, dtype=library.float64, requires_grad=True) for x in ([2.0, 0.0, -1.5, 0.5], source)]
    found, total = [], weighed(library, product(*inputs))
    for _ in range(3):
        grads = library.autograd.grad(total, inputs, create_graph=True, materialize_grads=True)
        found += [g.detach().numpy() for g in grads]
        total = sum(weighed(library, g) for g in grads) + 0 * sum(x.sum() for x in inputs)
    return found


def check(product, source, include_self):
    due = derivatives(torch, lambda a, b: multiplied(a, b, include_self), source)
    for mine, theirs in zip(derivatives(torchlike, product, source), due):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))
def test_derivatives_of_products_by_place(source):
    places = torchlike.tensor(PLACES)
    check(lambda a, b: a.index_reduce(0, places, b, "prod", include_self=False), source, include_self=False)


@pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))
def test_derivatives_of_products_along_a_dim(source):
    def product(a, b):  # two columns with different indices; the second is returned
        wide, places = torchlike.stack([b.flip(0), b], 1), torchlike.tensor(PLACES)
        index = torchlike.stack([places.flip(0), places], 1)
        return torchlike.stack([a, a], 1).scatter_reduce(0, index, wide, "prod")[:, 1]

    check(product, source, include_self=True)


@pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))
def test_derivatives_of_products_of_segments(source):
    def product(a, b):
        order, lengths = torchlike.tensor([0, 2, 4, 1, 5, 3]), torchlike.tensor([3, 2, 1])
        rows = torchlike.stack([b, b + 1], 1)[order]
        made = torchlike.segment_reduce(rows, "prod", lengths=lengths)[:, 0]
        return torchlike.cat([made, a[3:]])

    check(product, source, include_self=False)
