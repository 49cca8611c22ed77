"""Masked tensors, compared with PyTorch: functions, reductions, views, gradients, text, warnings and errors."""

import warnings

import pytest
import torch
import torch.masked.maskedtensor.binary as torch_binary
import torch.masked.maskedtensor.reductions as torch_reductions
import torch.masked.maskedtensor.unary as torch_unary

import torchlike
from tests.oracle import both

pytestmark = [
    pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors"),
    pytest.mark.filterwarnings("ignore:It is not recommended to create a MaskedTensor"),
    pytest.mark.filterwarnings("ignore:[\\w.]* is not implemented in __torch_dispatch__"),
]


def sample(library, requires_grad=False, dtype=None):
    data = library.arange(12.0).reshape(3, 4) / 4 - 1
    mask = data.remainder(0.5) == 0
    mask[2], mask[0, 1] = False, True
    data = data.to(dtype or library.float32)
    return library.masked.masked_tensor(data, mask, requires_grad)


def parts(result):
    """Return the parts of a result that are compared: the text, the elements and the mask of masked tensors."""
    if isinstance(result, tuple | list):
        return [parts(each) for each in result]
    if hasattr(result, "get_mask"):
        return repr(result), result.get_data().detach(), result.get_mask(), result.requires_grad
    return result


def same(function):
    both(lambda library: parts(function(library, sample(library))))


UNARY = torch_unary.UNARY_NAMES
BINARY = torch_binary.BINARY_NAMES
ARGUMENTS = {"pow": (2,), "clamp": (0.0, 0.5), "clip": (0.0, 0.5)}


def test_the_names():
    from torchlike.masked.maskedtensor import binary, reductions, unary

    assert unary.UNARY_NAMES == UNARY and binary.BINARY_NAMES == BINARY
    assert reductions.REDUCE_NAMES == torch_reductions.REDUCE_NAMES
    assert sorted(unary.INPLACE_UNARY_NAMES) == sorted(torch_unary.INPLACE_UNARY_NAMES)
    assert sorted(binary.INPLACE_BINARY_NAMES) == sorted(torch_binary.INPLACE_BINARY_NAMES)


@pytest.mark.parametrize("name", [name for name in UNARY if name != "bitwise_not"])
def test_unary(name):
    same(lambda library, x: getattr(library, name)(x, *ARGUMENTS.get(name, ())))


@pytest.mark.parametrize("name", ["exp_", "clamp_", "neg_", "pow_", "sigmoid_"])
def test_unary_in_place(name):
    same(lambda library, x: (getattr(x, name)(*ARGUMENTS.get(name[:-1], ())), x))


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    def program(library):
        dtype = library.int64 if "bitwise" in name else None
        x = sample(library, dtype=dtype)
        function = getattr(library, name)
        plain = x.get_data().abs() + 1
        return parts([function(x, x), function(x, plain), function(plain[0], x), function(x, 2)])

    both(program)


@pytest.mark.parametrize("name", ["sum", "mean", "amin", "amax", "argmin", "argmax", "prod", "all", "var", "std"])
def test_reductions(name):
    same(lambda library, x: [getattr(library, name)(x), getattr(x, name)(1), getattr(x, name)(0, keepdim=True)])
    same(lambda library, x: getattr(library.masked, name)(x, 1) if name != "all" else ())
    same(lambda library, x: getattr(library.masked.masked_tensor(x.get_data(), x.get_mask() & False), name)())


SAME = [
    "x[0], x[:, 1:3], x[..., 0], x[None], x[x.get_mask()], x[0, 1], x[::2]",
    "x.view(-1), x.reshape(4, 3), x.transpose(0, 1), x.t(), x.mT, x.H, x.flatten(), x.unflatten(1, (2, 2))",
    "x.split(2), x.chunk(3), x.tensor_split(2), library.cat([x, x], 1), library.stack([x, x]), library.vstack([x, x])",
    "library.cat([x, x.get_data()])",
    "x.expand(2, 3, 4), x.unsqueeze(1), x.unfold(1, 2, 1), x.narrow(1, 1, 2), x.select(1, 2)",
    "x.double(), x.to(library.int64), x.clone(), x.detach(), x.t().contiguous(), library.ones_like(x)",
    "library.where(x.get_data() > 0, x, x + 1), library.where(x.get_data() > 0, x, x.get_data())",
    "library.where(x.get_data() > 0, x, 1.0)",
    "x.softmax(1), library.softmax(x, 0), library.nn.Softmax(1)(x), library.nn.functional.softmin(x, 1)",
    "library.nn.Sigmoid()(x), library.nn.Tanh()(x), library.nn.Flatten()(x)",
    "x < 0, x > 0, x == x, x != 1, ~(x > 0), (x > 0) & (x < 1), -x, +x, abs(x), 1 / x, x % 2, x / 2, 2 + x",
    "x.sum().item(), x[0, 1].item(), float(x[0, 1]), bool(x[0, 1]), int(x[0, 1]), len(x), x.numel(), x.is_leaf",
    "x.to_tensor(-1.0), x.add_(1), x.mul_(2), x",
    "library.masked.softmax(x, 1), library.masked.logsumexp(x, 1), library.masked.cumsum(x, 1)",
    "library.masked.norm(x, 2.0, 1), library.masked.logaddexp(x, x)",
    "__import__('copy').deepcopy(x)",
    "((x - 1) ** 2).mean(), x.square().sum().sqrt()",
    "x[2, 3].item()",
    "x.item()",
    "x.numpy()",
    "x.tolist()",
    "1 - x",
    "2 ** x",
    "x @ x.t()",
    "x.norm()",
    "x.std(0, unbiased=False)",
    "x.sum(None)",
    "x.argmin(1, dtype=library.float64)",
    "x.add(x, alpha=2)",
    "x.round(decimals=1)",
    "x.pow(x)",
    "x + library.masked.masked_tensor(x.get_data(), ~x.get_mask())",
    "library.masked.masked_tensor(1, x.get_mask())",
    "library.masked.masked_tensor(x.get_data(), 1)",
    "library.masked.masked_tensor(x.get_data(), x.get_data())",
    "library.masked.masked_tensor(x.get_data(), x.get_mask()[0])",
    "library.masked.masked_tensor(x.get_data(), x.get_mask()[:, :2])",
    "library.masked.masked_tensor(x.get_data().bfloat16(), x.get_mask())",
    "library.masked.masked_tensor(x, x.get_mask())",
    "library.masked.as_masked_tensor(1, x.get_mask())",
    "library.masked.masked_tensor(library.tensor(1), library.tensor(False))",
    "library.masked.masked_tensor(x.get_data() * 1e7, x.get_mask())",
]


