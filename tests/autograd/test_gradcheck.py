"""`gradcheck` and `gradgradcheck`: the functions that pass and fail, and the error messages."""

import pytest

from tests.autograd.library import compare, programs, torch


def _x():
    return torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)


def _y():
    return torch.tensor([[0.3, 0.2], [1.1, -0.7]], dtype=torch.float64, requires_grad=True)


def _z():
    return torch.tensor([0.5 + 0.2j, 1.5 - 1j], dtype=torch.complex128, requires_grad=True)


def _with_backward(pull):
    class Mine(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return pull(grad)

    return Mine.apply


def _both_speeds(check):
    return [check(fast) for fast in (False, True)]


def one_input():
    return _both_speeds(lambda fast: torch.autograd.gradcheck(lambda x: x.exp() * x, _x(), fast_mode=fast))


def several():
    def function(x, y):
        return y @ x, x.sum()

    options = {"check_forward_ad": True, "check_batched_grad": True}
    return _both_speeds(lambda fast: torch.autograd.gradcheck(function, (_x(), _y()), fast_mode=fast, **options))


def second_order():
    def function(x, y):
        return y @ x.sin(), x.prod()

    options = {"check_fwd_over_rev": True, "check_batched_grad": True}
    return _both_speeds(lambda fast: torch.autograd.gradgradcheck(function, (_x(), _y()), fast_mode=fast, **options))


def complex_numbers():
    return _both_speeds(
        lambda fast: (
            torch.autograd.gradcheck(lambda z: z * z.abs() + z.conj(), _z(), check_forward_ad=True, fast_mode=fast),
            torch.autograd.gradcheck(lambda z: z.abs(), _z(), check_forward_ad=True, fast_mode=fast),
            torch.autograd.gradcheck(lambda x: torch.complex(x, x * x), _x(), check_forward_ad=True, fast_mode=fast),
            torch.autograd.gradgradcheck(lambda z: z**3, _z(), fast_mode=fast),
        )
    )


def a_wrong_gradient():
    torch.autograd.gradcheck(_with_backward(lambda grad: grad * 3), _x())


def a_wrong_gradient_without_an_error():
    wrong = _with_backward(lambda grad: grad * 3)
    return _both_speeds(lambda fast: torch.autograd.gradcheck(wrong, _x(), raise_exception=False, fast_mode=fast))


def a_gradient_that_is_not_linear():
    torch.autograd.gradcheck(_with_backward(lambda grad: torch.full_like(grad, 2)), _x())


def no_gradient_but_constant():
    return torch.autograd.gradcheck(lambda x: x.detach() * 0 + 1, _x())


def no_gradient():
    torch.autograd.gradcheck(lambda x: x.detach(), _x())


def single_precision():
    return torch.autograd.gradcheck(lambda x: x * 2, torch.ones(2, requires_grad=True), atol=0.1)


def no_input():
    torch.autograd.gradcheck(lambda x: x * 2, torch.ones(2))


def overlapping_input():
    torch.autograd.gradcheck(lambda x: x * 2, torch.ones(1, dtype=torch.float64, requires_grad=True).expand(3))


def no_mode():
    torch.autograd.gradcheck(lambda x: x, _x(), check_backward_ad=False)


def batched_without_backward():
    options = {"check_backward_ad": False, "check_forward_ad": True, "check_batched_grad": True}
    torch.autograd.gradcheck(lambda x: x, _x(), **options)


def no_order():
    torch.autograd.gradgradcheck(lambda x: x, _x(), check_rev_over_rev=False)


def undefined_without_reverse():
    torch.autograd.gradgradcheck(lambda x: x, _x(), check_rev_over_rev=False, check_fwd_over_rev=True)


def forward_only():
    options = {"check_backward_ad": False, "check_forward_ad": True, "check_undefined_grad": False}
    return torch.autograd.gradcheck(lambda x: x * x, _x(), **options)


def given_weights():
    return torch.autograd.gradgradcheck(lambda x: x * x, _x(), torch.ones(2, dtype=torch.float64, requires_grad=True))


def weights_with_gaps():
    return torch.autograd.gradgradcheck(lambda x: x * x, _x(), gen_non_contig_grad_outputs=True)


def parameters_of_a_module():
    layer = torch.nn.Linear(2, 3).double()
    x = torch.ones(1, 2, dtype=torch.float64)
    return torch.autograd.gradcheck(lambda *parameters: layer(x), tuple(layer.parameters()))


def inputs_are_as_before():
    x = _x()
    torch.autograd.gradcheck(lambda x: x * 2, x)
    return x


@pytest.mark.parametrize("program", programs(globals()), ids=lambda program: program.__name__)
def test_gradcheck_programs_equal_pytorchs(program):
    compare(program)


def test_batched_forward_mode_is_refused_by_name():
    import torchlike

    x = torchlike.ones(1, dtype=torchlike.float64, requires_grad=True)
    with pytest.raises(NotImplementedError, match="check_batched_forward_grad"):
        torchlike.autograd.gradcheck(lambda x: x, x, check_forward_ad=True, check_batched_forward_grad=True)
