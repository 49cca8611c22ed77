"""Module hooks, forward and backward, for one module and for all modules, and the errors of invalid hooks."""

import pytest

from tests.autograd.library import compare, leaf, log, programs, torch


def _net():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))


def _input():
    return leaf(1.0, 2.0).detach()[None].clone().requires_grad_()


def _product():
    class Product(torch.nn.Module):
        def forward(self, a, b):
            return a * b, a + b

    return Product()


def full_backward_hooks_of_every_layer():
    net = _net()
    for layer in net:
        layer.register_full_backward_hook(lambda m, before, after: log(type(m).__name__, before, after))
    net(_input()).sum().backward()


def full_backward_pre_hooks_replace():
    net, x = _net(), _input()
    for layer in net:
        layer.register_full_backward_pre_hook(lambda m, grads: log(type(m).__name__) or (grads[0] * 2,))
    net(x).sum().backward()
    return x.grad


def full_backward_hook_replaces():
    net, x = _net(), _input()
    net[0].register_full_backward_hook(lambda m, before, after: (before[0] * 3,))
    net(x).sum().backward()
    return x.grad, net[0].weight.grad


def too_many_gradients():
    net = _net()
    net[0].register_full_backward_hook(lambda m, before, after: (before[0], before[0]))
    net(_input()).sum().backward()


def input_without_gradient():
    net = _net()
    net[0].register_full_backward_hook(lambda m, before, after: log(before))
    net(torch.ones(1, 2)).sum().backward()


def old_backward_hook():
    net = _net()
    net[0].register_backward_hook(lambda m, before, after: log(len(before), len(after)))
    net(_input()).sum().backward()


def old_and_full_do_not_mix():
    net = _net()
    net[0].register_backward_hook(print)
    net[0].register_full_backward_hook(print)


def global_hooks():
    net, module = _net(), torch.nn.modules.module
    handles = [
        module.register_module_full_backward_hook(lambda m, before, after: log("after", type(m).__name__)),
        module.register_module_full_backward_pre_hook(lambda m, after: log("before", type(m).__name__)),
        module.register_module_forward_hook(lambda m, args, result: log("forward", type(m).__name__)),
        module.register_module_forward_pre_hook(lambda m, args: log("pre", type(m).__name__)),
    ]
    net(_input()).sum().backward()
    for handle in handles:
        handle.remove()
    net(_input())


def several_inputs_and_outputs():
    product, x = _product(), _input()
    product.register_full_backward_hook(lambda m, before, after: log(before, after))
    a, b = product(x, x * 2)
    (a.sum() + b.sum()).backward()
    return x.grad


def result_that_is_no_tensor():
    class Named(torch.nn.Module):
        def forward(self, a):
            return {"result": a * 2}

    named = Named()
    named.register_full_backward_hook(lambda m, before, after: log("called"))
    named(_input())["result"].sum().backward()


def order_of_nested_modules():
    net = _net()
    net.register_full_backward_hook(lambda m, before, after: log("outer"))
    net[0].register_full_backward_hook(lambda m, before, after: log("inner"))
    net.register_full_backward_pre_hook(lambda m, after: log("outer, before"))
    net.register_full_backward_hook(lambda m, before, after: log("first"), prepend=True)
    net(_input()).sum().backward()


def in_place_behind_a_hook():
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(inplace=True))
    net[0].register_full_backward_hook(lambda m, before, after: None)
    net(_input()).sum().backward()


def called_even_where_forward_fails():
    net = _net()
    net[0].register_forward_hook(
        lambda m, args, kwargs, result: log(len(args), sorted(kwargs)), with_kwargs=True, always_call=True
    )
    try:
        net[0](torch.ones(1, 5))
    except RuntimeError:
        log("raised")


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def what_did_not_arrive():
    def seen(grads):
        return [None if g is None else g.clone() for g in grads]

    class Both(torch.nn.Module):
        def forward(self, a, b):
            return a * 2, b * 3

    module, x, y = Both(), leaf(), leaf()
    module.register_full_backward_pre_hook(lambda m, grads: log("before", seen(grads)))
    module.register_full_backward_hook(lambda m, before, after: log(seen(before), seen(after)))
    module(x, y)[0].sum().backward()
    module(x, torch.ones(2))[0].sum().backward()
    module(x.detach(), y)[1].sum().backward()
    return x.grad, y.grad


def hooks_of_registration():
    everywhere = torch.nn.modules.module
    handles = [
        everywhere.register_module_parameter_registration_hook(lambda m, name, x: log("parameter", name, x.shape)),
        everywhere.register_module_buffer_registration_hook(lambda m, name, x: log("buffer", name)),
        everywhere.register_module_module_registration_hook(lambda m, name, x: log("module", name, type(x).__name__)),
        everywhere.register_module_parameter_registration_hook(
            lambda m, name, x: torch.nn.Parameter(x.detach() * 0 + 3) if name == "weight" else None
        ),
    ]
    try:
        net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    finally:
        for handle in handles:
            handle.remove()
    return net[0].weight, torch.nn.Linear(2, 2, bias=False).weight.shape


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_module_hooks_programs_equal_pytorchs(program):
    compare(program, stride=False)
