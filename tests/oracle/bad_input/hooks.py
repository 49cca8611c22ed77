"""Hooks of every kind, and errors of `autograd.graph`."""

from tests.oracle.bad_input._programs import leaf


def _backward_with(torch, hook):
    result = leaf(torch, 2) * 2
    result.register_hook(hook)
    result.sum().backward()


def _backward_with_node_hook(torch, hook, before=False):
    result = leaf(torch, 2) * 2
    node = result.grad_fn
    (node.register_prehook if before else node.register_hook)(hook)
    result.sum().backward()


def hook_removed_while_in_use(torch):
    def fail(grad):
        raise ValueError("mine")

    _backward_with(torch, fail)


def pack_hook_writes(torch):
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x.add_(1), lambda x: x):
        leaf(torch, 2).exp() * torch.ones(2)
        torch.ones(2) * leaf(torch, 2)


def unpack_hook_returns_text(torch):
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: "a"):
        loss = (leaf(torch, 2) * torch.ones(2)).sum()
    loss.backward()


def saved_tensors_disabled(torch):
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            pass


def full_backward_hook_returns_too_many(torch):
    layer = torch.nn.Linear(2, 2)
    layer.register_full_backward_hook(lambda module, before, after: (before[0], before[0]))
    layer(leaf(torch, 2)).sum().backward()


def full_backward_hook_result_in_place(torch):
    layer = torch.nn.Linear(2, 2)
    layer.register_full_backward_hook(lambda module, before, after: None)
    layer(leaf(torch, 2)).add_(1)


def both_kinds_of_backward_hooks(torch):
    layer = torch.nn.Linear(2, 2)
    layer.register_backward_hook(print)
    layer.register_full_backward_hook(print)


def both_kinds_of_global_backward_hooks(torch):
    modules = torch.nn.modules.module
    handle = modules.register_module_backward_hook(print)
    try:
        modules.register_module_full_backward_hook(print)
    finally:
        handle.remove()


def forward_pre_hook_with_keywords_returns_one(torch):
    layer = torch.nn.Linear(2, 2)
    layer.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)
    layer(torch.ones(2))


def mutation_allowed_is_over(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        x = leaf(torch, 2) * 2
        loss = (x**2).sum()
        x.add_(1)
    loss.backward()


def mutation_allowed_twice(torch):
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        with torch.autograd.graph.allow_mutation_on_saved_tensors():
            pass


def anomaly_of_nan(torch):
    with torch.autograd.detect_anomaly():
        (torch.zeros(2, requires_grad=True).sqrt() * 0).sum().backward()


def _multi_hook(torch, tensors, **kwargs):
    return torch.autograd.graph.register_multi_grad_hook(tensors, print, **kwargs)


ROWS = {
    "hook on a constant": lambda torch: torch.ones(2).register_hook(print),
    "hook without parameters": lambda torch: _backward_with(torch, lambda: None),
    "hook that returns text": lambda torch: _backward_with(torch, lambda grad: "a"),
    "hook that returns another shape": lambda torch: _backward_with(torch, lambda grad: grad[:1]),
    "hook that returns another dtype": lambda torch: _backward_with(torch, lambda grad: grad.long()),
    "post-accumulate hook on a result": lambda torch: (leaf(torch, 2) * 2).register_post_accumulate_grad_hook(print),
    "post-accumulate hook on a constant": lambda torch: torch.ones(2).register_post_accumulate_grad_hook(print),
    "node hook of a wrong number": lambda torch: _backward_with_node_hook(torch, lambda i, o: (None,) * 5),
    "node hook of text": lambda torch: _backward_with_node_hook(torch, lambda i, o: "a"),
    "node hook of a list": lambda torch: _backward_with_node_hook(torch, lambda i, o: list(i)),
    "node hook of a tuple of text": lambda torch: _backward_with_node_hook(torch, lambda i, o: ("a",) * len(i)),
    "node prehook of a wrong number": lambda torch: _backward_with_node_hook(torch, lambda o: (None,) * 5, True),
    "node prehook of text": lambda torch: _backward_with_node_hook(torch, lambda o: "a", True),
    "saved tensor hooks of numbers": lambda torch: torch.autograd.graph.saved_tensors_hooks(1, 2).__enter__(),
    "multi grad hook mode": lambda torch: _multi_hook(torch, [leaf(torch, 2)], mode="odd"),
    "module backward hook that is none": lambda torch: (
        lambda layer: (layer.register_full_backward_hook(3), layer(leaf(torch, 2)).sum().backward())
    )(torch.nn.Linear(2, 2)),
}
