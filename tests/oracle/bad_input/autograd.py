"""The gradient graph: leaves, backward, saved tensors, writes to views, and hooks."""

import copy

from tests.oracle.bad_input._programs import leaf


def leaf_view_in_place(torch):
    leaf(torch, 2)[0].mul_(2)


def leaf_view_in_place_after_no_grad(torch):
    with torch.no_grad():
        view = leaf(torch, 2)[0]
    view.mul_(2)


def result_view_made_under_no_grad_in_place(torch):
    result = leaf(torch, 2) * 2
    with torch.no_grad():
        view = result[0]
    view.mul_(2)


def base_of_a_view_made_under_no_grad_in_place(torch):
    result = leaf(torch, 2) * 2
    with torch.no_grad():
        view = result[0]
    result.mul_(2)
    return view.grad_fn


def _one_of_several_in_place(torch, split):
    split(leaf(torch, 4) * 2)[0].mul_(2)


def base_of_several_in_place(torch):
    result = leaf(torch, 4) * 2
    part = result.unbind()[0]
    result.mul_(2)
    return part + 1


def backward_twice(torch):
    loss = (leaf(torch, 2) ** 2).sum()
    loss.backward()
    loss.backward()


def backward_through_a_shared_part_twice(torch):
    shared = leaf(torch, 2).exp()
    shared.sum().backward()
    (shared * 2).sum().backward()


def grad_twice(torch):
    x = leaf(torch, 2)
    loss = (x**2).sum()
    torch.autograd.grad(loss, x)
    torch.autograd.grad(loss, x)


def backward_under_no_grad(torch):
    with torch.no_grad():
        loss = (leaf(torch, 2) * 2).sum()
    loss.backward()


def saved_result_changed(torch):
    middle = leaf(torch, 2) * 2
    loss = middle.exp().mul(middle).sum()
    middle.add_(1)
    loss.backward()


def saved_exp_changed(torch):
    result = leaf(torch, 2).exp()
    result.add_(1).mul_(3)
    result.sum().backward()


def saved_input_changed_through_a_view(torch):
    middle = leaf(torch, 2, 3) * 2
    loss = (middle**2).sum()
    middle[0].zero_()
    loss.backward()


def saved_constant_changed(torch):
    constant = torch.ones(2)
    loss = (leaf(torch, 2) * constant).sum()
    constant += 1
    loss.backward()


def saved_double_changed(torch):
    middle = torch.ones(2, 3, dtype=torch.float64, requires_grad=True).sigmoid()
    middle.mul_(2).sum().backward()


def saved_version_raised(torch):
    constant = torch.ones(2)
    loss = (leaf(torch, 2) * constant).sum()
    torch.autograd.graph.increment_version(constant)
    loss.backward()


def saved_index_changed(torch):
    index = torch.tensor([0, 1])
    loss = leaf(torch, 3)[index].sum()
    index += 1
    loss.backward()


def unused_input(torch):
    a, b = leaf(torch, 2), leaf(torch, 2)
    torch.autograd.grad(a.sum(), [a, b])


def unused_input_materialized(torch):
    a, b = leaf(torch, 2), leaf(torch, 2)
    torch.autograd.grad(a.sum(), [a, b], allow_unused=False, materialize_grads=True)


def requires_grad_through_a_copy(torch):
    x = leaf(torch, 2)
    x.copy_(torch.ones(2))


def flag_lowered_on_a_view_of_a_leaf(torch):
    leaf(torch, 2)[0].requires_grad_(False)


def detach_a_view_in_place(torch):
    (leaf(torch, 2) * 2)[0].detach_()


def detach_one_of_several_in_place(torch):
    (leaf(torch, 2) * 2).unbind()[0].detach_()


def output_number_of_a_view_in_place(torch):
    _, second = (leaf(torch, 2, 3) * 2).unbind(0)
    second.add_(1)


def _grad(torch, outputs, inputs, *args, **kwargs):
    return torch.autograd.grad(outputs, inputs, *args, **kwargs)


