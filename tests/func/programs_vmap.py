"""Programs that map a function over a dim. Each program takes the library as its argument."""

import functools


def dot(torch):
    x, y = torch.randn(4, 3), torch.randn(4, 3)
    return torch.vmap(torch.dot)(x, y), torch.func.vmap(torch.dot, in_dims=(None, 0))(x[0], y)


def dims(torch):
    x, y = torch.randn(3, 2, 4), torch.randn(4, 3)
    found = [torch.vmap(torch.mul, in_dims=(1, None))(x, torch.ones(4)), torch.vmap(torch.sin, in_dims=-2)(x)]
    found += [torch.vmap(lambda a, b: a @ b, in_dims=(0, -1), out_dims=d)(x, y) for d in (0, 1, -1)]
    return found


def containers(torch):
    x, y = torch.randn(2, 3), torch.randn(3)
    given = {"a": x, "b": [y, 2.0]}
    f = lambda d: {"sum": d["a"] * d["b"][0] * d["b"][1], "all": (d["a"], d["a"].sum())}
    dims = ({"a": 0, "b": None},)
    return (
        torch.vmap(f, in_dims=dims)(given),
        torch.vmap(f, in_dims=dims, out_dims={"sum": 1, "all": 0})(given),
        torch.vmap(f, in_dims=dims, out_dims={"sum": -1, "all": (1, 0)})(given),
        torch.vmap(lambda a, b: (a + b, 1.5), out_dims=(0, None))(x, x),
    )


def keyword_arguments_are_shared(torch):
    x = torch.randn(3)
    return torch.vmap(lambda a, b: a + b)(x, b=x)


def nested(torch):
    x, y = torch.randn(3), torch.randn(2)
    outer = torch.vmap(torch.vmap(lambda a, b: a * b + 1, in_dims=(0, None)), in_dims=(None, 0))
    f = lambda a: torch.vmap(lambda b: (a * b).sin() + a, out_dims=-1)(y)
    return (
        outer(x, y),
        torch.vmap(f)(x),
        torch.vmap(f, out_dims=1)(x),
        torch.vmap(torch.vmap(torch.vmap(torch.sum)))(torch.randn(2, 3, 4, 5)),
    )


def the_same_for_all_examples(torch):
    w = torch.randn(2, requires_grad=True)
    x = torch.randn(3, 2)
    return (
        torch.vmap(lambda a: torch.ones(2))(x),
        torch.vmap(lambda a: w * 2)(x),
        torch.vmap(lambda a: w, out_dims=None)(x),
        torch.vmap(lambda a: (a, w * 1), out_dims=(0, None))(x),
    )


def chunks(torch):
    x, y = torch.randn(5, 2), torch.randn(2, 5)
    f = lambda a, b: (a * b, (a + b).sum())
    return [torch.vmap(f, in_dims=(0, 1), out_dims=(1, 0), chunk_size=n)(x, y) for n in (1, 2, 5, 7)]


def shapes_in_python(torch):
    def f(a):
        rows = [row * i for i, row in enumerate(a)]
        assert a.ndim == 2 and len(a) == 3 and a.shape == (3, 4)
        return torch.stack(rows).reshape(a.shape[0] * a.size(1)).view(-1, 2).squeeze() / a.numel()

    return torch.vmap(f)(torch.randn(2, 3, 4))


def views_and_writes_inside(torch):
    def f(a, b):
        made = a.clone()
        made[0] = b
        made[1:].mul_(2)
        made += a
        rest = torch.zeros_like(a)
        rest[-1] = a[0]
        new = a.new_zeros(2)
        new.copy_(a[:2])
        full = torch.full_like(a, 2.0).mul_(a)
        return made, rest, new, full

    return torch.vmap(f)(torch.randn(2, 3), torch.randn(2))


def writes_to_arguments(torch):
    x, y, z = torch.zeros(2, 3), torch.randn(2), torch.randn(3, 2)

    def f(a, b, c):
        a[0] = b
        c.zero_().add_(b)
        return a.sum()

    result = torch.vmap(f, in_dims=(0, 0, 1))(x, y, z)
    return result, x, z


