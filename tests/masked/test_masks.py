"""Masks as indices, compared with PyTorch: reads and writes in any layout, with first and second gradients."""

import numpy as np
import pytest
import torch

import torchlike
from tests.ops.test_rows import attempt

SHAPE = (3, 4)


def some(library, *shape):
    """Return a mask that is true for about half of the elements."""
    return library.from_numpy(np.random.default_rng(len(shape)).random(shape) < 0.5)


INDICES = {
    "whole": lambda L: some(L, 3, 4),
    "rows": lambda L: L.tensor([True, False, True]),
    "columns": lambda L: (slice(None), L.tensor([True, False, True, True])),
    "columns after an ellipsis": lambda L: (..., L.tensor([False, False, True, True])),
    "a transposed mask": lambda L: some(L, 4, 3).t(),
    "every second of a mask": lambda L: some(L, 6, 8)[1::2, ::2],
    "a mask of one row for all": lambda L: some(L, 4).expand(3, 4),
    "a mask of one column for all": lambda L: some(L, 3)[:, None].expand(3, 4),
    "one number for all": lambda L: L.tensor(True).expand(3, 4),
    "rows of an expanded mask": lambda L: L.tensor([True]).expand(3),
    "compared": lambda L: L.arange(12.0).view(4, 3).t() > 5,
    "none true": lambda L: L.zeros(3, 4, dtype=L.bool),
    "all true": lambda L: L.ones(3, 4, dtype=L.bool),
    "no rows true": lambda L: L.zeros(3, dtype=L.bool),
    "bytes": lambda L: some(L, 3, 4).to(L.uint8),
    "zero-dim, true": lambda L: L.tensor(True),
    "zero-dim, false": lambda L: L.tensor(False),
    "Python's true": lambda L: True,
    "Python's false": lambda L: False,
    "zero-dim and a number": lambda L: (L.tensor(True), 1),
    "zero-dim and a mask": lambda L: (L.tensor(True), L.tensor([True, False, True])),
    "false and a mask": lambda L: (L.tensor(False), L.tensor([True, False, False])),
    "a number of a mask": lambda L: some(L, 3, 4)[0, 0],
    "rows and a number": lambda L: (L.tensor([True, False, True]), 1),
    "rows and numbers": lambda L: (L.tensor([True, False, True]), L.tensor([3, 0])),
    "rows and columns": lambda L: (L.tensor([True, False, True]), L.tensor([False, True, True, False])),
    "rows and one column": lambda L: (L.tensor([True, False, True]), L.tensor([False, False, True, False])),
    "rows and a new dim": lambda L: (L.tensor([True, False, True]), None),
    "a new dim and a mask": lambda L: (None, some(L, 3, 4)),
    "of too few rows": lambda L: L.tensor([True, False]),
    "of too many dims": lambda L: some(L, 3, 4, 1),
    "without numbers": lambda L: L.zeros(0, 4, dtype=L.bool),
    "of other counts": lambda L: (L.tensor([True, True, True]), L.tensor([False, True, True, False])),
}


def read(x, v, i):
    return x[i]


def write_a_number(x, v, i):
    z = x * 1
    z[i] = 2.5
    return z


def write_one_for_all(x, v, i):
    z = x * 1
    z[i] = v.sum()
    return z


def write_each(x, v, i):
    z = x * 1
    z[i] = v.flatten()[: z[i].numel()].view(z[i].shape) * z[i]
    return z


def add(x, v, i):
    z = x * 1
    z[i] += v[0, 0] * 3
    return z


def multiply(x, v, i):
    z = x * 1
    z[i] *= v[0, 0]
    return z


def write_through_a_view(x, v, i):
    z = (x * 1).view(4, 3).t()
    z.t().view(3, 4)[i] = v[1, 1]
    return z


def put(x, v, i):
    return x.index_put(i if isinstance(i, tuple) else (i,), v[0, 0])


def accumulate(x, v, i):
    return x.index_put(i if isinstance(i, tuple) else (i,), v[0, 0], accumulate=True)


def select(x, v, i):
    return x.masked_select(i)


def fill(x, v, i):
    return x.masked_fill(i, v[2, 2])


def scatter(x, v, i):
    return x.masked_scatter(i, v)


def fill_a_transposed(x, v, i):
    z = (x * 1).view(4, 3).t()
    z.masked_fill_(i, v[0, 1])
    return z


CALLS = (
    read,
    write_a_number,
    write_one_for_all,
    write_each,
    add,
    multiply,
    write_through_a_view,
    put,
    accumulate,
    select,
    fill,
    scatter,
    fill_a_transposed,
)
OF_A_MASK = (select, fill, scatter, fill_a_transposed)


def outcome(library, call, index):
    """Return the result of a call with its first and second gradients."""
    numbers = np.random.default_rng(0).normal(size=(2, *SHAPE))
    x, v = (library.from_numpy(a).requires_grad_() for a in numbers)
    found = call(x, v, INDICES[index](library))
    first = library.autograd.grad((found**3).sum(), (x, v), create_graph=True, allow_unused=True)
    squares = sum((g * g).sum() for g in first if g is not None)
    second = library.autograd.grad(squares, (x, v), allow_unused=True)
    return [found.detach().numpy(), *[None if g is None else g.detach().numpy() for g in (*first, *second)]]


def first_line(error):
    return str(error).partition("\n")[0]


def is_asked(index, call):
    """Return whether the call is tested with this index.

    Functions that take a single mask do not accept a tuple. The in-place fill is tested only with masks that fit,
    because the error message for other masks names another function. `index_put` is not tested with masks for which
    PyTorch fails internally, nor with zero-dim masks, which PyTorch ignores.
    """
    given = INDICES[index](torch)
    if call in OF_A_MASK:
        fits = isinstance(given, torch.Tensor) and given.shape in ((), (3, 4))
        return fits if call is fill_a_transposed else not isinstance(given, tuple)
    tensors = [i for i in (given if isinstance(given, tuple) else (given,)) if isinstance(i, torch.Tensor)]
    return call not in (put, accumulate) or all(i.ndim in (1, 2) and i.dtype is not torch.uint8 for i in tensors)


@pytest.mark.one_in(4)
@pytest.mark.filterwarnings("ignore:indexing with dtype torch.uint8")
@pytest.mark.parametrize(("index", "call"), [(i, c) for i in INDICES for c in CALLS if is_asked(i, c)])
def test_masks(index, call):
    due, refused = attempt(lambda: outcome(torch, call, index))
    found, error = attempt(lambda: outcome(torchlike, call, index))
    if refused is not None:
        assert (type(error), first_line(error)) == (type(refused), first_line(refused))
        return
    assert error is None
    for mine, theirs in zip(found, due):
        assert (mine is None) == (theirs is None)
        if theirs is not None:
            assert mine.shape == theirs.shape
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
