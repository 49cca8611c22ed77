"""`autograd.functional`: Jacobians, Hessians and products with them, with every argument."""

import inspect

import pytest

from tests.autograd.library import compare, programs, torch


def _x(requires_grad=False):
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=requires_grad)


def _y(requires_grad=False):
    return torch.tensor([[0.5, 0.2, 0.1], [1.0, 0.0, 2.0]], requires_grad=requires_grad)


def _curve(x):
    return x.exp() * x


def _two(x, y):
    return y @ x, x.sum() * y.sum()


def _cubes(x):
    return (x**3).sum()


def _cubes_of_two(x, y):
    return ((y @ x) ** 3).sum()


def _linear(x):
    return 2 * x


def _sum(x):
    return (2 * x).sum()


def _constant(x):
    return torch.ones(2)


def _cube(x):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            return 3 * ctx.saved_tensors[0] ** 2 * grad

    return Cube.apply(x)


def vjp1(graph):
    xs = _x(graph)
    return torch.autograd.functional.vjp(_curve, xs, torch.ones(3), create_graph=graph)


def vjp2(graph):
    xs = _x(graph)
    ys = _y(graph)
    return torch.autograd.functional.vjp(_two, (xs, ys), (torch.ones(2), torch.tensor(2.0)), create_graph=graph)


def vjps(graph):
    xs = _x(graph)
    return torch.autograd.functional.vjp(_cubes, xs, create_graph=graph)


def jvp1(graph):
    xs = _x(graph)
    return torch.autograd.functional.jvp(_curve, xs, torch.ones(3), create_graph=graph)


def jvp2(graph):
    xs = _x(graph)
    ys = _y(graph)
    return torch.autograd.functional.jvp(_two, (xs, ys), (torch.ones(3), torch.ones(2, 3)), create_graph=graph)


def jac1(graph):
    xs = _x(graph)
    return torch.autograd.functional.jacobian(_curve, xs, create_graph=graph)


def jac2(graph):
    xs = _x(graph)
    ys = _y(graph)
    return torch.autograd.functional.jacobian(_two, (xs, ys), create_graph=graph)


def jacv(graph):
    xs = _x(graph)
    ys = _y(graph)
    return torch.autograd.functional.jacobian(_two, (xs, ys), create_graph=graph, vectorize=True)


def jac_s(graph):
    xs = _x(graph)
    return torch.autograd.functional.jacobian(_cubes, xs, create_graph=graph)


def hes(graph):
    xs = _x(graph)
    return torch.autograd.functional.hessian(_cubes, xs, create_graph=graph)


def hes2(graph):
    xs = _x(graph)
    ys = _y(graph)
    return torch.autograd.functional.hessian(_cubes_of_two, (xs, ys), create_graph=graph)


def hesv(graph):
    xs = _x(graph)
    ys = _y(graph)
    return torch.autograd.functional.hessian(_cubes_of_two, (xs, ys), create_graph=graph, vectorize=True)


def hvp(graph):
    xs = _x(graph)
    ys = _y(graph)
    return torch.autograd.functional.hvp(_cubes_of_two, (xs, ys), (torch.ones(3), torch.ones(2, 3)), create_graph=graph)


def vhp(graph):
    xs = _x(graph)
    ys = _y(graph)
    return torch.autograd.functional.vhp(_cubes_of_two, (xs, ys), (torch.ones(3), torch.ones(2, 3)), create_graph=graph)


def hvp_lin(graph):
    xs = _x(graph)
    return torch.autograd.functional.hvp(_sum, xs, torch.ones(3), create_graph=graph)


def vhp_lin(graph):
    xs = _x(graph)
    return torch.autograd.functional.vhp(_sum, xs, torch.ones(3), create_graph=graph)


def hes_lin(graph):
    xs = _x(graph)
    return torch.autograd.functional.hessian(_sum, xs, create_graph=graph)


def fwd():
    x = _x()
    y = _y()
    return torch.autograd.functional.jacobian(_two, (x, y), vectorize=True, strategy="forward-mode")


def fwd1():
    x = _x()
    return torch.autograd.functional.jacobian(_curve, x, vectorize=True, strategy="forward-mode")


def fwdh():
    x = _x()
    y = _y()
    return torch.autograd.functional.hessian(
        _cubes_of_two, (x, y), vectorize=True, outer_jacobian_strategy="forward-mode"
    )


def fwd_nov():
    x = _x()
    return torch.autograd.functional.jacobian(_curve, x, strategy="forward-mode")


