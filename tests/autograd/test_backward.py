"""`backward` and `grad` with every argument, and their errors."""

import pytest

from tests.autograd.library import compare, leaf, log, programs, torch


def nonscalar():
    x = leaf()
    return (x * 2).backward()


def nograd():
    return torch.ones(1).sum().backward()


def shape():
    x = leaf()
    return (x * 2).backward(torch.ones(3))


def count():
    x = leaf()
    return torch.autograd.backward([x.sum(), x.sum()], [torch.ones(())])


def count_grad():
    x = leaf()
    return torch.autograd.grad([x.sum(), x.sum()], x, [torch.ones(())])


def none_in_list():
    x = leaf()
    return torch.autograd.grad([x.sum(), x * 2], x, [None, torch.ones(2)])


def empty_inputs():
    x = leaf()
    return x.sum().backward(inputs=[])


def grad_variables():
    x = leaf()
    return (torch.autograd.backward(x * 2, grad_variables=torch.ones(2)), x.grad)


def both_gv():
    x = leaf()
    return torch.autograd.backward(x * 2, torch.ones(2), grad_variables=torch.ones(2))


def only_inputs():
    x = leaf()
    return torch.autograd.grad(x.sum(), x, only_inputs=False)


def allow_unused_f_mat():
    x = leaf()
    return torch.autograd.grad(x.sum(), x, allow_unused=False, materialize_grads=True)


def unused():
    x = leaf()
    return torch.autograd.grad(x.sum(), [x, leaf()])


def allow():
    x = leaf()
    return torch.autograd.grad(x.sum(), [x, leaf()], allow_unused=True)


def mat():
    x = leaf()
    return torch.autograd.grad(x.sum(), [x, leaf()], materialize_grads=True)


def noreq():
    x = leaf()
    return torch.autograd.grad(x.sum(), [torch.ones(1)])


def batched():
    x = leaf()
    return torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)


def batched2():
    x = leaf()
    return torch.autograd.grad(
        [x * x, x.sum()], [x, leaf()], [torch.ones(3, 2), torch.ones(3)], is_grads_batched=True, allow_unused=True
    )


def batched_bad():
    x = leaf()
    return torch.autograd.grad(x * x, x, torch.ones(2), is_grads_batched=True)


def batched_none():
    x = leaf()
    return torch.autograd.grad((x * x).sum(), x, is_grads_batched=True)


def complex():
    return torch.tensor([1j], requires_grad=True).sum().backward()


def complex2():
    return (lambda z: ((z * z.conj()).sum().backward(torch.tensor(1 + 0j)), z.grad))(
        torch.tensor([1j], requires_grad=True)
    )


def real_out_complex_grad():
    x = leaf()
    return (x * 2).backward(torch.ones(2) * 1j)


def complex_out_real_grad():
    return (lambda z: ((z * 2).backward(torch.ones(1)), z.grad))(torch.tensor([1j], requires_grad=True))


def double_grad():
    x = leaf()
    return ((x * 2).backward(torch.ones(2).double()), x.grad)


def grad_tensors_int():
    x = leaf()
    return (x * 2).backward(torch.ones(2).long())


def grad_str():
    x = leaf()
    return torch.autograd.backward(x.sum(), "a")


def notensor():
    return torch.autograd.backward(3)


def notensor2():
    return torch.autograd.grad(3, leaf())


def notensor3():
    return torch.autograd.grad(leaf().sum(), 3)


def grad_out_float():
    x = leaf()
    return torch.autograd.grad(x.sum(), x, 3.0)


def empty_outputs():
    x = leaf()
    return torch.autograd.grad([], x)


def dup_inputs():
    x = leaf()
    return torch.autograd.grad((x * 2).sum(), [x, x])


def inputs_nonleaf():
    x = leaf()
    return (lambda y: ((y * 2).sum().backward(inputs=[y]), y.grad, x.grad))(x * 1)


def inputs_no_req():
    x = leaf()
    return (x * 2).sum().backward(inputs=[torch.ones(1)])


def inputs_unused():
    x = leaf()
    return (x * 2).sum().backward(inputs=[leaf()])