def writes_to_what_is_the_same_for_all(torch):
    total = torch.zeros(2)

    def f(a):
        total.add_(1)
        return a + total

    return torch.vmap(f)(torch.zeros(3, 2)), total


def index(torch):
    x, i = torch.randn(2, 3, 4), torch.tensor([[0, 2], [1, 1]])
    return (
        torch.vmap(lambda a, i: a[i])(x, i),
        torch.vmap(lambda a, i: a[:, i])(x, i),
        torch.vmap(lambda i: x[0, i])(i),
        torch.vmap(lambda a, i: a.index_select(1, i))(x, i),
        torch.vmap(lambda a, i: a.gather(0, i[None]))(x, i),
        torch.vmap(lambda a: a[1:, ::2])(x),
        torch.vmap(lambda a: torch.where(a > 0, a, -a))(x),
        torch.vmap(lambda a, i: a.index_fill(0, i, 3.0))(x, i),
        torch.vmap(lambda i: torch.nn.functional.one_hot(i, 4))(i),
    )


def orders(torch):
    x = torch.randn(2, 5, 3)
    return (
        torch.vmap(lambda a: a.sort(0))(x),
        torch.vmap(lambda a: a.topk(2, 0))(x),
        torch.vmap(lambda a: (a.argmax(), a.max(0), a.cumsum(1)))(x),
    )


def gradient_from_outside(torch):
    x, w = torch.randn(4, 3, requires_grad=True), torch.randn(3, requires_grad=True)

    def f(a):
        with torch.no_grad():
            scale = a.sum()
        return (a * w).sum().sin() * scale + a.detach().sum()

    torch.vmap(f)(x).sum().backward()
    return x.grad, w.grad


def second_gradient_from_outside(torch):
    x, w = torch.randn(4, 3, requires_grad=True), torch.randn(3, requires_grad=True)
    y = torch.vmap(lambda a: (a * w).sum().sin())(x)
    first = torch.autograd.grad(y.sum(), (x, w), create_graph=True)
    return first, torch.autograd.grad((first[0] ** 2).sum() + first[1].sum(), (x, w))


def gradient_with_a_penalty(torch):
    x, w = torch.randn(4, 3, requires_grad=True), torch.randn(3, requires_grad=True)
    y, z = torch.vmap(lambda a: ((a * w).exp().sum(), (a * a).sin()))(x)
    first = torch.autograd.grad(y.sum(), (x, w), create_graph=True)
    (y.sum() + first[0].square().sum() + first[1].sum()).backward()
    z.sum().backward()
    return y, x.grad, w.grad


def freed_after_a_penalty(torch):
    x = torch.randn(4, 3, requires_grad=True)
    y = torch.vmap(lambda a: (a.exp() * a.sin()).sum())(x).sum()
    (y + torch.autograd.grad(y, x, create_graph=True)[0].square().sum()).backward()
    y.backward()


def value_and_hessian(torch):
    x, y = torch.randn(2, 4), torch.randn(2, 4)
    square = lambda a: torch.relu(a * a)
    f = lambda x, y: (torch.vmap(lambda a, b: square(a + b.sum()))(x, y) * torch.ones(2, 4)).sum()
    return torch.func.grad_and_value(lambda x: torch.func.hessian(f, argnums=1)(x, y).sum())(x)


def writes_to_copies_of_what_is_the_same_for_all(torch):
    s, one, x = torch.randn(2, 4), torch.tensor([0]), torch.randn(3, 4)
    fs = (
        lambda a: torch.select_scatter(x, a, 0, 1),
        lambda a: torch.slice_scatter(x, a[None], 0, 0, 1),
        lambda a: torch.diagonal_scatter(x, a[:3]),
        lambda a: x.index_put((one,), a),
        lambda a: torch.index_put(x, (one, one), a.sum(), accumulate=True),
        lambda a: x.index_put((x[:, 0] > 0,), a),
        lambda a: x.index_put((a.argmax() % 3,), torch.ones(())),
        lambda a: torch.vmap(lambda b: x.index_put((one,), a * b))(a),
    )
    slope = lambda f: torch.func.grad(lambda a: f(a).square().sum())
    return [(torch.vmap(f)(s), torch.vmap(slope(f))(s)) for f in fs]


