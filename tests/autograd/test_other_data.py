"""Leaves whose data changes between forward and backward. Each program runs under both libraries."""

import pytest

from tests.autograd.library import compare, leaf, log, programs, torch

# A name, a function of leaves, and the shapes of the leaves. PyTorch saves some of the leaves, and views of the others.
PRODUCTS = [
    ("linear", lambda x, w, b: torch.nn.functional.linear(x, w, b), (2, 3), (4, 3), (4,)),
    ("linear of a vector", lambda x, w: torch.nn.functional.linear(x, w), (3,), (4, 3)),
    ("linear of a batch", lambda x, w: torch.nn.functional.linear(x, w), (2, 2, 3), (4, 3)),
    ("matrix, matrix", lambda a, b: a @ b, (2, 3), (3, 4)),
    ("vector, matrix", lambda a, b: a @ b, (3,), (3, 2)),
    ("matrix, vector", lambda a, b: a @ b, (2, 3), (3,)),
    ("batch, matrix", lambda a, b: a @ b, (2, 2, 3), (3, 4)),
    ("batch, vector", lambda a, b: a @ b, (2, 2, 3), (3,)),
    ("batch, batch", lambda a, b: a @ b, (2, 2, 3), (2, 3, 4)),
    ("two batches of two dims", lambda a, b: a @ b, (2, 2, 2, 3), (2, 2, 3, 4)),
    ("bmm", lambda a, b: torch.bmm(a, b), (2, 2, 3), (2, 3, 4)),
    ("addmm", lambda a, b, c: torch.addmm(a, b, c), (4,), (2, 3), (3, 4)),
    ("outer", lambda a, b: torch.outer(a, b), (2,), (3,)),
    ("inner", lambda a, b: torch.inner(a, b), (2, 3), (4, 3)),
    ("inner of vectors", lambda a, b: torch.inner(a, b), (3,), (3,)),
    ("tensordot", lambda a, b: torch.tensordot(a, b, 1), (2, 3), (3, 4)),
    ("bilinear", lambda a, b, w: torch.nn.functional.bilinear(a, b, w), (2, 3), (2, 4), (5, 3, 4)),
    ("prelu", lambda x, w: torch.nn.functional.prelu(x - 0.5, w), (4, 3), (3,)),
]
WRITES = {
    "p.data.mul_": lambda p: p.data.mul_(3),
    "p.data = x": lambda p: setattr(p, "data", torch.full(p.shape, 5.0)),
    "p.add_": lambda p: p.add_(1),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(("function", "shapes"), [pytest.param(f, shapes, id=name) for name, f, *shapes in PRODUCTS])
def test_products(function, shapes, write):
    for place in range(len(shapes)):

        def program():
            torch.manual_seed(0)
            leaves = [torch.randn(shape, requires_grad=True) for shape in shapes]
            found = function(*leaves)
            with torch.no_grad():
                WRITES[write](leaves[place])  # noqa: B023
            return torch.autograd.grad(found.square().sum(), leaves)

        compare(program, stride=False)


def einsum():
    a, b = torch.eye(3).requires_grad_(), torch.ones(3, 3, requires_grad=True)
    y = torch.einsum("ij,jk->ik", a, b).square().sum()
    a.data, b.data = torch.full((3, 3), 5.0), torch.full((3, 3), 7.0)
    return torch.autograd.grad(y, [a, b])


def _through_hooks(pack, unpack, change):
    x = leaf()
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = (x * x).sum()
    change(x)
    y.backward()
    return x.grad


def _replace(x):
    x.data = torch.full((2,), 5.0)


def hooks_after_other_data():
    _replace(leaf())
    return _through_hooks(lambda t: t.detach() * 3, lambda t: t, lambda x: None)


def hooks_that_round():
    _replace(leaf())
    return _through_hooks(lambda t: (t * 1.0003).detach().half(), lambda t: t.float(), lambda x: None)


def hooks_of_a_leaf_with_other_data():
    return [_through_hooks(pack, lambda t: t, _replace) for pack in (lambda t: t, lambda t: t.detach() * 2)]


def hooks_of_a_leaf_written_to():
    return _through_hooks(lambda t: t.detach(), lambda t: t, lambda x: x.data.mul_(3))


def hooks_receive_leaves():
    p = torch.nn.Parameter(torch.ones(2))

    def pack(t):
        log(t is p, isinstance(t, torch.nn.Parameter), t.requires_grad, t.is_leaf)
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        (p * p).sum().backward()
    return p.grad


def batched_gradients():
    x = leaf()
    found = []
    for change in (_replace, lambda x: x.data.mul_(3)):
        y = x * x
        change(x)
        found += torch.autograd.grad(y, x, torch.eye(2), is_grads_batched=True)
    return found


def batched_gradients_of_a_constant():
    return torch.autograd.grad(leaf().detach() * 2, leaf(), torch.eye(2), is_grads_batched=True)


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_other_data_programs_equal_pytorchs(program):
    compare(program, stride=False)
