"""Checkpointing, forward mode, `autograd.functional` and gradcheck."""

from tests.oracle.bad_input._programs import leaf


def _checkpoint(torch, function, *args, **kwargs):
    return torch.utils.checkpoint.checkpoint(function, *args, **{"use_reentrant": False, **kwargs})


def _in_another_mind(torch, first, then):
    """Run a checkpointed function that computes something else during recomputation."""
    calls = []

    def function(x):
        calls.append(x)
        return (first if len(calls) == 1 else then)(x)

    _checkpoint(torch, function, leaf(torch, 2)).sum().backward()


def checkpoint_differentiated_twice(torch):
    loss = _checkpoint(torch, lambda x: x.exp().sin(), leaf(torch, 2)).sum()
    loss.backward()
    loss.backward()


def reentrant_checkpoint_differentiated_twice(torch):
    loss = _checkpoint(torch, lambda x: x.exp().sin(), leaf(torch, 2), use_reentrant=True).sum()
    loss.backward()
    loss.backward()


def reentrant_checkpoint_by_grad(torch):
    x = leaf(torch, 2)
    torch.autograd.grad(_checkpoint(torch, torch.exp, x, use_reentrant=True).sum(), x)


def _dual(torch, *args, **kwargs):
    with torch.autograd.forward_ad.dual_level():
        return torch.autograd.forward_ad.make_dual(*args, **kwargs)


def dual_twice(torch):
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))
        torch.autograd.forward_ad.make_dual(dual, torch.ones(2))


def dual_of_an_expanded_result_in_place(torch):
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(torch.ones(1), torch.ones(1))
        dual.expand(3).add_(1)


def nested_levels(torch):
    with torch.autograd.forward_ad.dual_level():
        with torch.autograd.forward_ad.dual_level():
            pass


def level_exited_twice(torch):
    torch.autograd.forward_ad.exit_dual_level()


def _functional(torch, name, *args, **kwargs):
    return getattr(torch.autograd.functional, name)(*args, **kwargs)


def _check(torch, function, *inputs, **kwargs):
    given = inputs or (torch.ones(2, dtype=torch.float64, requires_grad=True),)
    return torch.autograd.gradcheck(function, given, **kwargs)


