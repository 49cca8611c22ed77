"""Forward mode: tangents through operators, views, writes and backward passes."""

import pytest

from tests.autograd.library import compare, log, programs, torch


def nolevel():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    return torch.autograd.forward_ad.make_dual(a, t)


def unpack_nolevel():
    a = torch.tensor([1.0, 2.0])
    return torch.autograd.forward_ad.unpack_dual(a)


def shape():
    a = torch.tensor([1.0, 2.0])
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.make_dual(a, torch.ones(3))


def dtype():
    a = torch.tensor([1.0, 2.0])
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.make_dual(a, torch.ones(2).double())


def int():
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.make_dual(torch.tensor([1, 2]), torch.ones(2))


def int_tangent():
    a = torch.tensor([1.0, 2.0])
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.make_dual(a, torch.tensor([1, 2]))


def twice():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.unpack_dual(
            torch.autograd.forward_ad.make_dual(torch.autograd.forward_ad.make_dual(a, t), t * 2)
        )


def power_of_a_negative_number():
    a, n = torch.tensor([-2.0, 3.0]), torch.tensor([3.0, 2.0])
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(a, torch.ones(2))
        return [torch.autograd.forward_ad.unpack_dual(dual**e).tangent for e in (n, n.long())]


def basic():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.unpack_dual(torch.autograd.forward_ad.make_dual(a, t) * a)


def detach():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.unpack_dual(torch.autograd.forward_ad.make_dual(a, t).detach())


def exited():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(a, t)
    return torch.autograd.forward_ad.unpack_dual(dual)


def nested():
    with torch.autograd.forward_ad.dual_level():
        with torch.autograd.forward_ad.dual_level():
            pass


def reqgrad():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    x = a.clone().requires_grad_()
    v = t.clone().requires_grad_()
    with torch.autograd.forward_ad.dual_level():
        y = torch.autograd.forward_ad.make_dual(x, v)
        z = (y * y).sum()
        p = torch.autograd.forward_ad.unpack_dual(z)
        log(p.primal.requires_grad, p.tangent.requires_grad)
        return torch.autograd.grad(p.tangent, [x, v])


def fwdrev():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    x = a.clone().requires_grad_()
    with torch.autograd.forward_ad.dual_level():
        y = torch.autograd.forward_ad.make_dual(x, t)
        z = (y**3).sum()
        (g,) = torch.autograd.grad(z, x)
        return torch.autograd.forward_ad.unpack_dual(g)


def view():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        y = torch.autograd.forward_ad.make_dual(a.clone(), t)
        v = y[0]
        return (torch.autograd.forward_ad.unpack_dual(v), torch.autograd.forward_ad.unpack_dual(y.view(2, 1)))


def observed():
    """Views and indexing of values that have already been computed."""
    with torch.autograd.forward_ad.dual_level():
        y = torch.autograd.forward_ad.make_dual(torch.ones(4), torch.arange(4.0)) * 2
        float(y.sum())
        seen = y.view(2, 2), y[torch.tensor([0, 1])], y[y > 0]
        return [torch.autograd.forward_ad.unpack_dual(x) for x in seen]


def inplace():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        y = torch.autograd.forward_ad.make_dual(a.clone(), t)
        z = torch.zeros(2)
        z[1] = y[0]
        b = torch.ones(2)
        b.mul_(y)
        return (torch.autograd.forward_ad.unpack_dual(z), torch.autograd.forward_ad.unpack_dual(b))


def nograd():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        y = torch.autograd.forward_ad.make_dual(a.clone(), t)
        with torch.no_grad():
            return torch.autograd.forward_ad.unpack_dual(y * 2)


def argmax():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.unpack_dual(torch.autograd.forward_ad.make_dual(a, t).argmax())


def type():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        return type(torch.autograd.forward_ad.unpack_dual(torch.autograd.forward_ad.make_dual(a, t) * 2)).__name__


def primal_leaf():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])
    with torch.autograd.forward_ad.dual_level():
        return (
            torch.autograd.forward_ad.make_dual(a.clone().requires_grad_(), t).is_leaf,
            torch.autograd.forward_ad.unpack_dual(
                torch.autograd.forward_ad.make_dual(a.clone().requires_grad_(), t)
            ).primal.requires_grad,
        )


def svd():
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.unpack_dual(
            torch.linalg.svdvals(
                torch.autograd.forward_ad.make_dual(torch.eye(2) * torch.tensor([3.0, 1.0]), torch.ones(2, 2))
            )
        )


def fncount():
    a = torch.tensor([1.0, 2.0])
    t = torch.tensor([3.0, 4.0])

    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return (x * 2, x * 1)

        @staticmethod
        def jvp(ctx, tx):
            return tx

    with torch.autograd.forward_ad.dual_level():
        return [torch.autograd.forward_ad.unpack_dual(q) for q in S.apply(torch.autograd.forward_ad.make_dual(a, t))]


def enter():
    return (torch.autograd.forward_ad.enter_dual_level(), torch.autograd.forward_ad.exit_dual_level())


def exit_none():
    return torch.autograd.forward_ad.exit_dual_level()


def _recurrent(kind, **options):
    torch.manual_seed(0)
    network = getattr(torch.nn, kind)(2, 3, dtype=torch.float64, **options)
    x = torch.arange(8.0, dtype=torch.float64).reshape(4, 1, 2).sin()
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, x.cos())
        out, last = network(dual)
        states = last if isinstance(last, tuple) else (last,)
        tangents = [torch.autograd.forward_ad.unpack_dual(t).tangent for t in (out, *states)]
        slope = torch.autograd.grad(sum(t.sum() for t in tangents), network.weight_hh_l0, retain_graph=True)
        return tangents, slope


def inference_mode():
    ad, x = torch.autograd.forward_ad, torch.tensor([1.0, 2.0])

    def f(x):
        with torch.inference_mode():
            y = x * 2
        return y + x

    with ad.dual_level():
        dual = ad.make_dual(x, x.cos())
        with torch.inference_mode():
            log(*ad.unpack_dual(dual), *ad.unpack_dual(dual * 3))
        log(*ad.unpack_dual(dual * 3))
    with torch.inference_mode():
        log(torch.func.jvp(torch.sin, (x,), (x,)), torch.func.jacfwd(torch.sin)(x))
    return torch.func.jvp(f, (x,), (x,))


def _doubled(tangent, **marks):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if "dirty" in marks:
                ctx.mark_dirty(x)
            return x.mul_(2) if "dirty" in marks else x * 2

        @staticmethod
        def jvp(ctx, t):
            return tangent(t)

    return Double.apply


def linearized_function_with_a_context():
    x = torch.tensor([1.0, 2.0])
    out, push = torch.func.linearize(_doubled(lambda t: t * 5), x)
    return out, push(x)


def no_tangent_of_a_written_input():
    ad, x = torch.autograd.forward_ad, torch.tensor([1.0, 2.0])
    with ad.dual_level():
        _doubled(lambda t: None, dirty=True)(ad.make_dual(x, x.cos()))


def rnn():
    return _recurrent("RNN"), _recurrent("RNN", nonlinearity="relu", bidirectional=True)


def gru():
    return _recurrent("GRU", num_layers=2, bidirectional=True)


def lstm():
    return _recurrent("LSTM", bidirectional=True), _recurrent("LSTM", proj_size=2)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_forward_mode_programs_equal_pytorchs(program):
    compare(program)
