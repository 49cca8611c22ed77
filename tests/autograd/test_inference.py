"""Inference mode: the tensors that it creates, and the operations on them that are refused."""

import copy

import pytest

from tests.autograd.library import compare, leaf, programs, torch


def _made():
    with torch.inference_mode():
        return torch.ones(2)


def is_inf():
    return (
        _made().is_inference(),
        torch.is_inference(_made()),
        torch.ones(1).is_inference(),
        torch.is_inference_mode_enabled(),
    )


def version():
    return _made()._version


def inplace_outside():
    return _made().add_(1)


def setitem_outside():
    return _made().__setitem__(0, 1)


def copy__outside():
    return _made().copy_(torch.ones(2))


def normal_copy_from_inf():
    return torch.ones(2).copy_(_made())


def requires_grad():
    return _made().requires_grad_()


def requires_grad__false():
    return _made().requires_grad_(False)


def save():
    return leaf() * _made()


def save2():
    return _made() * leaf()


def add():
    return leaf() + _made()


def linear():
    return torch.nn.functional.linear(_made(), torch.ones(3, 2, requires_grad=True))


def clone_ok():
    return leaf() * _made().clone()


def nograd_ok():
    return _made() * _made()


def outside_result_is_inf():
    return (_made() * 2).is_inference()


def view_outside():
    return (_made().view(2, 1).is_inference(), _made()[0].is_inference())


def view_inplace_outside():
    t = _made()
    v = t[0]
    v.add_(1)


def normal_in_inf():
    n = torch.ones(2)
    with torch.inference_mode():
        v = n[0]
        n.add_(1)
        return (n.is_inference(), v.is_inference(), n._version, v)


def normal_view_made_in_inf_inplace_outside():
    n = torch.ones(2)
    with torch.inference_mode():
        v = n[0]
    v.add_(1)
    return (n, n._version)


def grad_view_made_in_inf_inplace_outside():
    n = torch.ones(2, requires_grad=True) * 1
    with torch.inference_mode():
        v = n[0]
    v.add_(1)
    return (n, n._version)


def in_():
    x = leaf()
    with torch.inference_mode():
        y = x * 2
        return (y.requires_grad, x.requires_grad, y.is_leaf, y.grad_fn)


def req_in():
    with torch.inference_mode():
        t = torch.ones(2, requires_grad=True)
        return (t.requires_grad, (t * 2).requires_grad)


def req__in():
    with torch.inference_mode():
        t = torch.ones(2)
        t.requires_grad_()
        t.add_(1)
        return t


def inplace_in():
    with torch.inference_mode():
        t = torch.ones(2)
        t.add_(1)
        t[0] = 5
        return (t, t.is_inference())


def nested_off():
    with torch.inference_mode():
        with torch.inference_mode(False):
            t = torch.ones(2)
            x = leaf()
            return (t.is_inference(), (x * t).requires_grad, torch.is_grad_enabled())


def grad_is_inf():
    x = leaf()
    x.grad = _made()
    (x * 2).sum().backward()
    return x.grad


def backward_with_inf():
    t = _made()
    (leaf() * 2).backward(t)


def backward_in_inf():
    with torch.inference_mode():
        y = leaf().sum()
        y.backward()


def backward_in_inf_2():
    x = leaf()
    y = (x * x).sum()
    with torch.inference_mode():
        y.backward()
    return (x.grad, x.grad.is_inference())


def decorator_with_parentheses():
    @torch.inference_mode()
    def made():
        return torch.ones(1)

    return made().is_inference()


def decorator():
    @torch.inference_mode
    def made():
        return torch.ones(1)

    return made().is_inference()


def detach():
    return (_made().detach().is_inference(), _made().data.is_inference())


def to():
    return (
        _made().to(torch.float64).is_inference(),
        _made().to(torch.float32).is_inference(),
        _made().contiguous().is_inference(),
    )


def param():
    return torch.nn.Parameter(_made())


def param_nog():
    return torch.nn.Parameter(_made(), requires_grad=False).is_inference()


def module_in():
    with torch.inference_mode():
        l = torch.nn.Linear(2, 2)
    return l(torch.ones(2)).requires_grad


