"""`autograd.Function`: forward with and without `setup_context`, `mark_dirty` and others, and backward's results."""

import pytest

from tests.autograd.library import compare, leaf, log, programs, torch


def _function(forward, backward=None):
    members = {"forward": staticmethod(forward)}
    if backward is not None:
        members["backward"] = staticmethod(backward)
    return type("Mine", (torch.autograd.Function,), members)


def _run(function, *args):
    result = function.apply(*args)
    result.sum().backward()
    return result, args[0].grad


def wrong_count():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x: x * 2, lambda c, g: (g, g)), x)


def extra_none():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x: x * 2, lambda c, g: (g, None)), x)


def too_few():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x, y: x * 2, lambda c, g: (g,)), x, x)


def int_grad():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x: x * 2, lambda c, g: 3), x)


def shape():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x: x * 2, lambda c, g: torch.ones(3)), x)


def expandable():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x: x * 2, lambda c, g: torch.ones(3, 2)), x)


def scalar_grad():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x: x * 2, lambda c, g: torch.tensor(1.0)), x)


def dtype():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x: x * 2, lambda c, g: g.double()), x)


def grad_for_nondiff():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x, k: x * 2, lambda c, g: (g, g)), x, 3)


def none_for_needed():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x: x * 2, lambda c, g: None), x)


def no_bwd():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x: x * 2), x)


def instance_call():
    x = leaf(1.0, 1.0)
    return _function(lambda c, x: x * 2)()(x)


def save_int():
    x = leaf(1.0, 1.0)
    return _run(_function(lambda c, x: (c.save_for_backward(3), x * 2)[1], lambda c, g: g), x)


def save_none():
    x = leaf(1.0, 1.0)
    return _run(
        _function(lambda c, x: (c.save_for_backward(None, x), x * 2)[1], lambda c, g: (log(c.saved_tensors), g)[1]), x
    )


def needs():
    x = leaf(1.0, 1.0)
    l = []
    fn = _function(lambda c, x, y, k: (l.append(c.needs_input_grad), x * 2)[1], lambda c, g: (g, None, None))
    fn.apply(x, torch.ones(1), 3)
    with torch.no_grad():
        fn.apply(x, torch.ones(1), 3)
    return l


def once():
    x = leaf(1.0, 1.0)
    fn = _function(lambda c, x: x * 2, torch.autograd.function.once_differentiable(lambda c, g: g * 2))
    y = fn.apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    log(g.requires_grad, g.grad_fn and g.grad_fn.name())
    g.sum().backward()


def once2():
    x = leaf(1.0, 1.0)
    fn = _function(lambda c, x: x * 2, torch.autograd.function.once_differentiable(lambda c, g: g * 2))
    w = torch.ones(2, requires_grad=True)
    y = fn.apply(x) * w
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    log(g.requires_grad, g.grad_fn and g.grad_fn.name())
    g.sum().backward()


def dirty_leaf():
    x = leaf(1.0, 1.0)

    def f(c, x):
        c.mark_dirty(x)
        x.add_(1)
        return x

    return _function(f, lambda c, g: g).apply(x)


def dirty():
    x = leaf(1.0, 1.0)

    def f(c, x):
        c.mark_dirty(x)
        x.add_(1)
        return x

    z = x * 1
    y = _function(f, lambda c, g: g * 5).apply(z)
    x.grad = None
    y.sum().backward()
    return (y is z, y._version, z.grad_fn.name(), x.grad, y.is_leaf)


def dirty_not_returned():
    x = leaf(1.0, 1.0)

    def f(c, x):
        c.mark_dirty(x)
        x.add_(1)
        return x * 2

    z = x * 1
    y = _function(f, lambda c, g: g * 5).apply(z)
    return y


def dirty_noninput():
    x = leaf(1.0, 1.0)

    def f(c, x):
        z = x * 2
        c.mark_dirty(z)
        return z

    return _function(f, lambda c, g: g * 5).apply(x)


def identity():
    x = leaf(1.0, 1.0)
    y = _function(lambda c, x: x, lambda c, g: g * 5).apply(x)
    x.grad = None
    y.sum().backward()
    return (y is x, y.grad_fn.name(), x.grad, y._is_view(), y._base is x)


def identity_inplace():
    x = leaf(1.0, 1.0)
    y = _function(lambda c, x: x, lambda c, g: g * 5).apply(x)
    z = x * 1
    y = _function(lambda c, x: x, lambda c, g: g * 5).apply(z)
    y.add_(1)


