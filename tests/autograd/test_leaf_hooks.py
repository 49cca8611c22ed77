"""Hooks of `AccumulateGrad` nodes, hooks removed by hooks, and the order of `next_functions`."""

import pytest

from tests.autograd.library import compare, leaf, log, programs, torch


def _attempt(action):
    try:
        return action()
    except Exception as error:
        return type(error).__name__, str(error)


def _watched(kinds, answer=None):
    """Return a leaf with hooks of these kinds, in this order, and twice the leaf."""
    x = leaf()
    y = x * 2
    node = y.grad_fn.next_functions[0][0]

    def note(kind):
        def hook(*given):
            log(kind, given, torch.is_grad_enabled(), None if x.grad is None else x.grad.clone())
            return answer(*given) if answer is not None else None

        return hook

    def after_accumulation(p):
        log("accumulated", p is x, p.grad.clone(), torch.is_grad_enabled())

    register = {"post": node.register_hook, "pre": node.register_prehook, "tensor": x.register_hook}
    for kind in kinds:
        if kind == "accumulated":
            x.register_post_accumulate_grad_hook(after_accumulation)
        else:
            register[kind](note(kind))
    return x, y


_ALL = ("accumulated", "post", "tensor", "pre")


def all_kinds_in_two_passes():
    x, y = _watched(_ALL)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return x.grad


def all_kinds_with_create_graph():
    x, y = _watched(_ALL)
    (y * y).sum().backward(create_graph=True)
    return x.grad.detach()


def all_kinds_with_inputs():
    x, y = _watched(_ALL)
    y.sum().backward(inputs=[x])
    return x.grad


def all_kinds_with_an_edge_as_input():
    x, y = _watched(_ALL)
    y.sum().backward(inputs=[torch.autograd.graph.get_gradient_edge(x)])
    return x.grad


def gradients_not_accumulated():
    x, y = _watched(_ALL)
    torch.autograd.grad(y.sum(), x)
    return x.grad


def answers_of_node_hooks():
    for answer in (lambda g: (g[0] * 2,), lambda g: (None,), lambda g: g[0], lambda g: (g[0], g[0])):
        x, y = _watched(["pre"], answer)
        log(_attempt(lambda y=y: y.sum().backward()), x.grad)
    for answer in (lambda _, g: (g[0],), lambda _, g: (), lambda _, g: g[0]):
        x, y = _watched(["post"], answer)
        log(_attempt(lambda y=y: y.sum().backward()), x.grad)


def answers_after_accumulation():
    for answer in (3, torch.ones(2), None, (None,)):
        x = leaf()
        x.register_post_accumulate_grad_hook(lambda p, answer=answer: answer)
        log(_attempt(lambda x=x: (x * 2).sum().backward()))


def a_step_after_accumulation():
    x = leaf()

    def step(p):
        p.sub_(p.grad, alpha=0.1)
        p.grad = None

    x.register_post_accumulate_grad_hook(step)
    for _ in range(3):
        (x * x).sum().backward()
    return x, x.grad, x._version


# -- hooks removed by hooks --------------------------------------------------------------------------------------------


def _removing(register):
    """Register four hooks: the second removes the third, and the last removes the first and itself."""
    handles: list = []

    def hook(number, removed):
        def run(*_):
            log(number)
            for each in removed:
                handles[each].remove()

        return run

    for number, removed in enumerate(((), (2,), (), (0, 3))):
        handles.append(register(hook(number, removed)))


def hooks_that_remove_hooks():
    for kind in ("tensor", "accumulated", "post", "pre", "leaf post", "leaf pre"):
        x = leaf()
        y = x * 2
        node = y.grad_fn.next_functions[0][0]
        _removing(
            {
                "tensor": x.register_hook,
                "accumulated": x.register_post_accumulate_grad_hook,
                "post": y.grad_fn.register_hook,
                "pre": y.grad_fn.register_prehook,
                "leaf post": node.register_hook,
                "leaf pre": node.register_prehook,
            }[kind]
        )
        y.sum().backward(retain_graph=True)
        log("second")
        y.sum().backward()


def hooks_of_a_module_that_remove_hooks():
    for kind in ("forward_hook", "forward_pre_hook", "full_backward_hook", "full_backward_pre_hook"):
        module = torch.nn.Linear(2, 2)
        _removing(getattr(module, "register_" + kind))
        for _ in range(2):
            module(torch.ones(1, 2, requires_grad=True)).sum().backward()
            log("second")