def gradient_through_nested(torch):
    x, y = torch.randn(3, requires_grad=True), torch.randn(2, requires_grad=True)
    z = torch.vmap(lambda a: torch.vmap(lambda b: (a * b).exp() * y.sum())(y))(x)
    first = torch.autograd.grad(z.sum(), (x, y), create_graph=True)
    return z, first, torch.autograd.grad(first[0].sum() + first[1].prod(), (x, y))


def gradient_of_what_was_shared(torch):
    x, w = torch.randn(4, requires_grad=True), torch.randn(2, requires_grad=True)
    y = torch.vmap(lambda a, v: a * v.exp(), in_dims=(0, None), out_dims=1)(x, w)
    y.pow(2).sum().backward()
    return y, x.grad, w.grad


def no_grad_outside(torch):
    x = torch.randn(3, requires_grad=True)
    with torch.no_grad():
        return torch.vmap(torch.sin)(x), torch.vmap(lambda a: a * x)(x)


def layers(torch):
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.Flatten(0), torch.nn.Linear(32, 2))
    x = torch.randn(3, 1, 6, 6)
    norm = torch.nn.BatchNorm1d(2, track_running_stats=False)
    frozen = torch.nn.BatchNorm1d(2).eval()
    batches = torch.randn(3, 4, 2)
    return torch.vmap(net)(x), torch.vmap(norm)(batches), torch.vmap(frozen)(batches)


def functions_of_other_names(torch):
    x = torch.randn(2, 3)
    partly = torch.vmap(functools.partial(torch.sum, dim=0))
    return partly(x), torch.vmap(torch.nn.ReLU())(x)


def linear_algebra(torch):
    x = torch.randn(2, 3, 3)
    p = x @ x.mT + 3 * torch.eye(3)
    return (
        torch.vmap(torch.linalg.cholesky)(p),
        torch.vmap(torch.linalg.solve)(p, x),
        torch.vmap(torch.linalg.det)(p),
        torch.vmap(torch.linalg.inv)(p),
        torch.vmap(torch.linalg.eigvalsh)(p),
        torch.vmap(torch.linalg.svdvals)(p),
        torch.vmap(torch.matmul, in_dims=(0, None))(x, p[0]),
    )


def printed(torch):
    seen = []
    torch.vmap(lambda a: seen.append(repr(a)) or a)(torch.arange(4.0).view(2, 2))
    torch.vmap(torch.vmap(lambda a: seen.append(repr(a)) or a))(torch.ones(2, 2))
    torch.vmap(lambda a: seen.append(repr(torch.func.debug_unwrap(a))) or a)(torch.arange(2.0))
    return seen


def random_different(torch):
    x = torch.randn(4, 3)
    different = functools.partial(torch.vmap, randomness="different")
    return [
        different(f)(x)
        for f in (
            lambda a: a + torch.randn(2)[0],
            lambda a: torch.rand(3) + torch.rand_like(a),
            lambda a: torch.dropout(a, 0.5, True),
            lambda a: a.clone().normal_(),
            lambda a: torch.randperm(5),
            lambda a: torch.randint(10, (3,)),
            lambda a: torch.bernoulli(a.sigmoid()),
            lambda a: torch.multinomial(a.sigmoid(), 2),
            lambda a: torch.normal(a, 1.0),
            lambda a: torch.poisson(a.exp()),
            lambda a: torch.nn.functional.dropout1d(a[None].expand(2, 3), 0.5),
            torch.vmap(lambda b: b + torch.randn(()), randomness="different"),
            torch.vmap(lambda b: b + torch.randn(()), randomness="same"),
        )
    ]


def random_same(torch):
    x = torch.randn(4, 3)
    same = functools.partial(torch.vmap, randomness="same")
    return [
        same(f)(x)
        for f in (
            lambda a: a + torch.randn(2)[0],
            lambda a: torch.dropout(a, 0.5, True),
            lambda a: a.clone().normal_() + a,
            lambda a: torch.randperm(5),
            torch.vmap(lambda b: b + torch.randn(()), randomness="different"),
        )
    ] + [torch.vmap(lambda a: a + torch.rand(1), randomness="same", chunk_size=3)(x)]


ALIKE = {name: f for name, f in list(globals().items()) if callable(f) and not name.startswith("_")}
