"""Hooks on saved tensors, tensors, nodes and gradient edges. Each program runs under both libraries."""

import pytest

from tests.autograd.library import compare, leaf, log, programs, torch


def packwrite():
    x = leaf()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
        x * x


def badunpack():
    x = leaf()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = x * x
    y.sum().backward()


def broadcast():
    x = leaf()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t[:1]):
        y = x * x
    y.sum().backward()
    return x.grad


def dis():
    with torch.autograd.graph.disable_saved_tensors_hooks("msg"):
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
            pass


def dis2():
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
        with torch.autograd.graph.disable_saved_tensors_hooks("msg"):
            pass


def nc():
    return torch.autograd.graph.saved_tensors_hooks(1, 2).__enter__()


def save_on_cpu():
    x = leaf()
    with torch.autograd.graph.save_on_cpu():
        y = (x * x * x).sum()
    y.backward()
    return x.grad


def twice():
    x = leaf()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = (x * x).sum()
    y.backward()
    y.backward()


def hook_modif():
    x = leaf()
    z = x * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = (z * z).sum()
    z.add_(1)
    y.backward()
    return x.grad


def allow_mut():
    x = leaf()
    z = x * 1
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = (z * z).sum()
        z.mul_(5)
        y.backward()
    return x.grad


def allow_mut_outside():
    x = leaf()
    z = x * 1
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = (z * z).sum()
        z.mul_(5)
    y.backward()


def allow_nested():
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        with torch.autograd.graph.allow_mutation_on_saved_tensors():
            pass


def incr():
    x = leaf()
    z = x * 1
    y = (z * z).sum()
    v = z._version
    torch.autograd.graph.increment_version(z)
    log(v, z._version)
    y.backward()


def incr2():
    x = leaf()
    torch.autograd.graph.increment_version([x])
    log(x._version)
    (x * x).sum().backward()
    return x.grad


def edge_none():
    return torch.autograd.graph.get_gradient_edge(torch.ones(2))


def edge_root():
    x = leaf()
    y = x * 2
    e = torch.autograd.graph.get_gradient_edge(y)
    torch.autograd.backward(e, torch.ones(2))
    return x.grad


def edge_root2():
    x = leaf()
    y = x * 2
    e = torch.autograd.graph.get_gradient_edge(y.sum())
    torch.autograd.backward(e)
    return x.grad


def edge_bw_inputs():
    x = leaf()
    y = x * 2
    e = torch.autograd.graph.get_gradient_edge(x)
    (y * 3).sum().backward(inputs=e)
    return x.grad


def multi_any():
    x, y = (leaf(), leaf(3.0, 4.0))
    c = x * y
    log = []
    torch.autograd.graph.register_multi_grad_hook((x, y, c, torch.ones(1)), lambda g: log.append(g), mode="any")
    c.sum().backward(retain_graph=True)
    c.sum().backward()
    return log


def multi_mode():
    return torch.autograd.graph.register_multi_grad_hook((leaf(),), print, mode="x")


def multi_nograd():
    return torch.autograd.graph.register_multi_grad_hook((torch.ones(1),), print)


def tensor_hook():
    x = leaf()
    log = []
    h = x.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: log.append(g.tolist()))
    (x * 3).sum().backward()
    h.remove()
    (x * 3).sum().backward()
    return (log, x.grad)


def retain_after_hook():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    (y * 3).sum().backward()
    return (y.grad, x.grad)


def hook_inplace():
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.mul_(3)
    y.register_hook(lambda g: g + 1)
    y.retain_grad()
    y.sum().backward()
    return (y.grad, x.grad)


def retain_inplace():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    y.sum().backward()
    return (y.grad, x.grad, y.retains_grad)


def hook_type():
    return (lambda x: (x.register_hook(lambda g: 3), (x * 2).sum().backward()))(leaf())


def hook_shape():
    return (lambda x: (x.register_hook(lambda g: torch.ones(3)), (x * 2).sum().backward()))(leaf())


def hook_shape_nl():
    x = leaf()
    y = x * 1
    y.register_hook(lambda g: torch.ones(3))
    (y * 2).sum().backward()


def hook_dtype_nl():
    x = leaf()
    y = x * 1
    y.register_hook(lambda g: g.double())
    (y * 2).sum().backward()
    return x.grad


def hook_nograd():
    return torch.ones(2).register_hook(print)