# -- modules -----------------------------------------------------------------------------------------------------------


def _penalized(with_loss):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1)).double()
    for i, layer in enumerate(model):
        layer.register_full_backward_hook(
            lambda _, inputs, outputs, i=i: log(i, [g.detach() for g in inputs], [g.detach() for g in outputs])
        )
        layer.register_full_backward_pre_hook(lambda _, outputs, i=i: log("pre", i, [g.detach() for g in outputs]))
    x = torch.tensor([[1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    y = model(x).sum()
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    log("second")
    (slope.pow(2).sum() + (y if with_loss else 0)).backward()
    return x.grad, [p.grad for p in model.parameters()]


def module_hooks_in_a_pass_over_gradients():
    return _penalized(False)


def module_hooks_in_a_pass_over_gradients_and_a_loss():
    return _penalized(True)


# -- the order of edges ------------------------------------------------------------------------------------------------


def order_of_edges():
    functional = torch.nn.functional
    a, b, c = (torch.rand(2, 3, dtype=torch.float64, requires_grad=True) for _ in range(3))
    square, bias = torch.rand(3, 3, dtype=torch.float64, requires_grad=True), leaf(1.0, 2.0, 3.0).double()
    mask, index = a > 0.5, torch.tensor([0, 1])
    places = torch.tensor([[0, 1, 0], [1, 0, 1]])
    image, kernel = torch.rand(1, 2, 4, 4, requires_grad=True), torch.rand(3, 2, 3, 3, requires_grad=True)
    heads = [torch.rand(1, 1, 3, 4, requires_grad=True) for _ in range(3)]
    results = [
        a + b,
        a - b,
        a * b,
        a / b,
        2 - a,
        2 / a,
        2.0**a,
        a**b,
        torch.atan2(a, b),
        torch.maximum(a, b),
        a * 2,
        torch.lerp(a, b, c),
        torch.addcmul(a, b, c),
        torch.addcdiv(a, b, c),
        torch.where(mask, a, b),
        torch.clamp(a, b, c),
        torch.mm(a, square),
        torch.addmm(a, b, square),
        torch.mv(a, bias),
        torch.addr(square, bias, bias),
        torch.cat([a, b]),
        torch.stack([c, a, b]),
        a.gather(1, places),
        a.scatter(1, places, b),
        a.index_add(0, index, b),
        a.masked_fill(mask, 0.0),
        a[index],
        (a * 1).index_put_((index,), b),
        functional.embedding(index, a),
        functional.embedding_bag(places, a, mode="sum"),
        functional.conv2d(image, kernel),
        functional.conv2d(image, kernel, kernel[:, 0, 0, 0]),
        functional.layer_norm(a, (3,), bias, bias * 2),
        functional.mse_loss(a, b),
        functional.nll_loss(a, index),
        functional.binary_cross_entropy(a.sigmoid(), b.sigmoid()),
        functional.binary_cross_entropy_with_logits(a, b),
        functional.scaled_dot_product_attention(*heads),
        torch.linalg.solve(square, bias),
        torch.dist(a, b),
        a.expand(4, 2, 3),
        torch.cdist(a, b),
        functional.grid_sample(image, image[:, :, :2, :2], align_corners=False),
    ]
    for result in results:
        log(result.grad_fn.name(), [_leaf_of(node) for node, _ in result.grad_fn.next_functions])
    node = functional.linear(a, square, bias).grad_fn
    log(node.name(), [_leaf_of(n) for n, _ in node.next_functions[:2]])


def hooks_of_a_linear_layer():
    module = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
    for name, parameter in module.named_parameters():
        parameter.register_hook(lambda grad, name=name: log(name))
        parameter.register_post_accumulate_grad_hook(lambda parameter, name=name: log(name, "accumulated"))
    module(torch.ones(2, 3)).sum().backward()
    module(torch.ones(2, 2, 3)).sum().backward()


def reflected_operators():
    x = leaf()
    for made in (3 * x, 3 + x, x * 3, 3 - x, 3 / x, 2**x, True * x):
        log([_leaf_of(node) for node, _ in made.grad_fn.next_functions])


def _leaf_of(node):
    return None if node is None else tuple(node.variable.shape) if hasattr(node, "variable") else "inner"


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_leaf_hooks_programs_equal_pytorchs(program):
    compare(program, stride=False)
