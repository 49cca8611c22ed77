"""The variance of numbers whose squares are outside of the range of their dtype."""

import pytest

from tests.oracle import both

CASES = [(dtype, scale) for dtype in ("float32", "bfloat16", "complex64") for scale in (1e-25, 1e10, 1e18, 1e30)]
CASES += [("float16", 1e-5), ("float16", 1e4)]


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize(("dtype", "scale"), CASES)
def test_large_and_small_numbers(dtype, scale, executor):
    def program(torch):
        x = (torch.linspace(-1, 2, 24, dtype=torch.float64).sin() * scale).reshape(4, 6)
        x = (torch.complex(x, x.flip(0)) if dtype == "complex64" else x).to(getattr(torch, dtype))
        with torch.set_executor(executor) if hasattr(torch, "set_executor") else torch.no_grad():
            spread = [x.var(), x.std(), x.var(1, correction=0), x.std(0, keepdim=True)]
            return *spread, *torch.var_mean(x, 1), *torch.std_mean(x)

    both(program)


def test_gradients():
    def program(torch):
        x = torch.linspace(-1, 2, 24).sin().reshape(4, 6).requires_grad_()
        (x.var(1).sum() + x.std() + sum(t.sum() for t in torch.std_mean(x, 0))).backward()
        return x.grad

    both(program)


# Positional and named arguments that no overload takes, and some that one takes.
ARGUMENTS = [
    ((), {"unbiased": True, "correction": 1}),
    ((), {"unbiased": False, "keepdim": True}),
    ((), {"unbiased": 1}),
    ((), {"dim": 0, "axis": 1}),
    ((), {"correction": None, "axis": 0}),
    ((0,), {"dim": 0}),
    ((0, True), {"correction": 1}),
    ((0, 1), {}),
    ((0,), {"correction": 2, "keepdim": True}),
    ((True,), {"keepdim": True}),
    ((None, False, True), {}),
    (([],), {"keepdims": True}),
    ((0, False, True, 1), {}),
    ((0.0,), {}),
]


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("name", ["std", "var", "std_mean", "var_mean"])
@pytest.mark.parametrize(("args", "kwargs"), ARGUMENTS)
def test_overloads(name, args, kwargs):
    """Compare the result, or the type of the error; its text lists the arguments in another order."""

    def program(torch):
        x = torch.linspace(-1, 2, 24).sin().reshape(4, 6)
        try:
            return getattr(torch, name)(x, *args, **kwargs)
        except TypeError as error:
            return type(error)

    both(program)
