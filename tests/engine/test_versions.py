"""Backward raises an error for an overwritten saved tensor exactly where PyTorch does."""

import pytest
import torch

import torchlike
from tests.engine.versions import FURTHER, OPERATORS
from tests.oracle import both, outcome


def _input(library):
    leaf = library.linspace(0.1, 0.8, 16).view(4, 4).requires_grad_()
    return leaf, leaf * 1


def _write_input(program, library):
    _, middle = _input(library)
    result = program(library, middle)
    middle.add_(0)
    result.sum().backward()


def _write_result(program, library):
    _, middle = _input(library)
    result = program(library, middle)
    total = result.sum()
    result.add_(0) if result.ndim else result.mul_(1)
    total.backward()


def _write_further(program, library):
    _, middle = _input(library)
    result, further = program(library, middle)
    with library.no_grad():
        further.zero_()
    result.sum().backward()


@pytest.fixture
def _nothing_runs(monkeypatch):
    """Disable the flush of the backward pass, which would compile a program for each operator."""
    monkeypatch.setattr(torchlike._transforms.backward, "boundary", lambda: None)


@pytest.mark.parametrize("write", [_write_input, _write_result], ids=["input", "result"])
@pytest.mark.parametrize("name", OPERATORS)
def test_overwriting_a_saved_tensor_raises_pytorchs_error(name, write, _nothing_runs):
    theirs, ours = (outcome(lambda lib: write(OPERATORS[name], lib), library) for library in (torch, torchlike))
    assert ours.sentence == theirs.sentence


@pytest.mark.parametrize("name", FURTHER)
def test_further_results_that_pytorch_keeps_must_not_be_overwritten(name, _nothing_runs):
    theirs, ours = (outcome(lambda lib: _write_further(FURTHER[name], lib), lib) for lib in (torch, torchlike))
    assert ours.sentence == theirs.sentence


def _step_between(torch):
    weight = _input(torch)[0]
    optimizer = torch.optim.SGD([weight], lr=0.1)
    second = (torch.ones(2, 4) @ weight @ weight).tanh().sum()
    weight.sum().backward()
    optimizer.step()
    second.backward()


def _through_detached(torch):
    _, middle = _input(torch)
    total = (middle * middle).sum()
    middle.detach().zero_()
    total.backward()


def _through_data(torch):
    leaf, middle = _input(torch)
    total = middle.sin().sum()
    middle.data.mul_(1)
    middle.data[0] = middle.data[0]
    total.backward()
    return leaf.grad


def _under_no_grad(torch):
    leaf, middle = _input(torch)
    total = (leaf * middle).sum()
    with torch.no_grad():
        leaf += 1
    total.backward()


def _base_of_a_view(torch):
    _, middle = _input(torch)
    total = middle.t().sin().sum()
    middle[0, 0] = 5.0
    total.backward()


def _view_of_a_base(torch):
    _, middle = _input(torch)
    total = middle.sin().sum()
    middle.view(16)[3:].zero_()
    total.backward()


def _view_of_a_result(torch):
    _, middle = _input(torch)
    result = middle.exp()
    total = result.sum()
    result[0].zero_()
    total.backward()


def _copied_then_source_changed(torch):
    leaf, middle = _input(torch)
    source, buffer = torch.ones(4, 4), torch.zeros(4, 4)
    buffer.copy_(source)
    total = (middle * buffer).sum()
    source.zero_()
    total.backward()
    return leaf.grad


def _saved_after_the_write(torch):
    leaf, middle = _input(torch)
    middle.mul_(2)
    (middle * middle).sum().backward()
    return leaf.grad


def _chain_in_place(torch):
    leaf, middle = _input(torch)
    middle.mul_(2).add_(1).relu_()
    middle[0].add_(middle[1])
    middle.addmm_(torch.ones(4, 4), torch.ones(4, 4))
    middle.sum().backward()
    return leaf.grad


def _residual_block(torch):
    leaf, middle = _input(torch)
    out = torch.nn.functional.relu(middle + 1, inplace=True)
    out = torch.nn.functional.linear(out, torch.ones(4, 4))
    out += leaf
    torch.nn.functional.relu(out, inplace=True).sum().backward()
    return leaf.grad


def _gradients_zeroed(torch):
    leaf, middle = _input(torch)
    (middle * middle).sum().backward(create_graph=True)
    norm = (leaf.grad * leaf.grad).sum()
    leaf.grad = None
    norm.backward()
    return leaf.grad


def _second_owner_zeroed(torch):
    leaf = torch.ones(4, requires_grad=True)
    total = (leaf * leaf.detach().clone()).sum()
    total.backward(retain_graph=True)
    leaf.grad.zero_()
    total.backward()
    return leaf.grad


def _saved_by_a_function(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    _, middle = _input(torch)
    total = Square.apply(middle).sum()
    middle.add_(1)
    total.backward()


def _running_statistics(torch):
    torch.manual_seed(0)
    layer = torch.nn.BatchNorm1d(4)
    leaf, middle = _input(torch)
    (layer(middle) * layer(middle + 1)).sum().backward()
    return leaf.grad, layer.num_batches_tracked


PROGRAMS = [
    _step_between,
    _through_detached,
    _through_data,
    _under_no_grad,
    _base_of_a_view,
    _view_of_a_base,
    _view_of_a_result,
    _copied_then_source_changed,
    _saved_after_the_write,
    _chain_in_place,
    _residual_block,
    _gradients_zeroed,
    _second_owner_zeroed,
    _saved_by_a_function,
    _running_statistics,
]


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__.strip("_"))
def test_programs_of_writes_equal_pytorchs(program):
    both(program)
