"""Compiled steps on accelerators give the memory of replaced gradients to the new ones. CPU devices stand for GPUs."""

import jax
import pytest

import torchlike
from torchlike._dtypes.devices import stand_ins


@pytest.fixture(autouse=True)
def gpu():
    with stand_ins("cuda", jax.devices()[:1]):
        yield


def _train(compiled, after=lambda number, net, held: None, device="cuda", inside=True):
    """Return the losses and the gradients of some steps, what `after` held, and the addresses of a gradient."""
    torchlike.manual_seed(0)
    nn = torchlike.nn
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)
    net[2].weight = net[0].weight  # shared
    optimizer = torchlike.optim.AdamW(net.parameters(), lr=0.01)
    x, y = torchlike.randn(16, 64).to(device), torchlike.randint(10, (16,)).to(device)

    def step(x, y):
        if inside:
            optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    run = torchlike.compile(step, fullgraph=True) if compiled else step
    found, held, addresses = [], [], []
    for number in range(6):
        found.append(run(x, y).item())
        found += [p.grad.sum().item() for p in net.parameters()]
        array = net[0].weight.grad._value.settle().array
        addresses.append(array.unsafe_buffer_pointer() if compiled else 0)
        del array
        after(number, net, held)
        if not inside:
            optimizer.zero_grad()
    return [*found, *[t.sum().item() for t in held]], addresses


def _clears(number, net, held):
    if number == 2:
        net[4].bias.grad = None


def _replaces(number, net, held):
    if number == 2:
        net[0].weight.grad = torchlike.zeros(64, 64, device="cuda")
    if number == 3:
        net[0].weight.grad = torchlike.zeros(64, 64, 2, device="cuda")[..., 0]


CASES = {
    "nothing": lambda *_: None,
    "the gradients are held": lambda number, net, held: held.extend(p.grad for p in net.parameters()),
    "a view is held": lambda number, net, held: held.append(net[0].weight.grad.t()[1:]),
    "detached gradients are held": lambda number, net, held: held.append(net[0].weight.grad.detach()),
    "an array is held": lambda number, net, held: held.append(torchlike.from_dlpack(net[0].weight.grad)),
    "a gradient is removed": _clears,
    "a gradient is replaced": _replaces,
    "gradients are written": lambda number, net, held: net[0].weight.grad.mul_(2),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_numbers(case, inside):
    expected = _train(False, CASES[case], inside=inside)[0]
    # XLA may fuse a product into the sum of its elements, which then adds in another order.
    assert _train(True, CASES[case], inside=inside)[0] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_the_memory_stays_the_same():
    assert len(set(_train(True)[1][1:])) == 1


def test_held_gradients_keep_their_memory():
    assert len(set(_train(True, CASES["the gradients are held"])[1])) == 6
