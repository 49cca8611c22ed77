"""Programs that differentiate functions. Each program takes the library as its argument."""


def _cubes(x):
    return (x**3).sum()


def _mixed(x):
    return x.sin() * x.sum() + x[0]


def grad(torch):
    x, y = torch.randn(3), torch.randn(3)
    f = lambda x, y, k=1.0: (x.sin() * y * k).sum()
    g = torch.func.grad
    return (
        g(f)(x, y),
        g(f, argnums=1)(x, y, k=2.0),
        g(f, argnums=(0, 1))(x, y),
        g(f, argnums=-1)(x, y),
        g(f, argnums=(-1, 0))(x, y),
        g(lambda d: (d["a"] * d["b"][0]).sum())({"a": x, "b": [y]}),
        g(lambda x: (x.sum(), {"twice": x * 2, "it": x}), has_aux=True)(x),
        torch.func.grad_and_value(f)(x, y),
        torch.func.grad_and_value(lambda x: (x.sum(), x.cos()), has_aux=True)(x),
        g(lambda x, y: x.sum(), argnums=(0, 1))(x, y),
        g(lambda x: torch.ones(()))(x),
        g(lambda x: x.sum(), has_aux=False)(x.double()),
    )


def grad_of_grad(torch):
    x, g = torch.tensor(0.7), torch.func.grad
    return g(g(torch.sin))(x), g(g(g(torch.sin)))(x), g(lambda x: x * g(lambda y: x * y)(x))(x)


def closures(torch):
    w, x = torch.randn(3, requires_grad=True), torch.randn(3)
    found = torch.func.grad(lambda x: (x * w * w).sum())(x)
    value = torch.func.grad_and_value(lambda x: ((x * w).sum(), w * 2), has_aux=True)(x)
    return found, torch.autograd.grad(found.sum(), w), value


def outer_history(torch):
    x = torch.randn(3, requires_grad=True)
    f = torch.func
    found = [
        f.grad(_cubes)(x),
        f.vjp(torch.sin, x)[0],
        f.vjp(torch.sin, x)[1](torch.ones(3))[0],
        f.jvp(torch.sin, (x,), (torch.ones(3),)),
        f.jacrev(_mixed)(x),
        f.jacfwd(_mixed)(x),
        f.hessian(_cubes)(x),
        torch.vmap(f.grad(torch.sin))(x),
    ]
    tensors = [t for each in found for t in (each if isinstance(each, tuple) else (each,))]
    return found, [torch.autograd.grad(t.exp().sum(), x, retain_graph=True) for t in tensors]


def grad_modes(torch):
    x = torch.randn(3, requires_grad=True)

    def stops(x):
        with torch.no_grad():
            c = x**2
        return (x - c).sum()

    g = torch.func.grad
    inside = g(stops)(x), g(lambda x: g(lambda y: y * stops(y))(x).sum() if x.ndim == 0 else g(stops)(x).sum())(x)
    detached = g(lambda x: (x * x.detach()).sum())(x)
    with torch.no_grad():
        outside = g(_cubes)(x), g(stops)(x), g(lambda x: g(_cubes)(x).sum())(x), torch.func.vjp(torch.sin, x)[0]
        pulled = torch.func.vjp(torch.sin, x)[1](torch.ones(3))
        pushed = torch.func.jvp(torch.sin, (x,), (torch.ones(3),))
        return inside, detached, outside, pulled, pushed, torch.func.jacrev(torch.sin)(x)


def vjp(torch):
    x, y = torch.randn(3), torch.randn(3)
    out, pull = torch.func.vjp(lambda d, y: {"o": d["x"] * y, "s": y.sum()}, {"x": x}, y)
    found = pull({"o": y, "s": torch.tensor(2.0)})
    again = pull({"o": x, "s": torch.tensor(1.0)})
    more = torch.func.vjp(lambda x: (x.exp(), x * 2), x, has_aux=True)
    return out, found, again, more[0], more[1](y), more[2]


def vjp_is_differentiable(torch):
    x, v = torch.randn(3), torch.randn(3)
    return torch.func.grad(lambda v: torch.func.vjp(torch.sin, x)[1](v)[0].exp().sum())(v), torch.func.grad(
        lambda x: torch.func.vjp(torch.sin, x)[1](v)[0].exp().sum()
    )(x)


