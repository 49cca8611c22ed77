"""Nested tensors of the strided layout: values, gradients and errors as in PyTorch."""

import pickle
import warnings

import pytest

import torchlike
from tests.nested.parts import LIBRARIES, arrays, check, outcome


@pytest.fixture(autouse=True)
def _without_the_warning():
    with warnings.catch_warnings(action="ignore"):
        yield


def strided(lib, counts=(2, 4, 1), seed=0):
    """Return a nested tensor that requires grad."""
    return lib.nested.nested_tensor([lib.from_numpy(x) for x in arrays(counts, (4,), seed)], requires_grad=True)


def _seen(x):
    """Return nested tensors as lists of components, which `as_numbers` compares."""
    if isinstance(x, tuple | list):
        return [_seen(each) for each in x]
    if getattr(x, "is_nested", False):
        return [[*x.detach().unbind()], x.requires_grad, x.is_contiguous(), x.dim(), x.numel()]
    return x


CASES = {
    "numbers": lambda t, x: (x + 1) * 2 - x / 3,
    "pairs": lambda t, x: x * strided(t, seed=1) + x,
    "functions": lambda t, x: [x.abs(), -x, x.sin(), x.cos(), x.relu(), x.tanh(), t.nn.functional.silu(x)],
    "comparisons": lambda t, x: [x > 0, x == 1, x.detach().masked_fill(x > 0, 0.0), x.isnan(), x.logical_not()],
    "views": lambda t, x: [x.transpose(1, 2), x.unsqueeze(1), x.unsqueeze(-1).squeeze(-1), x[..., 0]],
    "reshapes": lambda t, x: [x.view(3, -1, 2, 2), x.reshape(3, -1, 2, 2).transpose(1, 2)],
    "contiguous": lambda t, x: x.transpose(-1, -2).contiguous(),
    "parts": lambda t, x: [x.chunk(2, -1), x.split([1, 3], -1), x[1], x[-1, 0], x.select(0, 2), x.unbind()],
    "linear": lambda t, x: t.nn.functional.linear(x, t.arange(8.0).reshape(2, 4), t.ones(2)),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, (4,), t.arange(4.0), t.ones(4)),
    "products": lambda t, x: [x @ x.transpose(1, 2), t.bmm(x, x.mT)],
    "softmax": lambda t, x: [x.softmax(-1), x.softmax(1)],
    "sum": lambda t, x: x.sum(-1, keepdim=True),
    "attention": lambda t, x: t.nn.functional.scaled_dot_product_attention(x, x, x * 2),
    "copies": lambda t, x: [x.clone(), x.double(), x.to(t.float64), t.zeros_like(x), t.ones_like(x)],
    "random": lambda t, x: [t.manual_seed(0) and None, t.randn_like(x), t.nn.functional.dropout(x)],
    "in place": lambda t, x: x.detach().clone().mul_(2).add_(x.detach()),
    "padded": lambda t, x: [x.to_padded_tensor(0.0), t.nested.to_padded_tensor(x, 1.0, (3, 5, 6))],
    "all dims differ": lambda t, x: t.nested.nested_tensor([t.ones(2, 3), t.ones(4, 1)]).to_padded_tensor(0),
    "lists": lambda t, x: [t.nested.nested_tensor([[1, 2], [3]]), t.nested.nested_tensor([])],
    "text": lambda t, x: [repr(t.nested.nested_tensor(each)) for each in ([[1, 2], [3]], [])],
    "texts": lambda t, x: [repr(t.ones_like(x).requires_grad_()), str(t.ones_like(x).double())],
    "sizes": lambda t, x: [x.size(0), x.size(-1), x.is_leaf, str(x.layout), str(x.dtype), type(x).__name__],
    "tables": lambda t, x: [x._nested_tensor_size(), x._nested_tensor_strides(), x._nested_tensor_storage_offsets()],
    "pickle": lambda t, x: pickle.loads(pickle.dumps(x)),
    "as nested": lambda t, x: [t.nested.as_nested_tensor([*x.unbind()]), t.nested.as_nested_tensor(t.ones(2, 3))],
    "gradient": lambda t, x: t.autograd.grad((x * 2).to_padded_tensor(0.0).exp().sum(), x),
    "gradient of views": lambda t, x: t.autograd.grad((x.transpose(1, 2) @ x).to_padded_tensor(0.0).exp().sum(), x),
    "gradient of a nested tensor": lambda t, x: [(x * 3).backward(t.ones_like(x)), x.grad],
    "gradient of components": lambda t, x: t.autograd.grad(x.unbind()[1].exp().sum(), x),
    "gradient of a list": lambda t, x: _of_a_list(t),
    "layers": lambda t, x: _layers(t, x),
}


def _of_a_list(t):
    given = [t.arange(2.0, requires_grad=True), t.ones(3, requires_grad=True)]
    t.nested.as_nested_tensor(given).to_padded_tensor(0.0).exp().sum().backward()
    return [each.grad for each in given]


def _layers(t, x):
    t.manual_seed(0)
    attention = t.nn.MultiheadAttention(4, 2, batch_first=True).eval()
    layer = t.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()
    x = x.detach()
    with t.no_grad():
        found = [*attention(x, x, x), layer(x), t.nn.TransformerEncoder(layer, 2)(x)]
    return [each.to_padded_tensor(0.0) if each.is_nested else each for each in found]


@pytest.mark.parametrize("name", CASES)
def test_nested_tensors_are_those_of_pytorch(name):
    theirs, ours = [outcome(lambda lib: _seen(CASES[name](lib, strided(lib))), lib) for lib in LIBRARIES]
    assert not isinstance(theirs, str), theirs
    check(theirs, ours)


REFUSED = {
    "dense": lambda t, x: x * t.ones(4),
    "shape": lambda t, x: x.shape,
    "size": lambda t, x: x.size(1),
    "strides": lambda t, x: x.stride(),
    "len": lambda t, x: len(x),
    "slice": lambda t, x: x[1:],
    "index": lambda t, x: x[3],
    "sum": lambda t, x: x.sum(-1),
    "sum of rows": lambda t, x: x.sum(1, keepdim=True),
    "softmax": lambda t, x: x.softmax(0),
    "transpose": lambda t, x: x.transpose(0, 1),
    "unsqueeze": lambda t, x: x.unsqueeze(0),
    "unbind": lambda t, x: x.unbind(1),
    "chunk": lambda t, x: x.chunk(2, 1),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, (4,)),
    "matmul": lambda t, x: x @ t.ones(4, 2),
    "padding": lambda t, x: x.to_padded_tensor(0.0, (3, 3, 4)),
    "bool": lambda t, x: bool(x),
    "backward": lambda t, x: (x * 2).backward(),
    "dims": lambda t, x: t.nested.nested_tensor([t.ones(2), t.ones(2, 2)]),
    "no list": lambda t, x: t.nested.nested_tensor(t.ones(2, 3)),
    "layouts": lambda t, x: t.nested.as_nested_tensor(x, layout=t.jagged),
    "training": lambda t, x: t.nn.MultiheadAttention(4, 2, batch_first=True)(x, x, x),
    "grad": lambda t, x: t.nn.MultiheadAttention(4, 2, batch_first=True).eval()(x, x, x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors_are_those_of_pytorch(name):
    theirs, ours = [outcome(REFUSED[name], lib, strided(lib)) for lib in LIBRARIES]
    assert theirs == ours and ": " in ours


def test_other_functions_are_refused_by_name():
    with pytest.raises(NotImplementedError, match="exp of nested tensors: not supported"):
        strided(torchlike).exp()