def fwd_cg():
    x = _x()
    return torch.autograd.functional.jacobian(_curve, x, strategy="forward-mode", create_graph=True)


def fwd_strict():
    x = _x()
    return torch.autograd.functional.jacobian(_curve, x, strategy="forward-mode", strict=True)


def bad_st():
    x = _x()
    return torch.autograd.functional.jacobian(_curve, x, strategy="a")


def bad_st2():
    x = _x()
    return torch.autograd.functional.hessian(_curve, x, outer_jacobian_strategy="a")


def strict_vec():
    x = _x()
    return torch.autograd.functional.jacobian(_curve, x, strict=True, vectorize=True)


def notensor():
    x = _x()
    return torch.autograd.functional.jacobian(_curve, [x])


def notensor2():
    x = _x()
    return torch.autograd.functional.jacobian(_curve, (x, 3))


def out():
    x = _x()
    return torch.autograd.functional.jacobian(lambda x: 3, x)


def out2():
    x = _x()
    return torch.autograd.functional.vjp(lambda x: (x, 3), x)


def v_none():
    x = _x()
    return torch.autograd.functional.vjp(_curve, x)


def v_none_j():
    x = _x()
    return torch.autograd.functional.jvp(_curve, x)


def v_none_h():
    x = _x()
    return torch.autograd.functional.hvp(_cubes, x)


def v_len():
    x = _x()
    y = _y()
    return torch.autograd.functional.jvp(_two, (x, y), (x,))


def v_len2():
    x = _x()
    return torch.autograd.functional.jvp(_curve, x, (x, x))


def v_shape():
    x = _x()
    return torch.autograd.functional.jvp(_curve, x, torch.ones(2))


def v_shape2():
    x = _x()
    y = _y()
    return torch.autograd.functional.jvp(_two, (x, y), (x, x))


def h_nonscalar():
    x = _x()
    return torch.autograd.functional.hessian(_curve, x)


def h_tuple():
    x = _x()
    return torch.autograd.functional.hvp(lambda x: (x.sum(),), x, x)


def h_nonscalar2():
    x = _x()
    return torch.autograd.functional.vhp(_curve, x, x)


def case_1el():
    return torch.autograd.functional.jvp(lambda x: x * 2, torch.ones(1))


def matrix_out():
    x = _x()
    return torch.autograd.functional.jacobian(lambda x: x[:, None] * x[None], x)


def scalar_in():
    return torch.autograd.functional.jacobian(lambda x: x * torch.ones(2), torch.tensor(2.0))


def indep():
    x = _x()
    y = _y()
    return torch.autograd.functional.jacobian(lambda x, y: x * 2, (x, y))


def function():
    x = _x()
    return torch.autograd.functional.jacobian(_cube, x)


def function_h():
    x = _x()
    return torch.autograd.functional.hessian(lambda x: _cube(x).sum(), x)


def function_v():
    x = _x()
    return torch.autograd.functional.jacobian(_cube, x, vectorize=True, create_graph=True)


_ALL = programs(globals())


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("program", [p for p in _ALL if inspect.signature(p).parameters], ids=lambda p: p.__name__)
def test_with_and_without_a_graph(program, graph):
    compare(lambda: program(graph), stride=False)


@pytest.mark.parametrize("program", [p for p in _ALL if not inspect.signature(p).parameters], ids=lambda p: p.__name__)
def test_functional_programs_equal_pytorchs(program):
    compare(program, stride=False)


STRICT = [_curve, _linear, _sum, _cubes, _constant]


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("function", STRICT, ids=lambda f: f.__name__.strip("_"))
@pytest.mark.parametrize("name", ["vjp", "jvp", "hvp", "vhp", "jacobian", "hessian"])
def test_strict(name, function, graph):
    def program():
        derivative = getattr(torch.autograd.functional, name)
        vector = () if name in ("jacobian", "hessian") else (_weights(name, function),)
        return derivative(function, _x(graph), *vector, create_graph=graph, strict=True)

    compare(program, stride=False)


def _weights(name, function):
    if name == "vjp" and function in (_sum, _cubes):
        return None
    return torch.ones(2 if name == "vjp" and function is _constant else 3)


@pytest.mark.parametrize("name", ["jacobian", "hessian"])
def test_scalars(name):
    def program():
        derivative = getattr(torch.autograd.functional, name)
        scalar = torch.tensor(2.0)
        return derivative(lambda x, z: (x**3).sum() + z * 0, (scalar, scalar)), derivative(_cubes, scalar)

    compare(program, stride=False)
