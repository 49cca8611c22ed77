"""Parameters that share one memory through `.data` have version counters of their own."""

import pytest

from tests.oracle import both

OPERATORS = {
    "mul": lambda torch, mod, x, w: x * w,
    "product": lambda torch, mod, x, w: x @ w,
    "transposed": lambda torch, mod, x, w: x @ w.T,
    "view": lambda torch, mod, x, w: x * w.view(16).view(4, 4),
    "slice": lambda torch, mod, x, w: x[:2] * w[:2],
    "Linear": lambda torch, mod, x, w: mod(x),
    "Conv1d": lambda torch, mod, x, w: mod(x[None]),
    "LSTM": lambda torch, mod, x, w: mod(x[None])[0],
    "GRU": lambda torch, mod, x, w: mod(x[None])[0],
    "LSTMCell": lambda torch, mod, x, w: mod(x)[0],
    "MultiheadAttention": lambda torch, mod, x, w: mod(x, x, x)[0],
}
SIZES = {"Conv1d": (4, 4, 1), "MultiheadAttention": (4, 2)}


def flat(torch, name, frozen):
    torch.manual_seed(0)
    w, other = torch.nn.Parameter(torch.randn(4, 4), requires_grad=not frozen), torch.nn.Parameter(torch.randn(4))
    mod = getattr(torch.nn, name if name[0].isupper() else "Linear")(*SIZES.get(name, (4, 4)))
    mod.requires_grad_(not frozen)
    parameters = [w, other, *mod.parameters()]
    memory, start = torch.cat([p.detach().reshape(-1) for p in parameters]), 0
    for p in parameters:
        p.data = memory[start : start + p.numel()].view_as(p).data
        start += p.numel()
    return w, other, mod


@pytest.mark.parametrize("written", ["other", "own", "memory"])
@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("name", OPERATORS)
def test_writes_between_forward_and_backward(name, frozen, written):
    def run(torch):
        w, other, mod = flat(torch, name, frozen)
        x = torch.randn(4, 4, requires_grad=True)
        y = OPERATORS[name](torch, mod, x, w)
        with torch.no_grad():
            for p in {"other": [other], "own": [w, *mod.parameters()], "memory": [other.data]}[written]:
                p.mul_(2)
        y.sum().backward()
        return x.grad, [p.grad for p in (w, *mod.parameters())], str([p._version for p in (w, other)])

    both(run)
