"""Copies of tensors by `copy` and `pickle`: their gradient graphs, hooks, gradients and memory."""

import copy
import pickle

import pytest

from tests.autograd.library import compare, leaf, log, programs, torch


def _by_pickle(x):
    return pickle.loads(pickle.dumps(x))


def _facts(x):
    return x.requires_grad, x.is_leaf, x.grad_fn is None, type(x).__name__, x.grad, x.stride(), x.detach()


def copies_of_leaves_and_others():
    x = leaf()
    for make in (_by_pickle, copy.copy):
        for t in (x, x * 2, (x * 2)[1:], x.detach(), torch.nn.Parameter(torch.ones(2)), torch.arange(3)):
            log(_facts(make(t)))
    log([_facts(t) for t in _by_pickle([x, x * 2])])


def a_history_is_not_copied_deeply():
    copy.deepcopy({"a": leaf() * 2})


def hooks_and_attributes():
    for make in (_by_pickle, copy.copy, copy.deepcopy):
        for kind in (torch.Tensor.requires_grad_, torch.nn.Parameter):
            x = kind(torch.ones(2))
            x.register_hook(lambda g: log("hook"))
            x.register_post_accumulate_grad_hook(lambda p: log("accumulated"))
            x.note = 5
            made = make(x)
            made.sum().backward()
            log(getattr(made, "note", None), made.grad)


def a_retained_gradient():
    y = leaf() * 2
    y.retain_grad()
    made = _by_pickle(y)
    return made.retains_grad, made.__dict__, made.requires_grad


def a_deep_copy_of_a_module_has_no_gradients():
    module = torch.nn.Linear(2, 2)
    module(torch.ones(1, 2)).sum().backward()
    made = copy.deepcopy(module)
    twice = copy.deepcopy([module.weight, module.weight])
    return made.weight.grad, made.weight.requires_grad, made.weight, twice[0] is twice[1]


def a_deep_copy_of_a_leaf_has_its_gradient():
    x = leaf()
    x.sum().backward()
    return copy.deepcopy(x).grad


def a_shallow_copy_shares_memory():
    x = torch.arange(4.0)
    view = copy.copy(x[1:])
    view.add_(1)
    parameter = torch.nn.Parameter(torch.ones(2))
    same = copy.copy(parameter)
    with torch.no_grad():
        same.mul_(3)
    wide = copy.copy(torch.ones(1, requires_grad=True).expand(3))
    return x, view._is_view(), parameter, type(same).__name__, wide.stride(), wide.requires_grad


def tensors_without_data():
    for t in (torch.empty(2, 3, device="meta").t(), torch.nn.Parameter(torch.empty(2, device="meta"))):
        made = _by_pickle(t)
        log(made.shape, made.stride(), made.device.type, made.requires_grad, type(made).__name__)


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_copies_programs_equal_pytorchs(program):
    compare(program, stride=False)