def jvp(torch):
    x, t = torch.randn(3), torch.randn(3)
    f = lambda a, d: {"p": a * d["b"], "q": (a.sum(), d["b"] * 1)}
    return (
        torch.func.jvp(torch.sin, (x,), (t,)),
        torch.func.jvp(f, (x, {"b": t}), (t, {"b": x})),
        torch.func.jvp(lambda x: (x.cos(), x), (x,), (t,), has_aux=True),
        torch.func.jvp(lambda x: torch.zeros(2), (x,), (t,)),
        torch.func.jvp(lambda x: torch.func.jvp(torch.sin, (x,), (t,))[1], (x,), (t,)),
        torch.func.jvp(lambda x: x * torch.func.jvp(lambda y: x * y, (x,), (t,))[1], (x,), (t,)),
        torch.func.jvp(torch.func.grad(_cubes), (x,), (t,)),
        torch.func.grad(lambda x: torch.func.jvp(_cubes, (x,), (t,))[1])(x),
        torch.vmap(lambda x, t: torch.func.jvp(torch.sin, (x,), (t,)))(x, t),
        torch.func.jvp(torch.vmap(lambda a: a**3 * 2), (x,), (t,)),
        torch.func.grad(lambda x: torch.func.jvp(torch.vmap(lambda a: a**3 * x.sum()), (x,), (t,))[1].sum())(x),
        torch.func.jvp(torch.func.grad(lambda x: torch.vmap(lambda a: a**3 * x.sum())(x).sum()), (x,), (t,)),
    )


def linearize(torch):
    x, t = torch.randn(3), torch.randn(3)
    out, push = torch.func.linearize(_mixed, x)
    both, push_both = torch.func.linearize(lambda d: {"o": d["x"] * d["y"]}, {"x": x, "y": t})
    return out, push(t), push(x), both, push_both({"x": t, "y": x})


def jacobians(torch):
    x, y = torch.randn(3), torch.randn(2)
    outer = lambda x, y: (x[:, None] * y, x.sum())
    tree = lambda d: {"o": d["x"] * 2, "p": d["y"][:, None] * d["x"]}
    found = []
    for jac in (torch.func.jacrev, torch.func.jacfwd):
        found += [
            jac(_mixed)(x),
            jac(outer, argnums=1)(x, y),
            jac(outer, argnums=(0, 1))(x, y),
            jac(outer, argnums=(1,))(x, y),
            jac(tree)({"x": x, "y": y}),
            jac(lambda x: (x.sin(), x * 2), has_aux=True)(x),
            jac(lambda x: x.sum())(x),
            jac(torch.sin)(torch.tensor(1.0)),
            torch.vmap(jac(_mixed))(torch.stack([x, x * 2])),
        ]
    return found, [torch.func.jacrev(_mixed, chunk_size=n)(x) for n in (1, 2, 5)]


def hessians(torch):
    x, y, f = torch.randn(3), torch.randn(3), torch.func
    g = lambda x: (x.sin() * x.sum()).sum() * x.prod()
    return (
        f.hessian(g)(x),
        f.jacrev(f.jacrev(g))(x),
        f.jacrev(f.jacfwd(g))(x),
        f.jacfwd(f.jacfwd(g))(x),
        f.hessian(lambda x, y: (x * y * x).sum(), argnums=(0, 1))(x, y),
        f.hessian(lambda x: x**3)(x),
        torch.vmap(f.hessian(g))(torch.stack([x, y])),
    )


def hessian_vector_products(torch):
    x, v, f = torch.randn(4), torch.randn(4), torch.func
    g = lambda x: (x.tanh() * x.roll(1)).sum().exp()
    return (
        f.jvp(f.grad(g), (x,), (v,))[1],
        f.vjp(f.grad(g), x)[1](v)[0],
        f.grad(lambda x: (f.grad(g)(x) * v).sum())(x),
        f.hessian(g)(x) @ v,
    )


def _net(torch):
    torch.manual_seed(1)
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 5), nn.Tanh(), nn.Linear(5, 3)
    )


def per_sample_gradients(torch):
    model = _net(torch)
    x, y = torch.randn(4, 1, 6, 6), torch.randint(3, (4,))
    params = {name: p.detach() for name, p in model.named_parameters()}
    buffers = dict(model.named_buffers())

    def loss(params, buffers, x, y):
        out = torch.func.functional_call(model, (params, buffers), (x[None],))
        return torch.nn.functional.cross_entropy(out, y[None])

    per_sample = torch.vmap(torch.func.grad(loss), in_dims=(None, None, 0, 0))
    return per_sample(params, buffers, x, y), torch.vmap(
        torch.func.grad_and_value(loss), in_dims=(None, None, 0, 0), chunk_size=3
    )(params, buffers, x, y)


def per_sample_gradients_of_parameters_that_require_grad(torch):
    model = torch.nn.Linear(3, 2)
    x = torch.randn(4, 3)
    loss = lambda p, x: torch.func.functional_call(model, p, x).exp().sum()
    found = torch.vmap(torch.func.grad(loss), in_dims=(None, 0))(dict(model.named_parameters()), x)
    penalty = sum(g.pow(2).sum() for g in found.values())
    penalty.backward()
    return found, [p.grad for p in model.parameters()]


def ensembles(torch):
    torch.manual_seed(2)
    models = [torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU()) for _ in range(3)]
    models = [model.eval() for model in models]
    params, buffers = torch.func.stack_module_state(models)
    x = torch.randn(3, 5, 3)
    call = lambda p, b, x: torch.func.functional_call(models[0], (p, b), (x,))
    apart, alike = torch.vmap(call)(params, buffers, x), torch.vmap(call, in_dims=(0, 0, None))(params, buffers, x[0])
    apart.pow(2).sum().backward()
    return params, buffers, apart, alike, [p.grad for p in params.values()]


