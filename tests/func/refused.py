"""Calls that PyTorch refuses, for comparing error messages. Each call takes the library as its argument."""


def _with(f):
    """Wrap `f(torch, a)` into a program that calls it under `vmap`."""
    return lambda torch: torch.vmap(lambda a: f(torch, a))(torch.arange(3.0))


def _of(f):
    """Wrap `f(torch, torch.func, x)` into a program that takes only the library."""
    return lambda torch: f(torch, torch.func, torch.arange(3.0))


LOOKS = {
    "item": _with(lambda torch, a: a.item()),
    "if": _with(lambda torch, a: a if a > 0 else -a),
    "all in if": _with(lambda torch, a: a if (a == a).all() else -a),
    "float": _with(lambda torch, a: 1.0 + float(a)),
    "int": _with(lambda torch, a: 1 + int(a)),
    "index of a list": lambda torch: torch.vmap(lambda a: [1, 2][a])(torch.tensor([0, 1])),
    "numpy": _with(lambda torch, a: a.numpy()),
    "tolist": _with(lambda torch, a: a.tolist()),
    "max of Python": lambda torch: torch.vmap(lambda a: max(a[0], a[1]))(torch.ones(2, 2)),
    "nonzero": _with(lambda torch, a: a.nonzero()),
    "unique": lambda torch: torch.vmap(lambda a: a.unique())(torch.ones(2, 2)),
    "boolean index": lambda torch: torch.vmap(lambda a: a[a > 0])(torch.ones(2, 2)),
    "masked_select": lambda torch: torch.vmap(lambda a: torch.masked_select(a, a > 0))(torch.ones(2, 2)),
    "allclose": _with(lambda torch, a: torch.allclose(a, a)),
    "one_hot": lambda torch: torch.vmap(torch.nn.functional.one_hot)(torch.tensor([0, 1])),
    "singular": lambda torch: torch.vmap(torch.linalg.inv)(torch.zeros(2, 2, 2)),
}

WRITES = {
    "copy_": lambda torch: _captured(torch, lambda c, a: c.copy_(a)),
    "item assignment": lambda torch: _captured(torch, lambda c, a: c.__setitem__(0, a)),
    "fill_": lambda torch: _captured(torch, lambda c, a: c.fill_(a)),
    "index_put_": lambda torch: _captured(torch, lambda c, a: c.index_put_((torch.tensor(0),), a)),
    "statistics": lambda torch: torch.vmap(torch.nn.BatchNorm1d(2))(torch.ones(3, 4, 2)),
    "leaf of grad": _of(lambda torch, func, x: func.grad(lambda a: a.sin_().sum())(x)),
    "leaf of vjp": _of(lambda torch, func, x: func.vjp(lambda a: a.mul_(2), x)),
}


def _captured(torch, write):
    c = torch.zeros(3)
    return torch.vmap(lambda a: write(c, a))(torch.arange(3.0))


RANDOM = {
    "rand": _with(lambda torch, a: a + torch.rand(1)),
    "dropout": _with(lambda torch, a: torch.dropout(a, 0.5, True)),
    "normal_": _with(lambda torch, a: a.normal_()),
    "bernoulli": _with(lambda torch, a: torch.bernoulli(a)),
    "jacfwd": _of(lambda torch, func, x: func.jacfwd(lambda a: a * torch.rand(3))(x)),
    "a layer's weights": _with(lambda torch, a: torch.nn.Linear(1, 1)(a[None])),
    "another mode": lambda torch: torch.vmap(lambda a: a, randomness="x")(torch.ones(2)),
    "different in place": lambda torch: torch.vmap(lambda a: torch.zeros(2).normal_() + a, randomness="different")(
        torch.ones(2)
    ),
    "same bernoulli": lambda torch: torch.vmap(torch.bernoulli, randomness="same")(torch.ones(2)),
    "same multinomial": lambda torch: torch.vmap(lambda a: torch.multinomial(a, 1), randomness="same")(
        torch.ones(2, 2)
    ),
}


def _identity(a):
    return a


