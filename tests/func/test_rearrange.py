"""`torch.func.rearrange`: patterns, sizes, memory, gradients and errors."""

import pytest

from tests.oracle import both

PATTERNS = [
    *("a b c -> c a b", "a b c -> (a b) c", "a b c -> a (b c)", "... c -> c ...", "a ... -> ... a", "... -> (...)"),
    *("a b c -> a b c 1", "a b c -> () a b c", "a (b) c -> a b c", "a ... -> a (...)", "a b c -> (c a) b", "a b"),
    *("a b c -> a b", "a b -> a b", "a b c -> a b c d", "a a c -> a c", "a b 4 -> a b", "(...) -> ...", "a b c->c b a"),
    *("a b c -> a ... b c", "((a b)) c d -> a", "_a b c -> b", "a b 2c -> a", "a.b c d->a", "... ... -> ..."),
    *("a b c)-> a", "(a b c -> a", "a b (c d) -> a b c d", "a b (1) -> a b", "... -> 1 ... 1", "for b c -> c b for"),
    *("a b () c -> a b c", "a b c d ... -> d", "a b c -> a b -> c", "1 b (c d) -> c d b", "a b c -> c b a 3"),
]
SIZES = [{"c": 2}, {"d": 2}, {"c": 3}, {"c": 4, "d": 2}, {"c": 0}, {"c": 2.5}, {"q": 3}]


def run(torch, pattern, **sizes):
    x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
    result = torch.func.rearrange(x, pattern, **sizes)
    (result * torch.arange(float(result.numel())).reshape(result.shape)).sum().backward()
    return result.detach(), x.grad


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns(pattern):
    both(lambda torch: run(torch, pattern))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("pattern", ["a b (c d) -> a b c d", "a b c -> c b a", "... (d c) -> c ... d"])
def test_sizes(pattern, sizes):
    both(lambda torch: run(torch, pattern, **sizes))


def test_sequences_and_tensors_without_axes():
    both(lambda torch: torch.func.rearrange([torch.ones(2, 3), torch.zeros(2, 3)], "n a b -> a (n b)"))
    both(lambda torch: torch.func.rearrange(torch.tensor(3.0), "-> 1"))