@pytest.mark.parametrize("source", SAME)
def test_same(source):
    program = eval(f"lambda library, x: ({source})")
    same(program)


@pytest.mark.parametrize("name", ["relu", "max", "cumsum", "squeeze", "zeros_like", "permute", "unbind", "equal"])
def test_a_function_that_is_not_supported(name):
    arguments = {"cumsum": (0,), "permute": ((1, 0),)}.get(name, ())
    for library in (torch, torchlike):
        x = sample(library)
        with pytest.raises(TypeError, match=r"Multiple dispatch failed for 'torch._ops.aten"):
            getattr(library, name)(x, *((x,) if name == "equal" else arguments))


GRADIENTS = {
    "products": lambda library, x: (x * x + x.sin()).sum(),
    "the mean": lambda library, x: x.mean(),
    "a softmax": lambda library, x: (x.softmax(1) * library.arange(12.0).view(3, 4)).sum(),
    "a maximum": lambda library, x: x.amax(1).sum(),
    "a variance": lambda library, x: x.var(),
    "joined": lambda library, x: library.cat([x, x * 2]).view(-1).sum(),
    "the data": lambda library, x: (x.get_data() * 2).sum(),
    "a plain tensor": lambda library, x: (x.to_tensor(0) * 2).sum(),
    "twice": lambda library, x: x.sum() + x.prod(),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    def program(library):
        data = sample(library)
        values = data.get_data().masked_fill(~data.get_mask(), library.nan)
        x = library.masked.masked_tensor(values, data.get_mask(), requires_grad=True)
        GRADIENTS[name](library, x).backward()
        first = repr(x.grad)
        GRADIENTS[name](library, x).backward()
        return first, repr(x.grad), type(x.grad).__name__

    both(program)


def test_a_plain_factor_receives_no_gradient_from_hidden_elements():
    for library in (torch, torchlike):
        values = library.tensor([[1.0, 2.0], [3.0, library.nan]])
        x = library.masked.masked_tensor(values, values == values)
        weight = library.ones(2, requires_grad=True)
        (x * weight).sum().backward()
        gradient = weight.grad.get_data() if library is torch else weight.grad
        assert gradient.tolist() == [4, 2]


def test_the_data_are_copied_and_get_data_is_a_view():
    def program(library):
        data, mask = library.arange(3.0), library.tensor([True, False, True])
        x = library.masked.masked_tensor(data, mask)
        data.fill_(0)
        mask.fill_(True)
        before = parts(x)
        x.get_data().mul_(2)
        view = x[:2].add_(1)
        return before, parts(x), parts(view)

    both(program)


def test_where_keeps_the_gradients_apart():
    def program(library):
        x = library.tensor([-10.0, -5, 0, 5, 10, 100])
        mask = x < 0
        left = library.masked.masked_tensor(x, mask, requires_grad=True)
        right = library.masked.masked_tensor(library.ones_like(x), ~mask, requires_grad=True)
        library.where(mask, library.exp(left), right).sum().backward()
        return repr(left.grad), repr(right.grad)

    both(program)


def test_warnings():
    texts = []
    for library in (torch, torchlike):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            library.masked.masked_tensor(library.ones(2, requires_grad=True), library.ones(2).bool())
        texts.append([(each.category, str(each.message)) for each in caught])
    assert texts[0] == texts[1]


def test_sparse_tensors_are_refused():
    x = sample(torchlike)
    with pytest.raises(NotImplementedError, match="masked tensors are dense"):
        x.to_sparse()


@pytest.mark.parametrize("function", [lambda t: 1 / t, lambda t: t.log(), lambda t: t * t.sqrt()])
def test_gradient_of_a_plain_tensor_is_zero_under_the_mask(function):
    x = torchlike.tensor([1.0, 2.0, 0.0, 4.0], requires_grad=True)
    mask = torchlike.tensor([True, True, False, True])
    function(torchlike.masked.as_masked_tensor(x, mask)).sum().backward()
    due = torchlike.tensor([1.0, 2.0, 1.0, 4.0], requires_grad=True)
    function(due)[mask].sum().backward()
    assert torchlike.equal(x.grad, due.grad)
