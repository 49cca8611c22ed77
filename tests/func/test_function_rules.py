"""Derivatives through `autograd.Function`s with their own `vmap`, compared with PyTorch.

`backward`, `jvp` and the operators of `vmap` deliberately have different derivatives. The result thus shows which of
them was used.
"""

import pytest
import torch

import torchlike
from tests.optim.test_optimizer import outcome

LIBRARIES = (torchlike, torch)


def function(library, applies, seen=None):
    class Product(library.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x * 2 * y, x + y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, first, second):
            x, y = ctx.saved_tensors
            return first * 5 * y + second, first * 7 * x + 3 * second

        @staticmethod
        def jvp(ctx, x, y):
            given = [t for t in (x, y) if t is not None]
            return sum(given) * 11, sum(given) * 13

        @staticmethod
        def vmap(info, in_dims, x, y):
            if seen is not None:
                seen.append((info.batch_size, in_dims, x.requires_grad, y.requires_grad))
            if applies:
                return Product.apply(x, y), (0, 0)
            return ((x * 3 - x) * y, x + 2 * y - y), (0, 0)

    return Product.apply


def mixed(apply, a, b):
    """Apply the function between other operators that also use its arguments."""
    z = a.sin()
    first, second = apply(z, b)
    return first * z + second * a


def inputs(library):
    x, y = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    return [library.tensor(v, dtype=library.float64, requires_grad=True) for v in (x, y)]


def gradients(library, total, given, **options):
    return library.autograd.grad(total, given, **options)


PROGRAMS = {
    "outside": lambda L, f, x, y: gradients(L, L.vmap(f)(x, y)[0].sum(), (x, y)),
    "amid": lambda L, f, x, y: gradients(L, (L.vmap(lambda a, b: mixed(f, a, b))(x, y) ** 2).sum(), (x, y)),
    "one that is the same for all": lambda L, f, x, y: gradients(
        L, (L.vmap(lambda a: mixed(f, a, y[0]))(x) ** 2).sum(), (x, y)
    ),
    "second derivatives": lambda L, f, x, y: gradients(
        L,
        gradients(L, (L.vmap(lambda a, b: mixed(f, a, b))(x, y) ** 2).sum(), x, create_graph=True)[0].sum(),
        (x, y),
    ),
    "inside": lambda L, f, x, y: L.vmap(L.func.grad(lambda a, b: mixed(f, a, b), (0, 1)))(x.detach(), y.detach()),
    "of the mapped": lambda L, f, x, y: L.func.grad(lambda a: L.vmap(f)(a, y.detach())[0].sum())(x.detach()),
    "pulled": lambda L, f, x, y: L.func.vjp(lambda a, b: L.vmap(f)(a, b), x.detach(), y.detach())[1]((x, y)),
    "per example": lambda L, f, x, y: L.vmap(lambda a, b: L.func.vjp(f, a, b)[1]((a, b)))(x.detach(), y.detach()),
    "nested": lambda L, f, x, y: gradients(
        L, L.vmap(L.vmap(lambda a, b: mixed(f, a, b)))(L.stack([x, x * x]), L.stack([y, y + 1])).sum(), (x, y)
    ),
    "tangents outside": lambda L, f, x, y: L.func.jvp(
        lambda a: L.vmap(lambda a, b: mixed(f, a, b))(a, y.detach()), (x.detach(),), (L.ones_like(x),)
    ),
    "tangents inside": lambda L, f, x, y: L.vmap(
        lambda a, b: L.func.jvp(lambda a: mixed(f, a, b), (a,), (L.ones_like(a),))
    )(x.detach(), y.detach()),
    "without gradients": lambda L, f, x, y: L.no_grad()(lambda: L.vmap(f)(x, y))(),
    "jacobians": lambda L, f, x, y: (
        L.func.jacrev(lambda a: L.vmap(f)(a, y.detach()))(x.detach()),
        L.func.jacfwd(lambda a: L.vmap(f)(a, y.detach()))(x.detach()),
    ),
}


def flat(found):
    return [x for each in found for x in flat(each)] if isinstance(found, tuple | list) else [found.detach().numpy()]


@pytest.mark.parametrize("applies", [False, True])
@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name, applies):
    ours, theirs = (flat(PROGRAMS[name](L, function(L, applies), *inputs(L))) for L in LIBRARIES)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(torch.from_numpy(mine.copy()), torch.from_numpy(other))


@pytest.mark.parametrize("name", ["outside", "amid", "of the mapped", "inside", "without gradients"])
def test_arguments_of_the_vmap_rule(name):
    def program(library):
        seen = []
        PROGRAMS[name](library, function(library, False, seen), *inputs(library))
        return seen

    ours, theirs = map(program, LIBRARIES)
    assert ours == theirs


@pytest.mark.parametrize("keep", [False, True])
def test_backward_twice(keep):
    def program(library):
        x, y = inputs(library)
        f = function(library, True)
        total = library.vmap(lambda a, b: mixed(f, a, b))(x, y).sum()
        total.backward(retain_graph=keep)
        total.backward()
        return x.grad.tolist()

    ours, theirs = (outcome(lambda lib=lib: program(lib)) for lib in LIBRARIES)
    assert ours == theirs
    assert (ours[0] is None) == keep
