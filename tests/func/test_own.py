"""Function transforms of operators that PyTorch's `vmap` does not support, and inside compiled steps."""

import pytest
import torch as theirs

import torchlike as torch
from tests.oracle import both, to_theirs
from torchlike._engine import stats


def same(ours, wanted):
    theirs.testing.assert_close(to_theirs(ours), to_theirs(wanted))


def test_recurrent_layers():
    torch.manual_seed(0)
    lstm, x = torch.nn.LSTM(2, 3), torch.randn(4, 5, 2)
    loss = lambda x: lstm(x)[0].pow(2).sum()
    same(torch.vmap(loss)(x), torch.stack([loss(a) for a in x]))
    slope = torch.func.grad(loss)
    same(torch.vmap(slope)(x), torch.stack([slope(a) for a in x]))
    torch.vmap(loss)(x).sum().backward()
    found = [p.grad for p in lstm.parameters()]
    lstm.zero_grad()
    sum(loss(a) for a in x).backward()
    for ours, wanted in zip(found, lstm.parameters()):
        same(ours, wanted.grad)


def branch(a, w):
    return torch.cond(a.sum() > 0, lambda a: (a * w).sin(), lambda a: a - w, (a,)).sum()


def test_control_flow_inside():
    torch.manual_seed(0)
    x, w = torch.randn(5, 3), torch.randn(3, requires_grad=True)
    whole = torch.vmap(lambda a: branch(a, w))(x)
    loop = torch.stack([branch(a, w) for a in x])
    same(whole.detach(), loop.detach())
    same(torch.autograd.grad(whole.sum(), w)[0], torch.autograd.grad(loop.sum(), w)[0])
    slope = torch.func.grad(lambda a: branch(a, a.detach() * 2))
    same(torch.vmap(slope)(x), torch.stack([slope(a) for a in x]))


def test_closures_of_control_flow_inside():
    x = torch.tensor([[1.0, 2.0], [-1.0, -2.0]])
    found = torch.vmap(torch.func.grad(lambda a: torch.cond(a.sum() > 0, lambda: a * 2, lambda: -a).sum()))(x)
    assert found.tolist() == [[2.0, 2.0], [-1.0, -1.0]]


def make_step(decorate):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    square = lambda p, x: torch.func.functional_call(net, p, (x,)).pow(2).sum()

    @decorate
    def step(x):
        grads = torch.vmap(torch.func.grad(square), in_dims=(None, 0))(dict(net.named_parameters()), x)
        loss = sum(g.pow(2).mean() for g in grads.values())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return step


def test_a_compiled_step_of_per_sample_gradients():
    plain, compiled = make_step(lambda f: f), make_step(torch.compile(fullgraph=True))
    for seed in range(4):
        torch.manual_seed(seed)
        x = torch.randn(5, 3)
        same(compiled(x).detach(), plain(x).detach())


def test_compiled_draws():
    dropped = lambda x: torch.vmap(lambda a: torch.dropout(a, 0.5, True), randomness="different")(x)
    compiled = torch.compile(dropped)
    x = torch.ones(4, 3)
    torch.manual_seed(0)
    found = [compiled(x) for _ in range(3)]
    torch.manual_seed(0)
    for each in found:
        same(each, torch.dropout(x, 0.5, True))


def test_a_compiled_hessian_has_gradients():
    w = torch.tensor([0.5, -1.0], requires_grad=True)
    f = lambda x, w: torch.func.hessian(lambda x: (x.sin() * w).sum() * x.prod())(x).sum()
    x = torch.tensor([0.3, 0.7])
    compiled = torch.compile(f)
    for _ in range(3):
        same(torch.autograd.grad(compiled(x, w), w)[0], torch.autograd.grad(f(x, w), w)[0])


