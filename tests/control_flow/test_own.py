"""Programs with control flow that PyTorch cannot run, or that it differentiates wrongly."""

import pytest
import torch

import torchlike
from tests.oracle import assert_same
from torchlike._engine import stats
from torchlike._higher_order_ops import associative_scan, map, scan


def _leaf(*numbers, library=torchlike):
    return library.tensor(numbers, requires_grad=True)


def _second(function, library):
    """Return the gradient of a function, and the gradient of that gradient's squared norm."""
    x = _leaf(1.5, -2.0, 0.5, library=library)
    (first,) = library.autograd.grad(function(x).sum(), x, create_graph=True)
    (second,) = library.autograd.grad((first * first).sum(), x)
    return first.detach(), second


SECOND = {
    "cond": (
        lambda x: torchlike.cond(x.sum() >= 0, lambda y: y**4 * y.detach() * x, lambda y: y + 1, (x,)),
        lambda x: x**4 * x.detach() * x,
    ),
    "scan": (
        lambda x: scan(lambda c, y: (c * y * x, c * y), x, torchlike.ones(3, 3) * 2)[0],
        lambda x: 8 * x**4,
    ),
    "map": (lambda x: map(lambda y, x: (x * y) ** 3, torchlike.ones(2, 3) * 2, x), lambda x: 16 * x**3),
    "associative_scan": (
        lambda x: associative_scan(lambda a, b: a * b, x, 0, combine_mode="generic"),
        lambda x: x.cumprod(0),
    ),
}


@pytest.mark.parametrize("name", SECOND)
def test_gradients_of_gradients_are_right_where_pytorch_has_none_or_others(name):
    ours, plain = SECOND[name]
    assert_same(_second(ours, torchlike), _second(plain, torch))


def test_the_gradient_of_a_loop_says_that_it_has_no_gradient():
    x = _leaf(1.0)
    y = torchlike.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), (torchlike.tensor(0), x))[1]
    (first,) = torchlike.autograd.grad(y.sum(), x, create_graph=True)
    assert first.tolist() == [3.0]
    with pytest.raises(NotImplementedError, match="can differentiate while_loop at most 1 time"):
        first.sum().backward()


@pytest.mark.parametrize("rounds", [1, 63, 64, 65, 129, 1000])
def test_gradients_of_long_loops(rounds):
    def program(library):
        x, w = _leaf(1.0, 0.5, 2.0, library=library), _leaf(0.99, 1.01, 0.98, library=library)
        step = lambda y: (y * w).sin() * 0.5 + y * 0.5
        if library is torchlike:
            y = torchlike.while_loop(lambda i, y: i < rounds, lambda i, y: (i + 1, step(y)), (torchlike.tensor(0), x))[
                1
            ]
        else:
            y = x
            for _ in range(rounds):
                y = step(y)
        y.sum().backward()
        return y.detach(), x.grad, w.grad

    # A gradient through many rounds is a product of as many rounded factors.
    assert_same(program(torchlike), program(torch), rtol=1e-4, atol=1e-6)


def test_a_carried_tensor_may_start_to_require_grad():
    # PyTorch loses the part of the gradient through the carried tensor, which does not require grad at first.
    w, theirs, start = _leaf(1.0, 2.0), _leaf(1.0, 2.0, library=torch), [0.5, 0.25]
    inner, zero, first = w * 3, torchlike.tensor(0), torchlike.tensor(start)
    y = torchlike.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * inner), (zero, first))[1]
    z, _ = scan(lambda c, x: (c * inner + x, c * x), first, torchlike.ones(3, 2))
    products = associative_scan(lambda a, b: a * b * inner, torchlike.ones(3, 2), 0, combine_mode="generic")
    (y + z + products[2]).sum().backward()
    i = theirs * 3
    (2 * torch.tensor(start) * i**3 + 2 * i**2 + i + 1).sum().backward()
    assert_same(w.grad, theirs.grad)


def test_numbers_and_new_functions_compile_nothing_new():
    x = _leaf(1.0, 2.0)
    counts = []
    for k in range(5):
        y = torchlike.cond(x.sum() > k, lambda x, k=k: x * (k + 0.5), lambda x, k=k: x - k, (x,))
        y, ys = scan(lambda c, row, k=k: (c * k + row, c * row), y, torchlike.ones(3, 2))
        (y.sum() + ys.sum()).backward()
        counts.append(stats.compiles)
    assert counts[2:] == counts[1:2] * 3  # from the second round on, the gradient is added to .grad


