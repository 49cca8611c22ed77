"""`autograd.Function.apply`: its arguments, the gradient graph of its outputs, and the results of `jvp` and `vmap`."""

import itertools

import pytest

from tests.autograd.library import compare, leaf, log, programs, torch


def _function(forward, backward=None, **members):
    kept = {name: staticmethod(member) if callable(member) else member for name, member in members.items()}
    if backward is not None:
        kept["backward"] = staticmethod(backward)
    return type("Mine", (torch.autograd.Function,), {"forward": staticmethod(forward), **kept})


def _attempt(action):
    try:
        return action()
    except Exception as error:
        return type(error).__name__, str(error)


# -- arguments by name -------------------------------------------------------------------------------------------------


def arguments_by_name():
    x = leaf()
    for given in ({"a": 5}, {"b": 5}, {"b": 5, "a": 1}, {"z": 5}, {"x": x, "a": 1}):
        call = _function(lambda ctx, x, a=1, b=2: x * a * b, lambda ctx, g: g)
        log(_attempt(lambda given=given, call=call: call.apply(x, **given).grad_fn.needs_input_grad))
    log(_attempt(lambda: _function(lambda ctx, x, *, a=1: x * a).apply(x, a=2)))
    log(_attempt(lambda: _function(lambda ctx, x, **more: x).apply(x, a=2)))
    log(_attempt(lambda: _function(lambda ctx, x, /, a: x * a).apply(x=x, a=2)))


def arguments_by_name_before_setup_context():
    x = leaf()
    setup = {"setup_context": lambda ctx, inputs, output: log(inputs)}
    for given in ({"k": 5}, {"z": 5}, {}, {"x": x}):
        call = _function(lambda x, k=2: x * k, **setup)
        log(_attempt(lambda given=given, call=call: call.apply(x, **given)))
    log(_attempt(lambda: _function(lambda x, *, k=2: x * k, **setup).apply(x)))


# -- outputs -----------------------------------------------------------------------------------------------------------


def inputs_returned_without_a_history():
    call = _function(lambda ctx, x: x, lambda ctx, g: g)
    for x in (torch.ones(2), torch.ones(2, dtype=torch.int64), leaf(), leaf() * 1):
        with torch.no_grad():
            y = call.apply(x)
        log(y is x, y.requires_grad, y.data_ptr() == x.data_ptr(), y._is_view(), x.requires_grad)
    x = torch.ones(2)
    log(call.apply(x) is x)


def closed_over_outputs_lose_their_history():
    closed = leaf()
    with torch.no_grad():
        y = _function(lambda ctx, x: closed).apply(torch.ones(2))
    return y is closed, closed.requires_grad


def saved_inputs_returned():
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx, grad):
            return grad

    for x in (torch.ones(2), leaf(), leaf() * 1):
        log(_attempt(lambda x=x: Same.apply(x)))
    with torch.no_grad():
        log(_attempt(lambda: Same.apply(leaf())))


def _double_in_place(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


def marks_count_as_writes():
    call = _function(_double_in_place, lambda ctx, g: g * 2)
    x, z = torch.ones(2), leaf() * 1
    y = call.apply(x)
    log(y is x, x._version, call.apply(z) is z, z._version)
    with torch.no_grad():
        log(call.apply(x) is x, x._version)


def a_view_written_to_beside_another_output():
    def forward(ctx, x):
        return _double_in_place(ctx, x), x * 2

    z = torch.ones(4, requires_grad=True) * 1
    _function(forward, lambda ctx, g, h: g).apply(z[:2])


def an_input_written_to_after_it_was_returned():
    z = leaf() * 1
    y = _function(lambda ctx, x: x, lambda ctx, g: g).apply(z)
    z.add_(1)
    y.sum()


def a_complex_gradient():
    _function(lambda ctx, x: x * 2, lambda ctx, g: g * 1j).apply(leaf()).sum().backward()


def gradients_of_outputs_without_one():
    def forward(ctx, x, materialize, also):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        ctx.set_materialize_grads(materialize)
        ctx._materialize_non_diff_grads = also
        return a, b, x.long(), None

    for materialize, also in itertools.product((True, False), repeat=2):
        call = _function(forward, lambda ctx, *grads: (log(grads), (grads[0], None, None))[1])
        call.apply(leaf(), materialize, also)[0].sum().backward()


# -- forward mode ------------------------------------------------------------------------------------------------------


def _dual(call, *more):
    ad = torch.autograd.forward_ad
    with ad.dual_level():
        result = call.apply(ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])), *more)
        results = result if isinstance(result, tuple) else (result,)
        return [tuple(ad.unpack_dual(r)) for r in results]