def functional_calls(torch):
    layer = torch.nn.Linear(2, 1)
    call = torch.func.functional_call
    weight, bias = {"weight": torch.ones(1, 2)}, {"bias": torch.ones(1)}
    x = torch.randn(3, 2)
    return call(layer, weight, x), call(layer, [weight, bias], (x,)), call(layer, (weight, bias), None, {"input": x})


def batch_norm_without_statistics(torch):
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    torch.func.replace_all_batch_norm_modules_(net)
    return torch.vmap(net)(torch.randn(3, 4, 2)), net[1].running_mean, net[1].track_running_stats


def decompositions(torch):
    x = torch.randn(2, 3, 3)
    p = x @ x.mT + 3 * torch.eye(3)
    f = lambda a: torch.linalg.eigvalsh(a).sin().sum() + torch.linalg.svdvals(a).prod() + torch.logdet(a)
    return torch.vmap(torch.func.grad(f))(p), torch.func.jacfwd(f)(p[0]), torch.func.hessian(torch.logdet)(p[0])


def ensemble_that_trains(torch):
    torch.manual_seed(4)
    models = [torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU()) for _ in range(2)]
    params, buffers = torch.func.stack_module_state(models)
    call = lambda p, b, x: torch.func.functional_call(models[0], (p, b), (x,))
    out = torch.vmap(call)(params, buffers, torch.randn(2, 5, 3))
    out.pow(3).sum().backward()
    return out, buffers, params["0.weight"].grad, params["1.bias"].grad


def learning_to_learn(torch):
    x, y, w = torch.randn(4, 5, 3), torch.randn(4, 5), torch.randn(3)
    loss = lambda w, x, y: ((x @ w - y) ** 2).mean()
    adapted = lambda w, x, y: loss(w - 0.1 * torch.func.grad(loss)(w, x, y), x, y)
    return torch.func.grad(lambda w: torch.vmap(adapted, in_dims=(None, 0, 0))(w, x, y).mean())(w)


def differential_equations(torch):
    torch.manual_seed(5)
    net = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    params = dict(net.named_parameters())
    u = lambda x: torch.func.functional_call(net, params, (x[None],)).squeeze()
    x = torch.linspace(0, 1, 5)
    rest = torch.vmap(torch.func.grad(torch.func.grad(u)))(x) + torch.vmap(u)(x)
    rest.pow(2).mean().backward()
    laplacian = lambda x: torch.func.hessian(lambda x: (x.sin() * x.prod()).sum())(x).trace()
    return rest, [p.grad for p in net.parameters()], torch.vmap(laplacian)(torch.randn(4, 3))


def tangent_kernels(torch):
    torch.manual_seed(6)
    net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    params = {name: p.detach() for name, p in net.named_parameters()}
    f = lambda p, x: torch.func.functional_call(net, p, (x[None],)).squeeze(0)
    x = torch.randn(3, 2)
    rows = [j.flatten(2) for j in torch.vmap(torch.func.jacrev(f), (None, 0))(params, x).values()]

    def kernel(x1, x2):
        def product(v):
            back = torch.func.vjp(lambda p: f(p, x2), params)[1](v)
            return torch.func.jvp(lambda p: f(p, x1), (params,), back)[1]

        return torch.vmap(product)(torch.eye(2))

    by_products = torch.vmap(torch.vmap(kernel, (None, 0)), (0, None))(x, x)
    return sum(torch.einsum("naf,mbf->nmab", j, j) for j in rows), by_products


def complex_numbers(torch):
    x = torch.randn(3, dtype=torch.complex64, requires_grad=True)
    w = torch.randn(2, dtype=torch.complex64, requires_grad=True)
    torch.vmap(lambda a: (a * w).exp().sum())(x).abs().sum().backward()
    return x.grad, w.grad, torch.func.grad(lambda z: (z * z).abs().sum())(x.detach())


def anomaly_mode(torch):
    torch.autograd.set_detect_anomaly(True)
    try:
        return torch.vmap(torch.func.grad(lambda a: a.sin().sum()))(torch.ones(2, 2))
    finally:
        torch.autograd.set_detect_anomaly(False)


def backward_passes(torch):
    w = torch.randn(3, requires_grad=True)
    y = torch.vmap(lambda a: (a * w).sin().sum())(torch.ones(2, 3)).sum()
    y.backward(retain_graph=True)
    y.backward()
    return w.grad, y.backward()


def hooks(torch):
    seen = []

    def f(x):
        y = x * 2
        y.register_hook(lambda g: seen.append(tuple(g.shape)) or g * 3)
        return y.sum()

    return torch.func.grad(f)(torch.ones(2)), torch.vmap(torch.func.grad(f))(torch.ones(3, 2)), seen


ALIKE = {name: f for name, f in list(globals().items()) if callable(f) and not name.startswith("_")}