ARGUMENTS = {
    "no arguments": lambda torch: torch.vmap(_identity)(),
    "in_dim too large": lambda torch: torch.vmap(_identity, in_dims=3)(torch.ones(3)),
    "in_dim of no dim": lambda torch: torch.vmap(_identity)(torch.ones(())),
    "in_dims structure": lambda torch: torch.vmap(_identity, in_dims=(0, 0))(torch.ones(3)),
    "in_dims deeper": lambda torch: torch.vmap(_identity, in_dims=((0,),))(torch.ones(3)),
    "in_dims list": lambda torch: torch.vmap(_identity, in_dims=[0])(torch.ones(3)),
    "in_dims None": lambda torch: torch.vmap(_identity, in_dims=None)(torch.ones(3)),
    "in_dims all None": lambda torch: torch.vmap(_identity, in_dims=(None,))(torch.ones(3)),
    "in_dims text": lambda torch: torch.vmap(_identity, in_dims="a")(torch.ones(3)),
    "in_dim fraction": lambda torch: torch.vmap(_identity, in_dims=(0.5,))(torch.ones(3)),
    "in_dim of a number": lambda torch: torch.vmap(_identity)(3),
    "sizes": lambda torch: torch.vmap(lambda a, b: a)(torch.ones(3), torch.ones(2)),
    "out_dim too large": lambda torch: torch.vmap(_identity, out_dims=3)(torch.ones(3)),
    "out_dims structure": lambda torch: torch.vmap(_identity, out_dims=(0, 0))(torch.ones(3)),
    "out_dims too few": lambda torch: torch.vmap(lambda a: (a, a), out_dims=(0,))(torch.ones(3)),
    "out_dims text": lambda torch: torch.vmap(_identity, out_dims="a")(torch.ones(3)),
    "out_dims None": lambda torch: torch.vmap(_identity, out_dims=None)(torch.ones(3)),
    "a number as result": lambda torch: torch.vmap(lambda a: 3)(torch.ones(3)),
    "None as result": lambda torch: torch.vmap(lambda a: [a, None])(torch.ones(3)),
    "chunk_size": lambda torch: torch.vmap(_identity, chunk_size=0)(torch.ones(3)),
}