def tangents_of_views():
    for forward, jvp in (
        (lambda ctx, x: x, lambda ctx, t: t),
        (lambda ctx, x: x, lambda ctx, t: t.view_as(t)),
        (lambda ctx, x: x[:1], lambda ctx, t: t[:1]),
        (lambda ctx, x: x[:1], lambda ctx, t: t[:1] * 2),
        (lambda ctx, x: x[:1], lambda ctx, t: (t * 2)[:1]),
        (lambda ctx, x: x.exp().view(2, 1), lambda ctx, t: (t * 2).view(2, 1)),
        (_double_in_place, lambda ctx, t: t.mul_(2)),
        (_double_in_place, lambda ctx, t: t * 2),
    ):
        log(_attempt(lambda forward=forward, jvp=jvp: _dual(_function(forward, jvp=jvp))))


def tangents_of_outputs_without_one():
    def marked(ctx, x):
        y = x * 3
        ctx.mark_non_differentiable(y)
        return x * 2, y

    for forward in (marked, lambda ctx, x: (x * 2, x.long())):
        for second in (lambda t: None, lambda t: t):
            call = _function(forward, jvp=lambda ctx, t, second=second: (t * 2, second(t)))
            log(_attempt(lambda call=call: _dual(call)))


def saved_for_which():
    def forward(ctx, x, forwards):
        ctx.save_for_backward(x * 5)
        if forwards:
            ctx.save_for_forward(x * 7)
        return x * 2

    for forwards in (True, False):
        call = _function(forward, jvp=lambda ctx, t, _: (log([s + 0 for s in ctx.saved_tensors]), t * 2)[1])
        log(_dual(call, forwards))


def forward_mode_switched_off():
    ad = torch.autograd.forward_ad
    log(ad._is_fwd_grad_enabled(), ad._current_level)
    with ad.dual_level():
        x = ad.make_dual(torch.ones(2), torch.ones(2))
        with ad._set_fwd_grad_enabled(False):
            y = x * 2
            log(ad._is_fwd_grad_enabled(), ad.unpack_dual(x).tangent)
            with ad._set_fwd_grad_enabled(True):
                log(ad.unpack_dual(x * 3).tangent)
        log(ad.unpack_dual(y).tangent, ad.unpack_dual(x * 2).tangent, ad._is_fwd_grad_enabled(), ad._current_level)


# -- vmap --------------------------------------------------------------------------------------------------------------


def _mapped(rule):
    return _function(
        lambda x, k=2: x * k,
        setup_context=lambda ctx, inputs, output: None,
        vmap=lambda info, in_dims, x, k: rule(x * k),
    )


def what_a_rule_may_return():
    x = torch.arange(4.0).view(2, 2)
    for rule in (
        lambda y: (y, 0),
        lambda y: (y, None),
        lambda y: (y, -1),
        lambda y: (y, (0,)),
        lambda y: (y, [0]),
        lambda y: ((y, y), 0),
        lambda y: ((y, y), (0, 1)),
        lambda y: ((y, y), (0,)),
        lambda y: ((y, y), [0, 0]),
        lambda y: ([y, y], [0, None]),
        lambda y: ((y, y), (0, 0, 0)),
    ):
        log(_attempt(lambda rule=rule: torch.vmap(_mapped(rule).apply)(x)))
    log(torch.vmap(lambda x: _mapped(lambda y: (y, 0)).apply(x, k=3))(x))


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_function_calls_programs_equal_pytorchs(program):
    compare(program, stride=False)