def module_in_bw():
    with torch.inference_mode():
        l = torch.nn.Linear(2, 2)
    l(torch.ones(1, 2)).sum().backward()


def deepcopy():
    return __import__("copy").deepcopy(_made()).is_inference()


def fn_save():
    x = leaf()

    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, t):
            ctx.save_for_backward(t)
            return x * t

        @staticmethod
        def backward(ctx, g):
            return (g * ctx.saved_tensors[0], None)

    F.apply(x, _made())


def set():
    return torch.ones(2).set_(_made())


def numpy():
    return _made().numpy().tolist()


def out():
    return torch.add(torch.ones(2), 1, out=_made())


def gather_idx():
    return leaf()[torch.inference_mode()(lambda: torch.tensor([0]))()]


def masked():
    return leaf().masked_fill(torch.inference_mode()(lambda: torch.tensor([True, False]))(), 0.0)


def ce():
    return torch.nn.functional.cross_entropy(
        torch.ones(2, 3, requires_grad=True), torch.inference_mode()(lambda: torch.tensor([0, 1]))()
    )


def emb():
    return torch.nn.functional.embedding(
        torch.inference_mode()(lambda: torch.tensor([0, 1]))(), torch.ones(2, 3, requires_grad=True)
    )


def resize_of_a_parameter():
    x = leaf()
    with torch.inference_mode():
        x.resize_(1)
        shapes = x.shape, x.resize_as_(torch.ones(2, 2)).shape
    return shapes, x.requires_grad


def accepted_where_pytorch_saves_other_tensors():
    with torch.inference_mode():
        made, matrix = torch.arange(3.0), torch.eye(3) * 2
    x, m, weight = leaf(), torch.eye(3, requires_grad=True), torch.ones(3, requires_grad=True)
    functional = torch.nn.functional
    found = [
        functional.rms_norm(made, (3,), weight),
        functional.l1_loss(weight, made),
        functional.l1_loss(made, weight),
        torch.linalg.solve(m, matrix),
        torch.linalg.solve_triangular(m, matrix, upper=True),
        functional.scaled_dot_product_attention(matrix[None], matrix[None], m[None]),
        torch.index_add(x, 0, torch.inference_mode()(lambda: torch.tensor([0]))(), torch.ones(1)),
        torch.copysign(weight, made),
        functional.pairwise_distance(m, matrix),
        torch.trapezoid(m, matrix),
    ]
    sum(each.sum() for each in found).backward()
    return found, x.grad, m.grad, weight.grad


def refused_scaled_dot_product_attention():
    with torch.inference_mode():
        made = torch.ones(1, 2, 3)
    return torch.nn.functional.scaled_dot_product_attention(torch.ones(1, 2, 3, requires_grad=True), made, made)


def refused_rms_norm():
    return torch.nn.functional.rms_norm(torch.ones(2, requires_grad=True), (2,), _made())


def _transforms():
    x, func = torch.tensor([1.0, 2.0]), torch.func
    with torch.inference_mode():
        made = torch.arange(2.0) + 1
    f = lambda y: (y * made * y.sin()).sum()
    found = [func.grad(f)(x), func.grad(f)(made), func.jacrev(f)(x), func.jacfwd(f)(x), func.hessian(f)(x)]
    found += [func.vjp(f, x)[1](torch.tensor(2.0))[0], func.jvp(f, (x,), (made,))[1], func.grad_and_value(f)(x)[1]]
    found += [torch.vmap(func.grad(f))(torch.ones(3, 2)), func.grad(lambda y: func.grad(f)(y).prod())(x)]
    inside = func.grad(lambda y: y.sum() * (2 if torch.is_inference_mode_enabled() else 3))(x)
    return [torch.stack([each]) for each in found], inside.tolist(), [each.is_inference() for each in found[:8]]


def transforms_outside():
    return _transforms()


def transforms_inside():
    with torch.inference_mode():
        return _transforms()


def deepcopy_inside():
    with torch.inference_mode():
        return copy.deepcopy(leaf()).is_inference(), copy.deepcopy(leaf().detach()).is_inference()


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_inference_programs_equal_pytorchs(program):
    compare(program)
