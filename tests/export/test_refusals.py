"""What cannot be exported is refused, with the reason and the place."""

import pytest

import torchlike as torch
from torchlike._dynamo.exc import UserError
from torchlike.export import Dim, export

nn = torch.nn


def module(function):
    class Of(nn.Module):
        def forward(self, x):
            return function(x)

    return Of()


def branches_on_data(x):
    return x if x.sum() > 0 else -x


def branches_on_size(x):
    return x.sin() if x.shape[0] % 2 else x.cos()


def test_a_branch_on_data_names_its_line():
    with pytest.raises(RuntimeError, match=r"bool\(\) of a tensor.*test_refusals.py:\d+"):
        export(module(branches_on_data), (torch.randn(3),))


def test_a_branch_on_a_varying_size_is_named():
    with pytest.raises(RuntimeError, match=r"operator 0 is sin at \{'n': 3\} and cos at"):
        export(module(branches_on_size), (torch.randn(3),), dynamic_shapes=({0: Dim("n")},))
    assert export(module(branches_on_size), (torch.randn(3),)).module()(torch.zeros(3)).tolist() == [0, 0, 0]


def test_a_branch_at_a_limit_is_found():
    def long(x):
        return x.sin() if x.shape[0] > 500 else x.cos()

    with pytest.raises(RuntimeError, match=r"cos at .* and sin at \{'n': 512\}"):
        export(module(long), (torch.randn(3),), dynamic_shapes=({0: Dim("n", max=512)},))
    with pytest.raises(RuntimeError, match=r"and cos at \{'n': 200\}"):
        export(module(long), (torch.randn(600),), dynamic_shapes=({0: Dim("n", min=200)},))


def test_random_numbers_are_refused():
    with pytest.raises(RuntimeError, match="random numbers"):
        export(nn.Dropout(0.5).train(), (torch.randn(3),))
    export(nn.Dropout(0.5).eval(), (torch.randn(3),))


def test_the_program_itself_is_not_called():
    program = export(nn.Linear(2, 2), (torch.randn(3, 2),))
    with pytest.raises(RuntimeError, match=r"use `exported_program.module\(\)`"):
        program(torch.randn(3, 2))
    with pytest.raises(NotImplementedError, match=r"train\(\) is not supported"):
        program.module().train()


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((4, 2), r"Guard failed: input.size\(\)\[0\] == 3"),
        ((3, 2, 1), "input has shape"),
        ((3, 5), r"size\(\)\[1\] == 2"),
    ],
)
def test_fixed_sizes_are_checked(shape, message):
    program = export(nn.Linear(2, 2), (torch.randn(3, 2),)).module()
    with pytest.raises((AssertionError, ValueError), match=message):
        program(torch.randn(*shape))


def test_limits_of_dims_are_checked():
    n = Dim("n", min=2, max=8)
    program = export(nn.Linear(2, 2), (torch.randn(3, 2),), dynamic_shapes=({0: n},)).module()
    assert program(torch.randn(8, 2)).shape == (8, 2)
    with pytest.raises(AssertionError, match=r"Guard failed: input.size\(\)\[0\] <= 8"):
        program(torch.randn(9, 2))
    with pytest.raises(ValueError, match=r"dtype torch\.float64"):
        program(torch.randn(3, 2, dtype=torch.float64))


def test_dims_of_one_name_are_equal():
    class Sum(nn.Module):
        def forward(self, x, y):
            return x + y

    b = Dim("b")
    program = export(Sum(), (torch.ones(3), torch.ones(3)), dynamic_shapes={"x": {0: b}, "y": {0: b}}).module()
    assert program(torch.ones(5), torch.ones(5)).tolist() == [2.0] * 5
    with pytest.raises(AssertionError, match=r"Guard failed: y.size\(\)\[0\] == x.size\(\)\[0\]"):
        program(torch.ones(5), torch.ones(4))
    with pytest.raises(ValueError, match="have different sizes"):
        export(Sum(), (torch.ones(3), torch.ones(1)), dynamic_shapes=({0: b}, {0: b}))
    with pytest.raises(ValueError, match="not inputs"):
        export(Sum(), (torch.ones(3), torch.ones(3)), dynamic_shapes={"x": {0: b}, "z": None})


def test_arguments_are_checked():
    with pytest.raises(UserError, match="tuple of example positional inputs"):
        export(nn.Linear(2, 2), torch.randn(3, 2))
    with pytest.raises(ValueError, match=r"instance of `torch.nn.Module`"):
        export(lambda x: x, (torch.randn(3, 2),))
    with pytest.raises(AssertionError, match="valid identifier"):
        Dim("a b")
