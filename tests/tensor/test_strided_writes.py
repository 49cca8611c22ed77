"""Writes through `as_strided` of a view: values and gradients.

Such a view may cover memory outside of the view from which it was made.
"""

import pytest

from tests.oracle import both

SHAPE = ((2, 2), (1, 2))
VIEWS = {
    "within": lambda x, b: b.as_strided(*SHAPE, 1),
    "of the whole": lambda x, b: x.as_strided(*SHAPE, 1),
    "of a transposed one": lambda x, b: x.t().as_strided(*SHAPE, 1),
    "at the view's offset": lambda x, b: b.as_strided(*SHAPE),
    "before the view": lambda x, b: b[1:].as_strided(*SHAPE, 1),
    "of a strided one": lambda x, b: b.as_strided((3, 3), (4, 1), 0).as_strided(*SHAPE, 4),
}
WRITES = {
    "mul_": lambda c, a: c.mul_(3),
    "copy_": lambda c, a: c.copy_(c.detach().clone() * a.sum()),
    "index": lambda c, a: c.__setitem__(0, a.sum()),
    "exp_": lambda c, a: c.exp_(),
    "of a view": lambda c, a: c.t().mul_(a[0, 0]),
    "twice": lambda c, a: c.mul_(2).add_(a[1, 1]),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("view", VIEWS)
def test_gradients_of_all_that_was_written(view, write):
    def program(L):
        count = lambda *shape: L.arange(float(shape[0] * shape[1]), dtype=L.float64).reshape(shape)
        a = (count(3, 4) / 8).requires_grad_()
        x = a * 2
        b = x[..., 1:]
        c = VIEWS[view](x, b)
        WRITES[write](c, a)
        slopes = [L.autograd.grad((t * count(*t.shape)).sum(), a, retain_graph=True)[0] for t in (b, x, c)]
        return [b, x, c, *slopes]

    both(program)
