"""Steps that change Python state are compiled if a replay can repeat the changes."""

import collections

import pytest
import torch

import torchlike


def _training(L, model, extra=None, kind="Adam"):
    """Return a training step, its results after several calls and the state that it leaves."""
    extra = extra or (lambda optimizer, loss: loss.detach())
    optimizer = getattr(L.optim, kind)(model.parameters(), lr=0.01)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return extra(optimizer, loss)

    return step


def _module(L, before, forward):
    class Net(L.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = L.nn.Linear(4, 3)
            L.nn.init.constant_(self.inner.weight, 0.1)
            L.nn.init.ones_(self.inner.bias)
            before(self)

        def forward(self, x):
            return forward(self, self.inner(x))

    return Net()


def _named(net, name):
    """Return the numbers in an attribute."""
    x = getattr(net, name)
    parts = x.values() if isinstance(x, dict) else x if isinstance(x, list | tuple) else [x]
    return [part.tolist() if hasattr(part, "tolist") else part for part in parts]


def last(net, y):
    net.kept = y.detach()
    return y


def auxiliary(net, y):
    net.kept = y.abs().mean()
    return y + net.kept


def logged(net, y):
    net.kept = {"loss": y.mean().detach(), "n": 1}
    return y


def entry(net, y):
    net.kept["loss"] = y.mean().detach()
    return y


def cleared(net, y):
    net.kept.clear()
    net.kept.append(y.mean().detach())
    return y + net.kept[0]


def equal(net, y):
    net.kept = [1, 2]
    return y


def buffer(net, y):
    net.kept = 0.9 * net.kept + 0.1 * y.detach().mean(0)
    return y - net.kept


def toggled(net, y):
    for p in net.inner.parameters():
        p.requires_grad_(False)
        p.requires_grad_(True)
    return y


ASSIGNED = {
    "a tensor": (lambda net: setattr(net, "kept", None), last),
    "a tensor with a freed graph": (lambda net: setattr(net, "kept", None), auxiliary),
    "a dictionary": (lambda net: setattr(net, "kept", {}), logged),
    "an entry": (lambda net: setattr(net, "kept", {}), entry),
    "an element": (lambda net: setattr(net, "kept", []), cleared),
    "an equal list": (lambda net: setattr(net, "kept", [1, 2]), equal),
    "a buffer": (lambda net: net.register_buffer("kept", net.inner.bias.detach() * 0), buffer),
    "requires_grad": (lambda net: setattr(net, "kept", None), toggled),
}


@pytest.mark.parametrize("how", ASSIGNED)
def test_assignments_are_repeated(how):
    found = []
    for L, compile in ((torch, lambda f: f), (torchlike, torchlike.compile)):
        net = _module(L, *ASSIGNED[how])
        step = compile(_training(L, net))
        found.append([[step(L.ones(2, 4) + i).item(), *_named(net, "kept")] for i in range(5)])
    told = step.explained()
    assert told.runs >= 3
    assert sum(cause.count for cause in told.uncompiled) <= 1  # the first call may create the entry
    flat = [[x for call in each for part in call for x in _flat(part)] for each in found]
    assert flat[1] == pytest.approx(flat[0], rel=1e-4, abs=1e-5)


def _flat(x):
    return [y for part in x for y in _flat(part)] if isinstance(x, list) else [0.0 if x is None else x]


Pair = collections.namedtuple("Pair", "a b")


def _with_schedule(L, make):
    model = _module(L, lambda net: None, lambda net, y: y)
    schedules = {}

    def extra(optimizer, loss):
        schedules["one"].step()
        return loss.detach()

    step = _training(L, model, extra)
    (optimizer,) = [cell.cell_contents for cell in step.__closure__ if isinstance(cell.cell_contents, L.optim.Adam)]
    schedules["one"] = make(L.optim.lr_scheduler, optimizer)
    return step


def _masked(L):
    layer = L.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
    for p in layer.parameters():
        p.data.copy_(L.linspace(-0.5, 0.5, p.numel()).view_as(p))
    encoder = L.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    ramp = lambda x: x[..., None] * L.arange(1.0, 5.0)
    mask = L.nn.Transformer.generate_square_subsequent_mask(4)
    encoder.register_forward_pre_hook(lambda module, args: (ramp(args[0]), mask))
    return encoder


STEPS = {
    "a function of a scheduler": lambda L: _with_schedule(L, lambda s, o: s.LambdaLR(o, lambda n: 0.5**n)),
    "functions of schedulers in a sequence": lambda L: _with_schedule(
        L, lambda s, o: s.SequentialLR(o, [s.LambdaLR(o, lambda n: 0.5**n), s.ExponentialLR(o, 0.9)], [2])
    ),
    "a name that optimizers have too": lambda L: _training(
        L,
        model := _module(L, lambda net: None, lambda net, y: y),
        lambda optimizer, loss: loss.detach() + sum(v.sum() for v in model.state_dict().values()),
    ),
    "the groups of the optimizer": lambda L: _training(
        L,
        _module(L, lambda net: None, lambda net, y: y),
        lambda optimizer, loss: loss.detach() * optimizer.param_groups[0]["lr"],
    ),
    "next": lambda L: _training(
        L, _module(L, lambda net: None, lambda net, y: y * next(iter(net.parameters())).detach().sum())
    ),
    "a causal mask": lambda L: _training(L, _masked(L), kind="SGD"),
    "a named tuple": lambda L: _training(L, _module(L, lambda net: None, lambda net, y: Pair(y, y * 2).b)),
    "a product after the backward pass": lambda L: _training(
        L, _module(L, lambda net: None, lambda net, y: y), lambda optimizer, loss: loss * 4
    ),
}


@pytest.mark.parametrize("how", STEPS)
def test_steps_are_compiled(how):
    found = []
    for L, compile in ((torch, lambda f: f), (torchlike, torchlike.compile)):
        step = compile(STEPS[how](L))
        found.append([step(L.ones(2, 4) + i).item() for i in range(5)])
    told = step.explained()
    assert (told.uncompiled, told.runs >= 3) == ((), True)
    assert found[1] == pytest.approx(found[0], rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("how", ["next", "__next__"])
def test_iterators_from_outside_are_not_captured(how):
    upcoming = iter([1.0, 2.0, 3.0, 4.0])
    f = torchlike.compile((lambda x: x * next(upcoming)) if how == "next" else (lambda x: x * upcoming.__next__()))
    assert [f(torchlike.ones(())).item() for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]