def of_compiled(torch):
    compile = (lambda function: function) if torch is theirs else torch.compile
    compiled = compile(lambda x: (factor * x).sum())
    layer = compile(torch.nn.Linear(3, 1))
    factor, x, rows = torch.tensor([2.0, 3.0, 4.0]), torch.tensor([1.0, 2.0, 3.0]), torch.arange(6.0).view(2, 3)
    func, cube = torch.func, lambda x: compiled(x * x) * x.sum()
    layer(x)
    return (
        [(compiled(x), func.grad(compiled)(x), func.grad(cube)(x)) for _ in range(3)],
        func.vjp(compiled, x)[1](torch.tensor(2.0)),
        func.grad(lambda x: func.grad(cube)(x).prod())(x),
        (func.hessian(cube)(x), func.jacrev(layer)(x).detach(), func.jacfwd(layer)(x).detach()),
        (torch.vmap(compiled)(rows), torch.vmap(func.grad(cube))(rows), torch.vmap(layer)(rows).detach()),
    )


def test_transforms_of_compiled_functions():
    both(of_compiled, stride=False)


def test_many_steps_compile_nothing_new():
    w = torch.zeros(3)
    slope = torch.vmap(torch.func.grad(lambda w, x: (w * x).sin().sum()), in_dims=(None, 0))
    for number in range(8):
        if number == 5:
            before = stats.compiles
        w = w - 0.1 * slope(w, torch.full((4, 3), float(number))).mean(0)
        w.sum().item()
    assert stats.compiles == before


def test_a_batched_tensor_that_escapes_raises():
    leaked = []
    torch.vmap(lambda a: leaked.append(a) or a)(torch.ones(2))
    with pytest.raises(RuntimeError, match="may have escaped from inside a function being vmapped"):
        leaked[0] + 1
    with pytest.raises(RuntimeError, match="may have escaped from inside a function being vmapped"):
        leaked[0].item()


def test_an_error_inside_leaves_nothing_open():
    def fails(a):
        raise KeyError("mine")

    for transform in (torch.vmap, torch.func.grad, torch.func.jacrev, torch.func.jacfwd):
        with pytest.raises(KeyError, match="mine"):
            transform(fails)(torch.ones(2))
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and torch.randn(2).shape == (2,)
    with pytest.raises(RuntimeError, match=r"calling \.item\(\)"):
        torch.vmap(lambda a: torch.func.grad(lambda b: b * b.item())(a))(torch.ones(2))
    assert torch.vmap(torch.sin)(torch.zeros(2)).tolist() == [0.0, 0.0]


class Twice(torch.autograd.Function):
    """A function with its own `vmap` rule."""

    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def vmap(info, in_dims, x):
        assert info.batch_size == 3 and in_dims == (0,)
        return x.T * 2, 1


def test_the_rule_of_a_function():
    x = torch.arange(6.0).view(3, 2)
    same(torch.vmap(Twice.apply)(x), x * 2)
    same(torch.vmap(torch.func.grad(lambda a: Twice.apply(a).sum()))(x), torch.full((3, 2), 2.0))


class Cube(torch.autograd.Function):
    """A function whose `vmap` rule is generated."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, grad):
        return grad * 10 * ctx.saved_tensors[0]  # deliberately not the derivative, to show that this method ran

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 7


def test_a_function_with_a_backward_of_its_own():
    x = torch.arange(1.0, 4.0, requires_grad=True)
    same(torch.vmap(torch.func.grad(Cube.apply))(x.detach()), 10 * x.detach())
    torch.vmap(Cube.apply)(x).sum().backward()
    same(x.grad, 10 * x.detach())
    t = torch.ones(3)
    same(torch.func.jvp(torch.vmap(Cube.apply), (x.detach(),), (t,))[1], 7 * t)
    same(torch.vmap(lambda x, t: torch.func.jvp(Cube.apply, (x,), (t,))[1])(x.detach(), t), 7 * t)


def test_functionalize_is_refused():
    with pytest.raises(NotImplementedError, match="functionalize"):
        torch.func.functionalize(torch.sin)
