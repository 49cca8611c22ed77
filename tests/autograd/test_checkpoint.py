"""Activation checkpointing: results, errors and random numbers agree with PyTorch, and memory is saved."""

import inspect

import pytest

import torchlike
from tests.autograd.library import compare, leaf, log, programs, torch
from torchlike._engine import programs as cache
from torchlike._engine.xla import executor


def _net():
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Dropout(0.5), nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))


def _grads(net):
    return [p.grad for p in net.parameters()]


def basic(reentrant):
    net = _net()
    torch.manual_seed(1)
    x = torch.randn(3, 2).requires_grad_()
    y = torch.utils.checkpoint.checkpoint(net, x, use_reentrant=reentrant)
    y.sum().backward()
    return (y, x.grad, _grads(net), torch.rand(1))


def seq(reentrant):
    net = _net()
    torch.manual_seed(1)
    x = torch.randn(3, 2).requires_grad_()
    y = torch.utils.checkpoint.checkpoint_sequential(net, 3, x, use_reentrant=reentrant)
    y.sum().backward()
    return (y, x.grad, _grads(net))


def norng(reentrant):
    net = _net()
    torch.manual_seed(1)
    x = torch.randn(3, 2).requires_grad_()
    y = torch.utils.checkpoint.checkpoint(net, x, use_reentrant=reentrant, preserve_rng_state=False)
    y.sum().backward()
    return (_grads(net), torch.rand(1))


def noinputgrad(reentrant):
    net = _net()
    torch.manual_seed(1)
    x = torch.randn(3, 2)
    y = torch.utils.checkpoint.checkpoint(net, x, use_reentrant=reentrant)
    y.sum().backward()
    return _grads(net)


def autograd_grad(reentrant):
    net = _net()
    torch.manual_seed(1)
    x = torch.randn(3, 2).requires_grad_()
    y = torch.utils.checkpoint.checkpoint(net, x, use_reentrant=reentrant)
    return torch.autograd.grad(y.sum(), x)


def tuple(reentrant):
    x = leaf()
    y = torch.utils.checkpoint.checkpoint(lambda a, b: (a * b, a + b, 3), x, x * 2, use_reentrant=reentrant)
    (y[0].sum() + y[1].sum()).backward()
    return (y, x.grad)


def dict(reentrant):
    x = leaf()
    y = torch.utils.checkpoint.checkpoint(lambda a, b: {"o": a * b}, x, x * 2, use_reentrant=reentrant)
    y["o"].sum().backward()
    return (y, x.grad)


def kwargs(reentrant):
    x = leaf()
    y = torch.utils.checkpoint.checkpoint(lambda a, k=1: a * a * k, x, k=3, use_reentrant=reentrant)
    y.sum().backward()
    return x.grad


def nested(reentrant):
    x = leaf()
    y = torch.utils.checkpoint.checkpoint(
        lambda a: torch.utils.checkpoint.checkpoint(lambda b: b.sin() * b, a * a, use_reentrant=reentrant).exp(),
        x,
        use_reentrant=reentrant,
    )
    y.sum().backward()
    return x.grad


def retain(reentrant):
    x = leaf()
    y = torch.utils.checkpoint.checkpoint(lambda a: a * a * a, x, use_reentrant=reentrant)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return x.grad


def twice(reentrant):
    x = leaf()
    y = torch.utils.checkpoint.checkpoint(lambda a: a * a * a, x, use_reentrant=reentrant)
    y.sum().backward()
    y.sum().backward()
    return x.grad


def double(reentrant):
    x = leaf()
    y = torch.utils.checkpoint.checkpoint(lambda a: (a * 2).sin() * a, x, use_reentrant=reentrant)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return (g, torch.autograd.grad(g.sum(), x))


def modified(reentrant):
    x = leaf()
    z = x * 1
    y = torch.utils.checkpoint.checkpoint(lambda a: a * a, z, use_reentrant=reentrant)
    z.add_(1)
    y.sum().backward()
    return x.grad


def nograd(reentrant):
    with torch.no_grad():
        return torch.utils.checkpoint.checkpoint(lambda a: a * a, leaf(), use_reentrant=reentrant)


def nooutgrad(reentrant):
    x = leaf()
    y = torch.utils.checkpoint.checkpoint(lambda a: a.detach(), x, use_reentrant=reentrant)
    log(y.requires_grad)
    y.sum().backward()


def calls(reentrant):
    log = []
    x = leaf()

    def f(a):
        log.append(torch.is_grad_enabled())
        return (a * a).sin() * 2 + 1

    y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=reentrant)
    y.sum().backward()
    return log


def chain(reentrant):
    x = leaf()
    y = torch.utils.checkpoint.checkpoint(lambda a: (a * a).sum(), x, use_reentrant=reentrant)
    z = torch.utils.checkpoint.checkpoint(lambda a: a * a, y, use_reentrant=reentrant)
    z.backward()
    return x.grad


def function(reentrant):

    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = leaf()
    y = torch.utils.checkpoint.checkpoint(lambda a: F.apply(a * 3), x, use_reentrant=reentrant)
    y.sum().backward()
    return x.grad


def raises(reentrant):
    x = leaf()

    def f(a):
        raise ValueError("a")

    torch.utils.checkpoint.checkpoint(f, x, use_reentrant=reentrant)


