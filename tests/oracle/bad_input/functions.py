"""`autograd.Function`: invalid return values, saved tensors and marks of its two methods."""

from tests.oracle.bad_input._programs import leaf


def _function(torch, forward=lambda ctx, x: x * 2, backward=lambda ctx, grad: grad * 2, **others):
    methods = {"forward": forward, "backward": backward, **others}
    members = {name: staticmethod(method) for name, method in methods.items() if method is not None}
    return type("Mine", (torch.autograd.Function,), members)


def _apply(torch, *args, **methods):
    return _function(torch, **methods).apply(*(args or (leaf(torch, 2),)))


def _backward(torch, *args, **methods):
    return _apply(torch, *args, **methods).sum().backward()


def _forward(*actions, result=lambda x: x * 2):
    def forward(ctx, x, *rest):
        for action in actions:
            action(ctx, x)
        return result(x)

    return forward


def saved_changed(torch):
    x = leaf(torch, 2) * 1
    y = _apply(
        torch,
        x,
        forward=_forward(lambda ctx, x: ctx.save_for_backward(x)),
        backward=lambda ctx, g: ctx.saved_tensors[0],
    )
    x.add_(1)
    y.sum().backward()


def saved_read_twice(torch):
    y = _apply(
        torch, forward=_forward(lambda ctx, x: ctx.save_for_backward(x)), backward=lambda ctx, g: ctx.saved_tensors[0]
    )
    y.sum().backward()
    y.sum().backward()


def saved_read_after(torch):
    y = _apply(torch, forward=_forward(lambda ctx, x: ctx.save_for_backward(x)))
    y.sum().backward()
    return y.grad_fn.saved_tensors


def differentiated_twice(torch):
    once = torch.autograd.function.once_differentiable
    x = leaf(torch, 2)
    y = _apply(torch, x, backward=once(lambda ctx, grad: grad * 2))
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    first.sum().backward()


def two_results_one_gradient(torch):
    first, second = _apply(torch, forward=_forward(result=lambda x: (x * 2, x * 3)))
    (first + second).sum().backward()


def view_result_in_place(torch):
    y = _apply(torch, leaf(torch, 2) * 1, forward=_forward(result=lambda x: x[:1]))
    y.add_(1)


def input_result_in_place(torch):
    y = _apply(torch, leaf(torch, 2) * 1, forward=_forward(result=lambda x: x))
    y.add_(1)


def several_views_in_place(torch):
    y, _ = _apply(torch, leaf(torch, 2) * 1, forward=_forward(result=lambda x: (x[:1], x[1:])))
    y.add_(1)


def dirty_view_of_several(torch):
    part = (leaf(torch, 2) * 1).unbind()[0]
    _apply(torch, part, forward=_forward(lambda ctx, x: ctx.mark_dirty(x.add_(1)), result=lambda x: x))


def nothing_differentiable(torch):
    y = _apply(torch, forward=_forward(result=lambda x: x * 2), backward=lambda ctx, grad: grad)
    z = _function(torch, forward=lambda ctx, x: (lambda y: (ctx.mark_non_differentiable(y), y)[1])(x * 2)).apply(y)
    z.sum().backward()


def in_forward_mode(torch):
    with torch.autograd.forward_ad.dual_level():
        _apply(torch, torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)))


def _jvp(torch, jvp):
    with torch.autograd.forward_ad.dual_level():
        _apply(torch, torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)), jvp=jvp)