ROWS = {
    # leaves
    "leaf in place": lambda torch: leaf(torch, 2).add_(1),
    "leaf in place by an operator": lambda torch: leaf(torch, 2).__iadd__(1),
    "leaf item assignment": lambda torch: leaf(torch, 2).__setitem__(0, 1.0),
    "leaf filled": lambda torch: leaf(torch, 2).zero_(),
    "leaf drawn": lambda torch: leaf(torch, 2).normal_(),
    "leaf written by an index": lambda torch: leaf(torch, 2).index_fill_(0, torch.tensor([0]), 1.0),
    "leaf masked": lambda torch: leaf(torch, 2).masked_fill_(torch.ones(2) > 0, 1.0),
    "leaf transposed in place": lambda torch: leaf(torch, 2, 3).t_(),
    "leaf of a parameter": lambda torch: torch.nn.Linear(2, 2).weight.mul_(2),
    "leaf view flattened in place": lambda torch: leaf(torch, 2, 3).view(-1).mul_(2),
    "detached in place": lambda torch: leaf(torch, 2)[0].detach_(),
    "requires_grad of a result": lambda torch: setattr(leaf(torch, 2) * 2, "requires_grad", False),
    "requires_grad_ of a result": lambda torch: (leaf(torch, 2) * 2).requires_grad_(False),
    "requires_grad of text": lambda torch: setattr(torch.ones(2), "requires_grad", "a"),
    "requires_grad_ of text": lambda torch: torch.ones(2).requires_grad_("a"),
    "grad_fn assigned": lambda torch: setattr(leaf(torch, 2), "grad_fn", None),
    "grad of another shape": lambda torch: setattr(leaf(torch, 2), "grad", torch.ones(3)),
    "grad of no tensor": lambda torch: setattr(leaf(torch, 2), "grad", 1.0),
    "grad of itself": lambda torch: (lambda x: setattr(x, "grad", x))(leaf(torch, 2)),
    "grad of another dtype": lambda torch: setattr(leaf(torch, 2), "grad", torch.ones(2).long()),
    "grad of an integer tensor": lambda torch: setattr(torch.arange(2), "grad", torch.ones(2)),
    "retain_grad of a constant": lambda torch: torch.ones(2).retain_grad(),
    "deepcopy of a result": lambda torch: copy.deepcopy(leaf(torch, 2) * 2),
    "deepcopy of a view": lambda torch: copy.deepcopy(leaf(torch, 2)[0]),
    "Parameter of a number": lambda torch: torch.nn.Parameter(3.0),
    "version assigned": lambda torch: setattr(torch.ones(2), "_version", 3),
    "version raised of a number": lambda torch: torch.autograd.graph.increment_version(3),
    # views that do not support in-place writes
    "one of unbind": lambda torch: _one_of_several_in_place(torch, lambda x: x.unbind()),
    "one of split": lambda torch: _one_of_several_in_place(torch, lambda x: x.split(2)),
    "one of split with sizes": lambda torch: _one_of_several_in_place(torch, lambda x: x.split([1, 3])),
    "one of chunk": lambda torch: _one_of_several_in_place(torch, lambda x: x.chunk(2)),
    "one of an iteration": lambda torch: _one_of_several_in_place(torch, list),
    # backward and grad
    "backward of a vector": lambda torch: (leaf(torch, 2) * 2).backward(),
    "backward of a complex number": lambda torch: (leaf(torch) * 1j).backward(),
    "backward of a constant": lambda torch: torch.ones(2).sum().backward(),
    "backward with a gradient of another shape": lambda torch: (leaf(torch, 2) * 2).backward(torch.ones(3)),
    "backward with a number": lambda torch: (leaf(torch, 2) * 2).backward(3.0),
    "backward with text": lambda torch: (leaf(torch, 2) * 2).backward("a"),
    "backward to no inputs": lambda torch: leaf(torch, 2).sum().backward(inputs=[]),
    "backward to a constant": lambda torch: leaf(torch, 2).sum().backward(inputs=[torch.ones(2)]),
    "backward to text": lambda torch: leaf(torch, 2).sum().backward(inputs=["a"]),
    "backward of several with too few gradients": lambda torch: torch.autograd.backward(
        [leaf(torch, 2) * 2, leaf(torch, 2) * 2], [torch.ones(2)]
    ),
    "backward of text": lambda torch: torch.autograd.backward("a"),
    "backward of a number": lambda torch: torch.autograd.backward(3),
    "backward without": lambda torch: torch.autograd.backward(),
    "backward of both names": lambda torch: torch.autograd.backward(
        leaf(torch), grad_tensors=torch.ones(()), grad_variables=torch.ones(())
    ),
    "grad to a constant": lambda torch: _grad(torch, leaf(torch, 2).sum(), torch.ones(2)),
    "grad to none": lambda torch: _grad(torch, leaf(torch, 2).sum(), []),
    "grad to a number": lambda torch: _grad(torch, leaf(torch, 2).sum(), 3),
    "grad to text": lambda torch: _grad(torch, leaf(torch, 2).sum(), ["a"]),
    "grad of none": lambda torch: _grad(torch, [], leaf(torch, 2)),
    "grad of a vector": lambda torch: (lambda x: _grad(torch, x * 2, x))(leaf(torch, 2)),
    "grad of a constant": lambda torch: _grad(torch, torch.ones(()), leaf(torch, 2)),
    "grad with another shape": lambda torch: (lambda x: _grad(torch, x * 2, x, torch.ones(3)))(leaf(torch, 2)),
    "grad with another dtype": lambda torch: (lambda x: _grad(torch, x * 1j, x, torch.ones(2)))(leaf(torch, 2)),
    "batched grad of another shape": lambda torch: (
        lambda x: _grad(torch, x * 2, x, torch.ones(4, 3), is_grads_batched=True)
    )(leaf(torch, 2)),
    "batched grad of a scalar": lambda torch: (
        lambda x: _grad(torch, x.sum(), x, torch.tensor(1.0), is_grads_batched=True)
    )(leaf(torch, 2)),
    "gradient edge of a constant": lambda torch: torch.autograd.graph.get_gradient_edge(torch.ones(2)),
    "gradient edge of a number": lambda torch: torch.autograd.graph.get_gradient_edge(3),
    "detect_anomaly of text": lambda torch: torch.autograd.set_detect_anomaly("a"),
    "set_grad_enabled of text": lambda torch: torch.set_grad_enabled("a"),
}