def grad_of_self():
    x = leaf()
    return torch.autograd.grad(x, x, torch.ones(2))


def retain():
    x = leaf()
    return (
        lambda y: (torch.autograd.grad(y, x, retain_graph=True), torch.autograd.grad(y, x), torch.autograd.grad(y, x))
    )((x * x).sum())


def third():
    x = leaf()
    return (
        lambda g: (lambda h: torch.autograd.grad(h.sum(), x))(torch.autograd.grad(g.sum(), x, create_graph=True)[0])
    )(torch.autograd.grad((x**4).sum(), x, create_graph=True)[0])


def grad_fn_set():
    x = leaf()
    return setattr(x * 2, "requires_grad", False)


def intreq():
    return torch.ones(2, dtype=torch.int64, requires_grad=True)


def leaf_inplace():
    x = leaf()
    return x.add_(1)


def leaf_view_inplace():
    x = leaf()
    return x[0].add_(1)


def numpy():
    x = leaf()
    return x.numpy()


def deepcopy():
    x = leaf()
    return __import__("copy").deepcopy(x * 2)


def nonleaf_grad():
    x = leaf()
    return (x * 2).grad


def twice():
    x = leaf()
    return (lambda y: (y.backward(), y.backward()))((x * x).sum())


def saved_modified():
    x = leaf()
    return (lambda y: (lambda z: (y.add_(1), z.backward()))((y * y).sum()))(x * 1)


def grad_assign_shape():
    x = leaf()
    return setattr(x, "grad", torch.ones(3))


def grad_assign_type():
    x = leaf()
    return setattr(x, "grad", 3)


def grad_assign_dtype():
    x = leaf()
    return setattr(x, "grad", torch.ones(2).double())


def variable():
    return torch.autograd.Variable(torch.ones(1))


def variable_req():
    return torch.autograd.Variable(torch.ones(1), requires_grad=True)


def expand_inplace():
    return torch.ones(1).expand(3).add_(1)


def nograd_view_inplace():
    x = leaf().clone()
    with torch.no_grad():
        v = x[0]
    v.add_(1)


def unbind_inplace():
    x = leaf() * 1
    a, _b = x.unbind()
    a.add_(1)


def split_inplace():
    x = leaf() * 1
    a, _b = x.split(1)
    a.add_(1)


def chunk_inplace():
    x = leaf() * 1
    a, _b = x.chunk(2)
    a.add_(1)


def materialized_gradients():
    x, unused = leaf(), torch.tensor([float("inf"), 1.0], requires_grad=True)
    for options in ({}, {"create_graph": True}, {"is_grads_batched": True}):
        weights = torch.ones(2, *x.shape) if "is_grads_batched" in options else torch.ones(x.shape)
        grads = torch.autograd.grad(x * 2, [x, unused], weights, materialize_grads=True, **options)
        log([(g, g.requires_grad, g.is_leaf) for g in grads])
    torch.autograd.grad(x.sum(), torch.autograd.graph.get_gradient_edge(unused * 2), materialize_grads=True)


def a_leaf_is_differentiated_twice():
    x, one = leaf(), torch.ones(2)
    x.register_hook(lambda grad: log(grad.clone()))
    torch.autograd.backward([x, x, x.sin()], [one, one * 2, one])
    torch.autograd.backward([x, x], [one, one * 2], inputs=[x])
    return x.grad, torch.autograd.grad([x, x.exp(), x], [x], [one, one, one * 4])


def a_refused_block_leaves_no_mode_open():
    for _ in range(2):
        with torch.autograd.graph.disable_saved_tensors_hooks("none here"):
            try:
                with torch.autograd.graph.allow_mutation_on_saved_tensors():
                    log("entered")
            except RuntimeError as error:
                log(str(error))
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        x = leaf()
        y = x.exp()
        loss = y.sin().sum()
        y.mul_(2)
        loss.backward()
    return x.grad


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_backward_programs_equal_pytorchs(program):
    compare(program, stride=False)  # in PyTorch the gradient of a sum is expanded: its strides are zero