def lstm(reentrant):
    torch.manual_seed(0)
    l = torch.nn.LSTM(2, 3)
    x = torch.ones(2, 1, 2).requires_grad_()
    y, _ = torch.utils.checkpoint.checkpoint(l, x, use_reentrant=reentrant)
    (y * y).sum().backward()
    return x.grad


def none():
    return torch.utils.checkpoint.checkpoint(lambda a: a * 2, leaf())


def none_seq():
    return torch.utils.checkpoint.checkpoint_sequential([lambda a: a * 2], 1, leaf())


def ctx_re():
    return torch.utils.checkpoint.checkpoint(lambda a: a * 2, leaf(), use_reentrant=True, context_fn=lambda: (1, 2))


def det():
    return torch.utils.checkpoint.checkpoint(lambda a: a * 2, leaf(), use_reentrant=False, determinism_check="x")


def context_fn():
    import contextlib

    log = []

    @contextlib.contextmanager
    def c(n):
        log.append("in" + n)
        yield
        log.append("out" + n)

    x = leaf()
    y = torch.utils.checkpoint.checkpoint(
        lambda a: a * a, x, use_reentrant=False, context_fn=lambda: (c("f"), c("r")), early_stop=False
    )
    y.sum().backward()
    return (log, x.grad)


def det_none():
    x = leaf()
    n = [0]

    def f(a):
        n[0] += 1
        return a * a if n[0] == 1 else (a * a)[:1] * (a * a)[:1]

    y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False, determinism_check="none")
    y.sum().backward()
    return x.grad


def early():
    log = []
    x = leaf()

    def f(a):
        b = a * a
        log.append("after")
        return b + 1

    y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False)
    y.sum().backward()
    y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False, early_stop=False)
    y.sum().backward()
    with torch.utils.checkpoint.set_checkpoint_early_stop(False):
        y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False)
    y.sum().backward()
    return log


def number_of_saved_tensors():
    x, calls = leaf(), []

    def function(a):
        calls.append(a)
        return a * a if len(calls) == 1 else a + 1

    y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False)
    try:
        y.sum().backward()
    except torch.utils.checkpoint.CheckpointError as error:
        return str(error).partition("\n")[0]


def kind_of_saved_tensors():
    x, calls = leaf(), []

    def function(a):
        calls.append(a)
        return a * a if len(calls) == 1 else a[:1] * a[:1]

    y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False)
    try:
        y.sum().backward()
    except torch.utils.checkpoint.CheckpointError as error:
        return str(error).partition("\n")[0]


_ALL = programs(globals())


@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("program", [p for p in _ALL if inspect.signature(p).parameters], ids=lambda p: p.__name__)
def test_both_kinds(program, reentrant):
    compare(lambda: program(reentrant), stride=False)


@pytest.mark.parametrize("program", [p for p in _ALL if not inspect.signature(p).parameters], ids=lambda p: p.__name__)
def test_one_kind(program):
    compare(program, stride=False)


def test_the_kind_is_to_be_named():
    with pytest.warns(UserWarning, match="the use_reentrant parameter should be passed explicitly"):
        torchlike.utils.checkpoint.checkpoint(lambda x: x * 2, torchlike.ones(1, requires_grad=True))


def test_debug_is_refused_by_name():
    with pytest.raises(NotImplementedError, match="debug"):
        torchlike.utils.checkpoint.checkpoint(lambda x: x, torchlike.ones(1), use_reentrant=False, debug=True)


LAYERS, WIDTH, BATCH = 16, 64, 2048


def _step(segments, reentrant):
    """Run one forward and backward pass of a deep MLP, which must be a single program.

    Return the gradient of the first weight, and the program's temporary memory in units of one layer's activations.
    """
    torchlike.manual_seed(0)
    layers = [m for _ in range(LAYERS) for m in (torchlike.nn.Linear(WIDTH, WIDTH), torchlike.nn.Tanh())]
    net = torchlike.nn.Sequential(*layers)
    x = torchlike.randn(BATCH, WIDTH).requires_grad_()
    before = {*cache.programs}
    if segments is None:
        y = net(x)
    else:
        y = torchlike.utils.checkpoint.checkpoint_sequential(net, segments, x, use_reentrant=reentrant)
    y.sum().backward()
    (program,) = [p for p in cache.programs if p not in before and isinstance(p, executor.Fused)]
    used = program.executable.compiled.memory_analysis().temp_size_in_bytes
    return net[0].weight.grad.clone(), used / (BATCH * WIDTH * 4)


@pytest.mark.parametrize("reentrant", [True, False])
def test_memory_is_saved_within_one_program(reentrant):
    torchlike._engine.trace.flush.forget_programs()
    grad, whole = _step(None, False)
    again, saved = _step(4, reentrant)
    torchlike.testing.assert_close(again, grad)
    assert whole > LAYERS - 1
    assert saved < LAYERS / 2, "the second computation was merged with the first, or done too early"


def test_generators_of_unsupported_devices_are_refused():
    state = torchlike.get_rng_state()
    with pytest.raises(NotImplementedError, match="set_device_states: the argument 'device_type'"):
        torchlike.utils.checkpoint.set_device_states([0], [state], device_type="xpu")