def a_wrong_gradient(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    _check(torch, Wrong.apply)


ROWS = {
    # checkpoint
    "checkpoint keywords": lambda torch: _checkpoint(torch, torch.exp, leaf(torch, 2), use_reentrant=True, odd=3),
    "checkpoint debug, reentrant": lambda torch: _checkpoint(
        torch, torch.exp, leaf(torch, 2), use_reentrant=True, debug=True
    ),
    "checkpoint determinism check": lambda torch: _checkpoint(
        torch, torch.exp, leaf(torch, 2), determinism_check="odd"
    ),
    "checkpoint fewer saved": lambda torch: _in_another_mind(torch, lambda x: x.exp().sin(), lambda x: x.exp()),
    "checkpoint other sizes saved": lambda torch: _in_another_mind(torch, lambda x: x * x, lambda x: x[:1] * x[:1]),
    "checkpoint that raises": lambda torch: _checkpoint(torch, lambda x: 1 / 0, leaf(torch, 2)),
    "checkpoint_sequential of a number": lambda torch: torch.utils.checkpoint.checkpoint_sequential(
        3, 2, leaf(torch, 2), use_reentrant=False
    ),
    "checkpoint_sequential of no segments": lambda torch: torch.utils.checkpoint.checkpoint_sequential(
        [torch.exp], 0, leaf(torch, 2), use_reentrant=False
    ),
    "checkpoint_sequential keywords": lambda torch: torch.utils.checkpoint.checkpoint_sequential(
        [torch.exp], 1, leaf(torch, 2), use_reentrant=False, odd=3
    ),
    # forward mode
    "dual without a level": lambda torch: torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)),
    "dual of another shape": lambda torch: _dual(torch, torch.ones(2), torch.ones(3)),
    "dual of integers": lambda torch: _dual(torch, torch.arange(2), torch.ones(2)),
    "dual with a tangent of integers": lambda torch: _dual(torch, torch.ones(2), torch.arange(2)),
    "dual with a tangent of a number": lambda torch: _dual(torch, torch.ones(2), 3.0),
    "dual at a negative level": lambda torch: _dual(torch, torch.ones(2), torch.ones(2), level=-3),
    "dual at another level": lambda torch: _dual(torch, torch.ones(2), torch.ones(2), level=3),
    "unpack of a number": lambda torch: torch.autograd.forward_ad.unpack_dual(3, level=0),
    # functional
    "vjp of no tensor": lambda torch: _functional(torch, "vjp", torch.exp, 3.0),
    "vjp of a tuple of numbers": lambda torch: _functional(torch, "vjp", torch.exp, (torch.ones(2), 3.0)),
    "vjp of a list": lambda torch: _functional(torch, "vjp", torch.exp, [torch.ones(2)]),
    "vjp to no tensor": lambda torch: _functional(torch, "vjp", lambda x: 3.0, torch.ones(2)),
    "vjp without v": lambda torch: _functional(torch, "vjp", torch.exp, torch.ones(2)),
    "vjp with a v of another size": lambda torch: _functional(torch, "vjp", torch.exp, torch.ones(2), torch.ones(3)),
    "vjp with too many": lambda torch: _functional(torch, "vjp", torch.exp, torch.ones(2), (torch.ones(2),) * 2),
    "vjp with text": lambda torch: _functional(torch, "vjp", torch.exp, torch.ones(2), "a"),
    "vjp, strict, independent": lambda torch: _functional(
        torch, "vjp", lambda x: torch.ones(2), torch.ones(2), torch.ones(2), strict=True
    ),
    "jvp without v": lambda torch: _functional(torch, "jvp", torch.exp, torch.ones(2)),
    "jvp, strict, independent": lambda torch: _functional(
        torch, "jvp", lambda x: torch.ones(2), torch.ones(2), torch.ones(2), strict=True
    ),
    "jacobian of no tensor": lambda torch: _functional(torch, "jacobian", torch.exp, "a"),
    "jacobian strategy": lambda torch: _functional(torch, "jacobian", torch.exp, torch.ones(2), strategy="odd"),
    "jacobian forward without vectorize": lambda torch: _functional(
        torch, "jacobian", torch.exp, torch.ones(2), strategy="forward-mode"
    ),
    "jacobian forward with a graph": lambda torch: _functional(
        torch, "jacobian", torch.exp, torch.ones(2), strategy="forward-mode", vectorize=True, create_graph=True
    ),
    "jacobian forward and strict": lambda torch: _functional(
        torch, "jacobian", torch.exp, torch.ones(2), strategy="forward-mode", vectorize=True, strict=True
    ),
    "jacobian strict and vectorized": lambda torch: _functional(
        torch, "jacobian", torch.exp, torch.ones(2), vectorize=True, strict=True
    ),
    "jacobian, strict, independent": lambda torch: _functional(
        torch, "jacobian", lambda x: torch.ones(2), torch.ones(2), strict=True
    ),
    "jacobian of integers": lambda torch: _functional(torch, "jacobian", torch.exp, torch.arange(2)),
    "hessian of a vector": lambda torch: _functional(torch, "hessian", torch.exp, torch.ones(2)),
    "hessian of several": lambda torch: _functional(torch, "hessian", lambda x: (x.sum(), x.sum()), torch.ones(2)),
    "hessian outer strategy": lambda torch: _functional(
        torch, "hessian", torch.sum, torch.ones(2), outer_jacobian_strategy="odd"
    ),
    "hessian of a line, strict": lambda torch: _functional(torch, "hessian", torch.sum, torch.ones(2), strict=True),
    "hvp without v": lambda torch: _functional(torch, "hvp", torch.sum, torch.ones(2)),
    "hvp of a vector": lambda torch: _functional(torch, "hvp", torch.exp, torch.ones(2), torch.ones(2)),
    "vhp of a vector": lambda torch: _functional(torch, "vhp", torch.exp, torch.ones(2), torch.ones(2)),
    "vhp with a v of another size": lambda torch: _functional(torch, "vhp", torch.sum, torch.ones(2), torch.ones(3)),
    # gradcheck
    "gradcheck without inputs": lambda torch: _check(torch, torch.exp, torch.ones(2)),
    "gradcheck of no mode": lambda torch: _check(torch, torch.exp, check_backward_ad=False),
    "gradcheck batched without backward": lambda torch: _check(
        torch, torch.exp, check_backward_ad=False, check_forward_ad=True, check_batched_grad=True
    ),
    "gradcheck batched forward": lambda torch: _check(torch, torch.exp, check_batched_forward_grad=True),
    "gradcheck of an expanded input": lambda torch: _check(
        torch, torch.exp, torch.ones(1, dtype=torch.float64).expand(2).requires_grad_()
    ),
    "gradcheck of no gradient": lambda torch: _check(torch, lambda x: x.detach() * 2),
    "gradcheck of no tensor": lambda torch: _check(torch, lambda x: 3.0),
    "gradgradcheck of no order": lambda torch: torch.autograd.gradgradcheck(
        torch.exp, (torch.ones(2, dtype=torch.float64, requires_grad=True),), check_rev_over_rev=False
    ),
}
