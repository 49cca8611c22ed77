"""A zero-dim tensor as a number argument of an operator is an input of the captured graph."""

import numpy as np
import pytest
import torch

import torchlike

STEPS = 4


def calls(library):
    """Return functions of `x` and a zero-dim tensor `t`, by name, and the other tensors that they use."""
    a, n, p = library.tensor(0.5), library.tensor(3), library.ones(3)
    w = library.ones(3, requires_grad=True)
    s = library.tensor(1.0, requires_grad=True)
    m = library.from_numpy(np.array(2.0, np.float32))
    return {
        "an argument": lambda x, t: library.add(x, p, alpha=t),
        "from outside": lambda x, t: p.add_(x, alpha=a),
        "a whole number": lambda x, t: library.add(x.long(), x.long(), alpha=n),
        "two numbers": lambda x, t: library.addmv(x, x.expand(3, 3), x, beta=t, alpha=a),
        "one tensor twice": lambda x, t: p.add_(x, alpha=t).addcmul_(x, x, value=t),
        "written after": lambda x, t: (p.add_(x, alpha=a).clone(), a.mul_(0.5))[0],
        "a filling": lambda x, t: x.masked_fill(x > 2, t),
        "differentiated": lambda x, t: library.add(x, w * w, alpha=t).square(),
        "an argument, detached": lambda x, t: library.add(x, p, alpha=t.detach()),
        "the data of an argument": lambda x, t: library.add(x, p, alpha=t.data),
        "from outside, detached": lambda x, t: p.add_(x, alpha=a.detach()),
        "a gradient": lambda x, t: library.add(x, p, alpha=s.grad),
        "memory of NumPy's": lambda x, t: library.add(x, p, alpha=m),
    }, (a, n, p, w, s, m)


def seen(library, name, compile):
    functions, (a, n, p, w, s, m) = calls(library)
    f, found = compile(functions[name]), []
    for k in range(STEPS):
        s.grad = library.tensor(0.3 * k)
        y = f(library.full((3,), k + 1.0), library.tensor(0.1 * k + 0.1))
        if y.requires_grad:
            y.sum().backward()
        found += [y.detach().numpy(), p.numpy().copy(), a.item(), 0 if w.grad is None else w.grad.numpy().copy()]
        a.add_(0.25), n.add_(1)
        m.numpy()[...] += 1
    return found, f


@pytest.mark.parametrize("name", calls(torch)[0])
def test_it_is_an_input(name):
    found, f = seen(torchlike, name, torchlike.compile)
    for mine, due in zip(found, seen(torch, name, lambda f: f)[0], strict=True):
        np.testing.assert_allclose(mine, due, rtol=1e-6)
    told = f.explained()
    assert (told.runs, told.recordings, told.uncompiled) == (STEPS - 1, 1, ())


def test_a_number_computed_within_the_call_is_not_an_input():
    f = torchlike.compile(lambda x, t: torchlike.add(x, x, alpha=t * 2))
    for k in range(STEPS):
        t = torchlike.tensor(k + 1.0)
        np.testing.assert_array_equal(f(torchlike.ones(2), t).numpy(), [2 * k + 3.0] * 2)
    assert "the elements of a tensor are needed" in f.explained().reasons[0]