def view_inplace():
    x = leaf(1.0, 1.0)
    z = x * 1
    y = _function(lambda c, x: x.view(2, 1), lambda c, g: g.view(2) * 5).apply(z)
    log(y._is_view(), y._base is z, y.grad_fn.name())
    y.add_(1)


def nondiff():
    x = leaf(1.0, 1.0)

    def f(c, x):
        a = x * 2
        b = x > 0
        d = x * 3
        c.mark_non_differentiable(d)
        return (a, b, d)

    a, b, d = _function(f, lambda c, *g: (log([None if q is None else q for q in g]), g[0])[1]).apply(x)
    return (a.requires_grad, b.requires_grad, d.requires_grad, a.sum().backward())


def nomat():
    x = leaf(1.0, 1.0)

    def f(c, x):
        c.set_materialize_grads(False)
        return (x * 2, x * 3)

    a, _b = _function(f, lambda c, *g: (log(g), g[0])[1]).apply(x)
    return a.sum().backward()


def list_out():
    x = leaf(1.0, 1.0)
    a = _function(lambda c, x: [x * 2, x * 3], lambda c, *g: g[0]).apply(x)
    return a


def nontensor():
    x = leaf(1.0, 1.0)
    a = _function(lambda c, x: (x * 2, "a", None), lambda c, *g: (log(g), g[0])[1]).apply(x)
    a[0].sum().backward()
    return a


def kwargs():
    x = leaf(1.0, 1.0)
    return _function(lambda c, x, k=3: x * k, lambda c, g: g).apply(x, k=5)


def setup():
    x = leaf(1.0, 1.0)

    class S(torch.autograd.Function):
        @staticmethod
        def forward(x, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.k = inputs[1]
            ctx.save_for_backward(inputs[0])
            log(type(output).__name__, output.requires_grad)

        @staticmethod
        def backward(ctx, g):
            return (g * ctx.k, None)

    x.grad = None
    y = S.apply(x, 4)
    y.sum().backward()
    return (x.grad, y.grad_fn.name(), type(y.grad_fn).__name__, y.grad_fn.k)


def twice():
    x = leaf(1.0, 1.0)
    fn = _function(lambda c, x: (c.save_for_backward(x), x * 2)[1], lambda c, g: (c.saved_tensors, g)[1])
    y = fn.apply(x).sum()
    y.backward()
    y.backward()


def savedgf():
    x = leaf(1.0, 1.0)
    fn = _function(
        lambda c, x: (c.save_for_backward(x), x * 2)[1],
        lambda c, g: (log(c.saved_tensors[0] is z, c.saved_tensors[0].grad_fn.name()), g)[1],
    )
    z = x * 3
    y = fn.apply(z).sum()
    y.backward()


def savedout():
    x = leaf(1.0, 1.0)

    def f(c, x):
        y = x.exp()
        c.save_for_backward(y)
        return y

    fn = _function(f, lambda c, g: (log(c.saved_tensors[0].requires_grad), g * c.saved_tensors[0])[1])
    z = x * 3
    y = fn.apply(z)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return torch.autograd.grad(g.sum(), x)


def hooks():
    x = leaf(1.0, 1.0)
    log = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append("p"), t)[1], lambda t: (log.append("u"), t)[1]):
        fn = _function(
            lambda c, x: (c.save_for_backward(x, None), x * 2)[1], lambda c, g: (c.saved_tensors, c.saved_tensors, g)[2]
        )
        y = fn.apply(x)
    y.sum().backward()
    return log


def vjp():
    x = leaf(1.0, 1.0)

    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 7

    x.grad = None
    S.apply(x).sum().backward()
    return x.grad


def both_vjp():
    x = leaf(1.0, 1.0)

    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 7

        @staticmethod
        def backward(ctx, g):
            return g * 7

    S.apply(x).sum().backward()


def attrs():
    x = leaf(1.0, 1.0)
    c = []
    y = _function(lambda ctx, x: (c.append(ctx), x * 2)[1], lambda c, g: g).apply(x)
    return (
        c[0] is y.grad_fn,
        y.grad_fn.next_functions[0][0].name(),
        isinstance(y.grad_fn, torch.autograd.graph.Node),
        y.grad_fn.needs_input_grad,
    )


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_function_programs_equal_pytorchs(program):
    compare(program, stride=False)  # PyTorch expands the gradient of a sum, so its strides are zero
