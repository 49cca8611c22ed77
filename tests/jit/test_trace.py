"""The warnings and the calls of `torch.jit.trace`."""

import warnings

import pytest
import torch

import torchlike
from tests.oracle import both


def _branch(x):
    return x * 2 if x.sum() > 0 else x


def _branch_on_a_size(x):
    return x * 2 if x.shape[0] > 10 else x


FUNCTIONS = {
    "a branch": _branch,
    "a branch on a size": _branch_on_a_size,
    "a branch on size()": lambda x: x * (2 if x.size(-1) == 2 else 1),
    "a branch on a computed size": lambda x: x * (2 if x.shape[0] % 2 == 0 else 1),
    "a size in another": lambda x: x * (2 if 2 in x.shape else 1),
    "a size as a condition": lambda x: x * (2 if x.size(0) else 1),
    "the largest size": lambda x: x * max(x.shape),
    "int": lambda x: x * int(x.sum()),
    "int of a size": lambda x: x * int(x.shape[0]),
    "float": lambda x: x * float(x.sum()),
    "float of a size": lambda x: x * float(x.shape[0]),
    "complex": lambda x: x * complex(x.sum()).real,
    "item": lambda x: x * x.sum().item(),
    "tolist": lambda x: x * x.tolist()[0][0],
    "numpy": lambda x: x * int(x.numpy().sum()),
    "iteration": lambda x: sum(row for row in x),
    "len": lambda x: x * len(x),
    "two branches": lambda x: x * 1 if (x > 0).any() and (x < 9).all() else x,
    "all equal": lambda x: x * 1 if (x == x).all() else x,
    "the larger": lambda x: max(x[0, 0], x[1, 1]),
    "no conversion": lambda x: x.view(x.size(0), -1) * x.dim() + x.shape[0] * x.numel(),
    "a loop over a size": lambda x: sum(x * i for i in range(x.shape[0])),
    "slices": lambda x: x[: x.shape[0] // 2],
    "a root of a size": lambda x: x / x.size(-1) ** 0.5,
}


def told(library, function, **options):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        library.jit.trace(function, library.ones(2, 2), **options)
    return [(w.category.__name__, str(w.message)) for w in seen]


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_told_of_what_is_not_recorded(function):
    due = told(torch, function, check_trace=False)
    assert told(torchlike, function, check_trace=False) == due


@pytest.mark.parametrize("function", [_branch, _branch_on_a_size], ids=["values", "sizes"])
def test_told_again_by_the_check(function):
    due = told(torch, function)
    assert told(torchlike, function) == due and len(due) == 4


def test_the_number_of_calls():
    def calls(L):
        seen = []

        def f(x):
            seen.append((L.is_grad_enabled(), x.dim()))
            return x * 2

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            L.jit.trace(f, L.ones(2))
            L.jit.trace(f, L.ones(2), check_trace=False)
            L.jit.trace(f, L.ones(2), check_inputs=[L.ones(3, 1), (L.ones(4),)])
        return seen

    both(calls)


def _net(L, calls):
    class Net(L.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = L.nn.Linear(2, 3)

        def forward(self, x):
            calls.append(1)
            return self.fc(x)

    return Net().eval()


@pytest.mark.parametrize(
    "use",
    [
        lambda L: L.jit.trace(_net(L, []), L.ones(1, 2)),
        lambda L: L.jit.trace_module(_net(L, []), {"forward": L.ones(1, 2)}),
        lambda L: L.jit.script(L.nn.ReLU()),
        lambda L: L.jit.freeze(L.jit.script(L.nn.ReLU().eval())),
        lambda L: L.jit.optimize_for_inference(L.jit.script(L.nn.ReLU().eval())),
    ],
    ids=["trace", "trace_module", "script", "freeze", "optimize_for_inference"],
)
def test_torchscript_is_deprecated(use):
    def warned(L):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            use(L)
        texts = [(w.category, str(w.message)) for w in seen]
        # The default filters show the warning only if its place is the program, as PyTorch's never is.
        assert not any(w.filename == __file__ for w in seen)
        return sorted({text for category, text in texts if category is DeprecationWarning})

    assert warned(torchlike) == warned(torch)


def test_a_traced_network_keeps_its_parameters():
    calls = []
    net = _net(torchlike, calls)
    with warnings.catch_warnings(action="ignore"):
        traced = torchlike.jit.trace(net, torchlike.ones(1, 2))
    assert traced.fc.weight is net.fc.weight and len(calls) == 3
    traced(torchlike.ones(1, 2)).sum().backward()
    assert type(net.fc.weight.grad) is torchlike.Tensor