DERIVATIVES = {
    "not a scalar": _of(lambda torch, func, x: func.grad(_identity)(x)),
    "integers": _of(lambda torch, func, x: func.grad(torch.sum)(x.long())),
    "no tensor out": _of(lambda torch, func, x: func.grad(lambda a: 3.0)(x)),
    "no tensor in": _of(lambda torch, func, x: func.grad(_identity)(3.0)),
    "argnum too large": _of(lambda torch, func, x: func.grad(_identity, argnums=2)(x)),
    "argnum text": _of(lambda torch, func, x: func.grad(_identity, argnums="a")(x)),
    "argnums twice": _of(lambda torch, func, x: func.grad(_identity, argnums=(0, 0))(x)),
    "no argnums": _of(lambda torch, func, x: func.jacrev(_identity, argnums=())(x)),
    "no aux": _of(lambda torch, func, x: func.grad(torch.sum, has_aux=True)(x)),
    "aux of no tensor": _of(lambda torch, func, x: func.vjp(lambda a: (a, 3), x, has_aux=True)),
    "vjp of a number": _of(lambda torch, func, x: func.vjp(_identity, 3.0)),
    "vjp gives integers": _of(lambda torch, func, x: func.vjp(lambda a: (a, a > 0), x)),
    "vjp gives a number": _of(lambda torch, func, x: func.vjp(lambda a: 3.0, x)),
    "cotangent structure": _of(lambda torch, func, x: func.vjp(lambda a: (a, a), x)[1](x)),
    "cotangent in a tuple": _of(lambda torch, func, x: func.vjp(_identity, x)[1]((x,))),
    "cotangent shape": _of(lambda torch, func, x: func.vjp(_identity, x)[1](torch.ones(2))),
    "pull twice": _of(lambda torch, func, x: _twice(func.vjp(torch.exp, x)[1], x)),
    "primals": _of(lambda torch, func, x: func.jvp(_identity, x, x)),
    "tangents": _of(lambda torch, func, x: func.jvp(_identity, (x,), (x, x))),
    "tangent shape": _of(lambda torch, func, x: func.jvp(_identity, (x,), (torch.ones(2),))),
    "no primals": _of(lambda torch, func, x: func.jvp(_identity, (), ())),
    "primal of another kind": _of(lambda torch, func, x: func.jvp(_identity, (3.0,), (x,))),
    "jvp gives a number": _of(lambda torch, func, x: func.jvp(lambda a: 3.0, (x,), (x,))),
    "strict": _of(lambda torch, func, x: func.jvp(lambda a: torch.ones(2), (x,), (x,), strict=True)),
    "no aux of jvp": _of(lambda torch, func, x: func.jvp(_identity, (x,), (x,), has_aux=True)),
    "rows of integers": _of(lambda torch, func, x: func.jacrev(lambda a: torch.arange(3))(x)),
    "complex for jacrev": _of(lambda torch, func, x: func.jacrev(torch.abs)(x + 1j)),
    "complex for jacfwd": _of(lambda torch, func, x: func.jacfwd(torch.abs)(x + 1j)),
    "complex from jacrev": _of(lambda torch, func, x: func.jacrev(lambda a: torch.complex(a, a))(x)),
    "complex from jacfwd": _of(lambda torch, func, x: func.jacfwd(lambda a: torch.complex(a, a))(x)),
    "integers for jacfwd": _of(lambda torch, func, x: func.jacfwd(torch.abs)(x.long())),
    "nothing from jacrev": _of(lambda torch, func, x: func.jacrev(lambda a: ())(x)),
    "nothing from jacfwd": _of(lambda torch, func, x: func.jacfwd(lambda a: ())(x)),
    "complex gradient": _of(lambda torch, func, x: func.grad(torch.sum)(x + 1j)),
    "chunk_size": _of(lambda torch, func, x: func.jacrev(_identity, chunk_size=0)(x)),
    "tangents of linearize": _of(lambda torch, func, x: func.linearize(torch.exp, x)[1](x, x)),
    "shape for linearize": _of(lambda torch, func, x: func.linearize(torch.exp, x)[1](torch.ones(2))),
    "dtype for linearize": _of(lambda torch, func, x: func.linearize(torch.exp, x)[1](x.double())),
    "backward": _of(lambda torch, func, x: func.grad(lambda a: a.sum().backward())(x)),
    "requires_grad_": _of(lambda torch, func, x: torch.vmap(lambda a: a.requires_grad_())(x)),
    "requires_grad_ of a module": _of(lambda torch, func, x: func.grad(_freezes(torch))(x)),
    "zero_grad": _of(lambda torch, func, x: torch.vmap(_zeroes(torch))(x)),
    "entropy": _of(lambda torch, func, x: func.grad(lambda a: _entropy(torch) * a.sum())(x)),
    "functional": _of(lambda torch, func, x: func.grad(lambda a: torch.autograd.functional.vjp(torch.sum, a)[1])(x)),
    "no models": _of(lambda torch, func, x: func.stack_module_state([])),
    "modes of models": _of(lambda torch, func, x: func.stack_module_state([torch.nn.ReLU(), torch.nn.ReLU().eval()])),
    "classes of models": _of(lambda torch, func, x: func.stack_module_state([torch.nn.ReLU(), torch.nn.Tanh()])),
    "parameters of no kind": _of(lambda torch, func, x: func.functional_call(torch.nn.Linear(1, 1), 3, x)),
    "function without context": _of(lambda torch, func, x: func.grad(lambda a: _double(torch, True).apply(a).sum())(x)),
    "function without rule": _of(lambda torch, func, x: torch.vmap(_double(torch, False).apply)(x)),
    "function with two rules": _of(lambda torch, func, x: torch.vmap(_double(torch, False, rules=2).apply)(x)),
}


def _freezes(torch):
    layer = torch.nn.Linear(2, 2)
    return lambda a: (layer.requires_grad_(False), a.sum())[1]


def _zeroes(torch):
    weight = torch.nn.Parameter(torch.ones(2))
    weight.grad = torch.ones(2)
    optimizer = torch.optim.SGD([weight])
    return lambda a: (optimizer.zero_grad(set_to_none=False), a)[1]


def _entropy(torch):
    """Compute the entropy of an exponential family, which differentiates its log normalizer."""
    one = torch.ones(3)
    return torch.distributions.ExponentialFamily.entropy(torch.distributions.Gamma(one, one)).sum()


def _twice(pull, x):
    return pull(x, retain_graph=False), pull(x)


def _double(torch, with_ctx, rules=0):
    class Double(torch.autograd.Function):
        generate_vmap_rule = rules == 2

        @staticmethod
        def forward(*args):
            return args[-1] * 2

        if not with_ctx:

            @staticmethod
            def setup_context(ctx, inputs, output):
                pass

        if rules:

            @staticmethod
            def vmap(info, in_dims, x):
                return x * 2, in_dims[0]

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    return Double


REFUSED = {
    f"{kind}: {name}": program
    for kind, table in (
        ("looks", LOOKS),
        ("writes", WRITES),
        ("random", RANDOM),
        ("arguments", ARGUMENTS),
        ("derivatives", DERIVATIVES),
    )
    for name, program in table.items()
}
