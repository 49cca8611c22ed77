"""Forms of calls.

The forms are Python operators, keywords in any order, NumPy's argument names, deprecated overloads, in-place methods,
and named fields of results.
"""

import operator

import numpy as np
import pytest

import torchlike
from tests.oracle import both

PROGRAMS = {
    "python": lambda torch, x: (2**x, x**2.0, x**x, x // 2, 7 // x, x % 2, 5 % x, 1 / x, 1 - x, -x, +x, abs(x)),
    "masks": lambda torch, x: ((x > 0) & (x < 2), (x > 0) | (x < 2), (x > 0) ^ True, ~(x > 0), (x > 0) * x),
    "shifts": lambda torch, x: (x.long() << 1, 1 << x.long().abs(), x.long() >> 1),
    "counting": lambda torch, x: ((x > 0).sum(), (x > 0).float().mean(), (x == x).all(), (x > 9).any(), (x > 0) + 1),
    "nothing equals None": lambda torch, x: (x == None, x != None),  # noqa: E711
    "keywords in another order": lambda torch, x: (
        x.clamp(max=1, min=0),
        torch.addcmul(x, tensor2=x, tensor1=x + 1),
        torch.where(other=x, input=-x, condition=x > 0),
        torch.sum(keepdim=True, dim=1, input=x),
    ),
    "NumPy's names": lambda torch, x: (
        x.sum(axis=0),
        x.mean(axis=(0, 1), keepdims=True),
        torch.max(x, axis=1)[1],
        x.std(axis=1),
        x.argmax(axis=0),
        x.std(axis=1, keepdims=True),
        x.unsqueeze(axis=0),
        torch.squeeze(a=x[:1], axis=0),
        torch.add(a=x, x2=x),
        torch.exp(a=x),
    ),
    "factors first": lambda torch, x: (
        x.clone().add_(0.5, x),
        torch.add(x, 2, x),
        x.sub(0.5, x),
        x.clone().addcmul_(0.5, x, x),
        x.clone().addcdiv_(-0.1, x, x + 3),
        torch.addmm(0.5, x, 2, x, x),
    ),
    "in place": lambda torch, x: (
        x.clone().clamp_(0, 1),
        x.clone().pow_(2),
        x.clone().mul_(x).add_(1),
        x.clone().div_(2),
        x.clone().sqrt_(),
        x.clone().abs_().log_(),
        x.clone().neg_(),
    ),
    "no product of matrices in place": lambda torch, x: (lambda y: (operator.imatmul(y, y), y))(x @ x.T),
    "named results": lambda torch, x: (
        x.max(1).indices,
        x.sort(descending=True).values,
        x.topk(2).indices,
        x.min(0)[0],
        torch.median(x, 1).values,
    ),
    "numbers": lambda torch, x: (x.sum().item(), x.max().item(), float(x.mean()), int(x.argmax()), bool(x.all())),
    "of a zero-dim tensor": lambda torch, x: (
        torch.tensor(5) / 2,
        torch.tensor(5) // 2,
        torch.tensor(2) ** 3,
        torch.tensor(1.5) + x.double(),
        torch.tensor(2) * x,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore:This overload")
def test_calls(name):
    both(lambda torch: PROGRAMS[name](torch, torch.tensor([[0.5, -1.5, 2.0], [3.0, 1.0, -0.25], [1.5, 2.5, -3.0]])))


@pytest.mark.parametrize("name", ["pow", "maximum", "add", "exp"])
def test_surplus_arguments_are_refused_after_a_call_with_enough(name):
    x = torchlike.ones(2)
    enough = [x] * (1 if name == "exp" else 2)
    for _ in range(2):
        getattr(torchlike, name)(*enough)
        with pytest.raises(TypeError, match="argument"):
            getattr(torchlike, name)(*enough, x)
        with pytest.raises(TypeError, match="argument"):
            getattr(x, name)(*enough[1:], 3)


@pytest.mark.parametrize("name", ["unsqueeze", "transpose", "diagonal", "squeeze", "unsqueeze_", "transpose_"])
def test_a_tensor_of_several_elements_is_no_dim(name):
    def run(torch):
        x = torch.ones(2, 3)
        try:
            return getattr(x, name)(*[x] * (2 if name.startswith("transpose") else 1))
        except TypeError as error:
            return type(error)

    both(run)


@pytest.mark.parametrize("wrong", [1.0, 1 + 0j, True, "1"])
def test_values_that_equal_a_dim_are_refused_after_a_call_with_it(wrong):
    def run(torch):
        x, found = torch.ones(2, 3), []
        for call in (x.unsqueeze, lambda dim: x.transpose(dim, 0), lambda dim: torch.squeeze(x, dim)):
            call(1)
            try:
                found.append(call(wrong))
            except TypeError:
                found.append(None)
        return found

    both(run)


@pytest.mark.parametrize("padding", [1.0, True, [1.0, 1], None, "valid", 1, [1, 0]])
def test_padding_of_another_type(padding):
    def run(torch):
        try:
            return torch.nn.functional.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), padding=padding)
        except TypeError as error:
            return type(error)

    both(run)


def test_numbers_of_numpy_as_arguments():
    def run(torch):
        x = torch.linspace(0, 2, 12).sin().reshape(3, 4)
        index = torch.zeros(1, 4, dtype=torch.long)
        return (
            x.scatter(0, index, np.int64(1)),
            torch.gradient(x, dim=np.int64(1)),
            torch.gradient(x, dim=torch.tensor(0)),
        )

    both(run)


@pytest.mark.parametrize("q", [[0.5], "a", (0.5, 1.0)])
def test_quantiles_that_are_no_numbers(q):
    def run(torch):
        try:
            return torch.ones(3).quantile(q)
        except TypeError as error:
            return type(error)

    both(run)