ROWS = {
    "amax of too many dims": lambda torch: torch.amax(torch.ones(1).reshape([1] * 66), 0),
    "sum of too many dims": lambda torch: torch.sum(torch.ones([1] * 66), 0),
    "no forward": lambda torch: _apply(torch, forward=None),
    "no backward": lambda torch: _backward(torch, backward=None),
    "backward and vjp": lambda torch: _backward(torch, vjp=lambda ctx, grad: grad),
    "legacy": lambda torch: type("Old", (torch.autograd.Function,), {"forward": lambda self, x: x})()(leaf(torch, 2)),
    "unknown keyword": lambda torch: _function(torch).apply(leaf(torch, 2), odd=3),
    "too few arguments": lambda torch: _function(torch).apply(),
    "too many gradients": lambda torch: _backward(torch, backward=lambda ctx, grad: (grad, grad)),
    "too few gradients": lambda torch: _backward(
        torch, leaf(torch, 2), leaf(torch, 2), forward=lambda ctx, x, y: x * y, backward=lambda ctx, grad: grad
    ),
    "gradient of text": lambda torch: _backward(torch, backward=lambda ctx, grad: "a"),
    "gradient of a number": lambda torch: _backward(torch, backward=lambda ctx, grad: 2.0),
    "gradient of a list": lambda torch: _backward(torch, backward=lambda ctx, grad: [grad]),
    "gradient of another shape": lambda torch: _backward(torch, backward=lambda ctx, grad: torch.ones(3)),
    "gradient of no tensor": lambda torch: _backward(
        torch, leaf(torch, 2), 3, forward=lambda ctx, x, n: x * n, backward=lambda ctx, grad: (grad, grad)
    ),
    "backward of two parameters": lambda torch: _backward(torch, backward=lambda ctx, grad, other: grad),
    "backward that raises": lambda torch: _backward(torch, backward=lambda ctx, grad: 1 / 0),
    "result of text": lambda torch: _apply(torch, forward=lambda ctx, x: "a").sum(),
    "result of a tuple of text": lambda torch: _apply(torch, forward=lambda ctx, x: ("a", 1))[1].sum(),
    "result of None": lambda torch: _apply(torch, forward=lambda ctx, x: None).sum(),
    "save of a number": lambda torch: _apply(torch, forward=_forward(lambda ctx, x: ctx.save_for_backward(3))),
    "save of a list": lambda torch: _apply(torch, forward=_forward(lambda ctx, x: ctx.save_for_backward([x]))),
    "save for forward of a number": lambda torch: _apply(
        torch, forward=_forward(lambda ctx, x: ctx.save_for_forward(3))
    ),
    "dirty of a leaf": lambda torch: _apply(
        torch, forward=_forward(lambda ctx, x: ctx.mark_dirty(x.detach().add_(1) is None or x), result=lambda x: x)
    ),
    "dirty not returned": lambda torch: _apply(
        torch, leaf(torch, 2) * 1, forward=_forward(lambda ctx, x: ctx.mark_dirty(x.add_(1)))
    ),
    "dirty of a number": lambda torch: _apply(torch, forward=_forward(lambda ctx, x: ctx.mark_dirty(3))),
    "not differentiable of a number": lambda torch: _apply(
        torch, forward=_forward(lambda ctx, x: ctx.mark_non_differentiable(3))
    ),
    "unknown attribute of ctx": lambda torch: _apply(torch, forward=_forward(lambda ctx, x: ctx.unknown)),
    "needs_input_grad beyond": lambda torch: _apply(torch, forward=_forward(lambda ctx, x: ctx.needs_input_grad[3])),
    "setup_context with ctx": lambda torch: _apply(torch, setup_context=lambda ctx, inputs, output: None),
    "setup_context of two": lambda torch: _apply(
        torch, forward=lambda x: x * 2, setup_context=lambda inputs, output: None
    ),
    "vmap static": lambda torch: _apply(torch, generate_vmap_rule=3, vmap=lambda *a: None) and None.a,
    "jvp of two": lambda torch: _jvp(torch, lambda ctx, tangent: (tangent, tangent)),
    "jvp of text": lambda torch: _jvp(torch, lambda ctx, tangent: "a"),
    "jvp of another shape": lambda torch: _jvp(torch, lambda ctx, tangent: torch.ones(3)),
    "apply on an instance": lambda torch: _function(torch)()(leaf(torch, 2)),
    "saved tensors of a function without": lambda torch: _backward(
        torch, backward=lambda ctx, grad: ctx.saved_tensors[0]
    ),
}