def hook_on_leaf_grad():
    return (lambda x: (x.register_hook(lambda g: g * 7), torch.autograd.grad((x * 2).sum(), x))[1])(leaf())


def post_acc():
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda t: log.append((t.grad.tolist(), t is x)))
    (x * 3).sum().backward()
    (x * 3).sum().backward()
    torch.autograd.grad((x * 1).sum(), x)
    (x * 1).sum().backward(inputs=[x])
    return log


def post_acc_nonleaf():
    return (leaf() * 2).register_post_accumulate_grad_hook(print)


def post_acc_nograd():
    return torch.ones(1).register_post_accumulate_grad_hook(print)


def post_acc_none():
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda t: setattr(t, "grad", None))
    (x * 3).sum().backward()
    return x.grad


def node_hooks():
    x = leaf()
    y = x * 2
    log = []
    y.grad_fn.register_prehook(lambda g: (log.append(("pre", g)), (g[0] * 2,))[1])
    h = y.grad_fn.register_hook(
        lambda gi, go: (log.append(("post", gi, go)), tuple(None if g is None else g * 5 for g in gi))[1]
    )
    y.sum().backward(retain_graph=True)
    h.remove()
    y.sum().backward()
    return (log, x.grad)


def acc_hooks():
    x = leaf()
    log = []
    acc = (x * 2).grad_fn.next_functions[0][0]
    acc.register_prehook(lambda g: (log.append(g), (g[0] * 2,))[1])
    acc.register_hook(lambda gi, go: log.append((gi, go)))
    (x * 3).sum().backward()
    return (log, x.grad, acc.variable is x, acc.name(), acc.next_functions)


def node_hook_count():
    x = leaf()
    y = x * 2
    y.grad_fn.register_hook(lambda gi, go: (gi[0], gi[0], gi[0]))
    y.sum().backward()


def node_hook_nontuple():
    x = leaf()
    y = x * 2
    y.grad_fn.register_hook(lambda gi, go: gi[0])
    y.sum().backward()
    return x.grad


def node_prehook_nontuple():
    x = leaf()
    y = x * 2
    y.grad_fn.register_prehook(lambda g: g[0] * 2)
    y.sum().backward()
    return x.grad


def node_api():
    x = leaf()
    y = x * 2
    z = y * y
    return (
        [(n and n.name(), i) for n, i in z.grad_fn.next_functions],
        y.grad_fn.metadata,
        y.grad_fn.name(),
        isinstance(y.grad_fn, torch.autograd.graph.Node),
        [(n and n.name(), i) for n, i in y.grad_fn.next_functions],
    )


def hook_create_graph():
    x = leaf()
    y = x * 2
    log = []
    y.register_hook(lambda g: log.append(("y", g.requires_grad)))
    (g,) = torch.autograd.grad((y**2).sum(), x, create_graph=True)
    (g * 2).sum().backward()
    return (log, x.grad)


def detach():
    x = leaf()
    x.register_hook(lambda g: g.detach())
    (x * 2).sum().backward()
    return x.grad


def hook_inplace_on_grad():
    x = leaf()
    x.register_hook(lambda g: g.mul_(3) and None)
    (x * 2).sum().backward()
    return x.grad


def retain_grad_nograd():
    return torch.ones(1).retain_grad()


def order():
    x = leaf()
    log = []
    y = x.exp()
    y.register_hook(lambda g: log.append("exp"))
    z = y * 2
    z.register_hook(lambda g: log.append("mul"))
    z.grad_fn.register_prehook(lambda g: log.append("premul"))
    x.register_hook(lambda g: log.append("x"))
    x.register_post_accumulate_grad_hook(lambda t: log.append("post"))
    z.sum().backward()
    return log


def raise_():
    x = leaf()
    y = x * 2

    def boom(g):
        raise ValueError("boom")

    y.register_hook(boom)
    y.sum().backward()


def classes_of_nodes():
    x = leaf()
    y = x * 2
    y[0] = 3.0
    node = y.exp().sum().grad_fn
    while node is not None:
        log(type(node).__name__, node.name(), isinstance(node, torch.autograd.graph.Node), len(node.next_functions))
        node = node.next_functions[0][0] if node.next_functions else None
    edge = torch.autograd.graph.get_gradient_edge(y)
    return type(edge.node).__name__, edge.output_nr, y.grad_fn is y.grad_fn


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_hooks_programs_equal_pytorchs(program):
    compare(program, stride=False)  # in PyTorch the gradient of a sum is expanded: its strides are zero