def test_a_branch_that_stops_gradients_is_another_program():
    x = _leaf(1.0, 2.0)
    grads = []
    for stop in (False, True, False):
        x.grad = None
        branch = lambda x, stop=stop: (x.detach() if stop else x) * x
        torchlike.cond(x.sum() > 0, branch, lambda x: x + 1, (x,)).sum().backward()
        grads.append(x.grad.tolist())
    assert grads == [[2.0, 4.0], [1.0, 2.0], [2.0, 4.0]]


def test_cond_with_an_overwritten_closure_refuses_backward():
    x = _leaf(1.0, 2.0)
    operand, closure = x * 2, x * 3
    y = torchlike.cond(x.sum() > 0, lambda a: a * closure, lambda a: a + 1, (operand,))
    closure.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_second_backward_needs_the_graph():
    x = _leaf(1.0, 2.0)
    y = torchlike.cond(x.sum() > 0, lambda x: x * x, lambda x: x + 1, (x,)).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4.0, 8.0]
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_a_function_of_autograd_keeps_its_own_backward():
    class Straight(torchlike.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.round()

        @staticmethod
        def backward(ctx, grad):
            return grad * 5

    x = _leaf(1.2, 2.7)
    torchlike.cond(x.sum() > 0, Straight.apply, lambda x: x + 1, (x,)).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_a_tensor_from_outside_is_as_it_was_after_a_refused_write():
    kept = torchlike.ones(2)
    with pytest.raises(RuntimeError, match="mutation"):
        torchlike.cond(kept.sum() > 0, lambda: kept.zero_() + 1, lambda: kept + 1)
    assert kept.tolist() == [1.0, 1.0]


def test_tensors_made_inside_may_be_written_to():
    def branch(x):
        made = torchlike.zeros(3)
        made[0] = x[1]
        made += 1
        return made * x.sum()

    x = _leaf(1.0, 2.0)
    y = torchlike.cond(x.sum() > 0, branch, lambda x: torchlike.ones(3), (x,))
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([9.0, 3.0, 3.0], [5.0, 8.0])


def test_a_tensor_left_behind_says_where_it_was_made():
    left = []
    torchlike.cond(torchlike.tensor(True), lambda x: left.append(x + 1) or x * 2, lambda x: x * 3, (torchlike.ones(2),))
    for use in (lambda: left[0] + 1, lambda: left[0].tolist(), lambda: repr(left[0])):
        with pytest.raises(RuntimeError, match=r"created inside true_fn of torch\.cond is used outside"):
            use()


def test_random_numbers_in_loops_are_drawn_in_each_round():
    def program(library):
        library.manual_seed(3)
        xs = torchlike.ones(3, 2)
        if library is torchlike:
            noisy, _ = scan(lambda c, x: (c + torchlike.rand(2) * x, c * 1), torchlike.zeros(2), xs)
            return noisy.tolist(), map(lambda x: x * torchlike.rand(2), xs).tolist()
        total = torch.zeros(2)
        for _ in range(3):
            total = total + torch.rand(2)
        return total.tolist(), [torch.rand(2).tolist() for _ in range(3)]

    assert program(torchlike) == program(torch)


@pytest.mark.parametrize("executor", ["xla", "numpy", "immediate"])
def test_every_executor(executor):
    x = _leaf(1.0, 2.0)
    with torchlike.set_executor(executor):
        last, ys = scan(lambda c, y: (c * y + x, c - y), x, torchlike.ones(3, 2) * 2)
        (last.sum() + ys.sum()).backward()
        assert x.grad.tolist() == [26.0, 26.0]


def test_forward_mode_is_refused():
    import torchlike.autograd.forward_ad as fwd

    with fwd.dual_level():
        x = fwd.make_dual(torchlike.ones(2), torchlike.ones(2))
        with pytest.raises(NotImplementedError, match="forward-mode differentiation of cond"):
            torchlike.cond(torchlike.tensor(True), lambda x: x * 2, lambda x: x * 3, (x,))


def test_nested_recordings_close_over_the_outer_inputs():
    def step(carry, row):
        inner = torchlike.cond(row.sum() > 2, lambda c: c * row, lambda c: c - row, (carry,))
        return inner, torchlike.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * inner), (0, row))[1]

    def plain(carry, row):
        inner = carry * row if row.sum() > 2 else carry - row
        return inner, row * inner * inner

    rows = [[1.0, 0.5], [1.5, 2.0], [0.5, 0.5]]
    x, theirs = _leaf(1.0, 2.0), _leaf(1.0, 2.0, library=torch)
    last, ys = scan(step, x, torchlike.tensor(rows))
    (last.sum() + ys.sum()).backward()
    carry, total = theirs, 0
    for row in torch.tensor(rows):
        carry, y = plain(carry, row)
        total = total + y.sum()
    (carry.sum() + total).backward()
    assert_same((last.detach(), x.grad), (carry.detach(), theirs.grad))
