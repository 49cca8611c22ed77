"""Nested tensors as objects: sizes, members, memory, gradients, copies and files."""

import copy
import io
import pickle
from typing import Any

import pytest

import torchlike
from tests.nested.parts import LIBRARIES, as_numbers, check, nested, outcome

ABOUT = {
    "shape": lambda t, x: [n if isinstance(n, int) else "j" for n in x.shape],
    "shape is a Size": lambda t, x: type(x.shape) is t.Size and isinstance(x.size(1), t.SymInt),
    "same size": lambda t, x: [x.shape == (x * 2).shape, x.shape == nested(t).shape, x.size(1) == 4],
    "slices": lambda t, x: [len(x.shape[1:]), len((*x.shape, 1)), len(x.shape + (1,))],
    "bounds": lambda t, x: [x.size(1) >= 2, x.size(1) > 1, x.size(1) == x.size(1), x.size(1) != 3],
    "factor": lambda t, x: [x.size(1) * 2 == 2 * x.size(1), str(x.size(1) * 3)[:3]],
    "dims": lambda t, x: [x.dim(), x.ndim, len(x), x.numel(), t.numel(x), x.nbytes, x.element_size()],
    "flags": lambda t, x: [x.is_nested, str(x.layout), x.is_leaf, x.is_sparse, x.is_floating_point(), x.is_cuda],
    "class": lambda t, x: [type(x).__name__, isinstance(x, t.Tensor), t.is_tensor(x), str(x.dtype), str(x.device)],
    "contiguous": lambda t, x: [x.contiguous() is x, x.transpose(1, 2).is_contiguous(), x.float() is x],
    "components differ in the last dim": lambda t, x: t.nested.nested_tensor(
        [t.ones(3, 2), t.ones(3, 5)], layout=t.jagged
    ),
    "lists": lambda t, x: t.nested.nested_tensor([[1, 2], [3]], layout=t.jagged),
    "dtype": lambda t, x: t.nested.nested_tensor([[1, 2], [3]], dtype=t.float64, layout=t.jagged),
    "of a tensor": lambda t, x: t.nested.nested_tensor(t.ones(2, 3), layout=t.jagged),
    "copies": lambda t, x: t.nested.nested_tensor(x, layout=t.jagged),
    "lengths": lambda t, x: t.nested.nested_tensor_from_jagged(t.arange(7.0), lengths=t.tensor([2, 5])),
    "gaps": lambda t, x: [
        y.numel() for y in [t.nested.nested_tensor_from_jagged(t.arange(7.0), t.tensor([0, 2, 7]), t.tensor([1, 3]))]
    ],
    "like": lambda t, x: [t.zeros_like(x), t.ones_like(x, dtype=t.int32), t.full_like(x, 3.0)],
    "random": lambda t, x: [
        t.manual_seed(0) and None,
        t.rand_like(x),
        t.randn_like(x),
        t.nn.functional.dropout(x.detach()),
    ],
    "embedding": lambda t, x: t.nn.functional.embedding(x.detach().abs().long(), t.arange(20.0).reshape(10, 2)),
    "embedding_bag": lambda t, x: t.nn.functional.embedding_bag(
        t.nested.nested_tensor([[1, 2], [3]], layout=t.jagged), t.arange(8.0).reshape(4, 2)
    ),
    "one_hot": lambda t, x: t.nn.functional.one_hot(x.detach().abs().long(), 5),
    "autocast": lambda t, x: _in_half(t, x),
    "grad": lambda t, x: t.autograd.grad((x * 2).exp(), x, t.ones_like(x)),
    "seconds": lambda t, x: t.autograd.grad(t.autograd.grad((x**3).sum(), x, create_graph=True)[0].values().sum(), x),
    "hooks": lambda t, x: _hooked(t, x),
    "deepcopy": lambda t, x: copy.deepcopy(x),
    "pickle": lambda t, x: pickle.loads(pickle.dumps(x)),
    "file": lambda t, x: _through_a_file(t, {"a": x, "b": x.detach().transpose(1, 2)})["b"],
    "modules": lambda t, x: t.nn.Sequential(t.nn.LayerNorm(4), t.nn.ReLU(), t.nn.Dropout(0.0))(x),
    "checkpoint": lambda t, x: t.utils.checkpoint.checkpoint(lambda y: y * 2, x, use_reentrant=False),
}


def _in_half(t, x):
    with t.autocast("cpu", dtype=t.bfloat16):
        y = t.nn.functional.linear(x, t.ones(4, 4))
        q = y.unflatten(-1, (2, 2)).transpose(1, 2)
        out = t.nn.functional.scaled_dot_product_attention(q, q, q)
        return [str(z.dtype) for z in (y, out, x @ t.ones(4, 4), x.softmax(-1), t.nn.functional.layer_norm(y, (4,)))]


def _hooked(t, x):
    y, seen = x * 2, []
    y.register_hook(lambda grad: seen.append(grad) or grad * 3)
    y.retain_grad()
    (y * 5).sum().backward()
    return [*seen, y.grad, x.grad, x.grad is x.grad]


def _through_a_file(t, what):
    file = io.BytesIO()
    t.save(what, file)
    file.seek(0)
    return t.load(file)


@pytest.mark.parametrize("name", ABOUT)
def test_nested_tensors_are_those_of_pytorch(name):
    theirs, ours = [outcome(ABOUT[name], lib, nested(lib)) for lib in LIBRARIES]
    assert not isinstance(theirs, str), theirs
    check(theirs, ours)


def test_repr():
    for lib in LIBRARIES:
        x = nested(lib)
        assert (
            repr(x.detach()) == f"NestedTensor(size=(3, {x.size(1)}, 4), offsets=tensor([0, 2, 6, 7]), contiguous=True)"
        )
        assert "requires_grad=True, contiguous=True" in repr(x) and "grad_fn=<MulBackward0" in str(x * 2)


WRITES = {
    "all": lambda t, rows, x: x.mul_(2),
    "a component": lambda t, rows, x: x.unbind()[1].add_(1),
    "values": lambda t, rows, x: x.values()[0].fill_(7),
    "transposed": lambda t, rows, x: x.transpose(1, 2).add_(1),
    "item": lambda t, rows, x: x.__setitem__(0, 3),
    "a copy": lambda t, rows, x: t.nested.nested_tensor([rows], layout=t.jagged).zero_(),
    "a batch": lambda t, rows, x: t.nested.as_nested_tensor(rows[None], layout=t.jagged).add_(1),
}


@pytest.mark.parametrize("name", WRITES)
def test_memory_is_shared_as_in_pytorch(name):
    found = []
    for lib in LIBRARIES:
        rows = lib.arange(8.0).reshape(4, 2)
        WRITES[name](lib, rows, lib.nested.nested_tensor_from_jagged(rows, lib.tensor([0, 1, 4])))
        found.append(as_numbers(rows))
    check(*found)


def test_gradients_flow_through_writes():
    found = []
    for lib in LIBRARIES:
        x, weight = nested(lib), lib.ones(4, requires_grad=True)
        y = x * 2
        y.mul_(weight)
        (y * y).sum().backward()
        found.append(as_numbers([y, x.grad, weight.grad]))
    check(*found)


def test_gradients_flow_through_writes_to_components():
    x, factor = nested(torchlike), torchlike.tensor(3.0, requires_grad=True)
    rows = x.values().detach().requires_grad_()
    y, z = x * 2, rows * 2
    y.values()[0].mul_(factor)
    y[1].mul_(factor)
    z[:1] *= factor
    z[2:6] *= factor
    (y * y).sum().backward()
    expected = torchlike.autograd.grad((z * z).sum(), [rows, factor])
    torchlike.testing.assert_close([x.grad.values(), factor.grad], [*expected])


def test_a_nested_tensor_requires_grad_without_its_rows():
    for lib in LIBRARIES:
        rows = lib.ones(4, 2)
        x = lib.nested.nested_tensor_from_jagged(rows, lib.tensor([0, 1, 4])).requires_grad_()
        assert x.is_leaf and x.values().requires_grad and not rows.requires_grad


def test_files_can_be_read_by_pytorch():
    x = nested(torchlike)
    assert x.shape[0] == 3
    for each in (x, x.detach().transpose(1, 2), x.offsets()):
        file = io.BytesIO()
        torchlike.save(each, file)
        file.seek(0)
        check(as_numbers(LIBRARIES[0].load(file)), as_numbers(each))


@pytest.mark.parametrize("offsets", [[0, 9, 7], [-1, 2, 7], [0, 2, 70], [0, 9], []])
def test_offsets_of_files_are_checked(offsets):
    values, file = torchlike.ones(7, 2), io.BytesIO()
    broken: Any = torchlike.nested.nested_tensor_from_jagged(values, torchlike.tensor([0, 2, 7]))
    broken._structure.offsets = torchlike.tensor(offsets, dtype=torchlike.int64)
    torchlike.save(broken, file)
    for weights_only in (True, False):
        file.seek(0)
        with pytest.raises((RuntimeError, pickle.UnpicklingError)):
            torchlike.load(file, weights_only=weights_only)


def test_data_can_be_assigned():
    x, other = nested(torchlike), nested(torchlike, (1, 5), seed=1).detach()
    x.data = other
    assert x.requires_grad and x.shape == other.shape and x.values().equal(other.values())


def test_compiled_functions_follow_the_offsets():
    net = torchlike.nn.Linear(4, 4)
    step = lambda x: net(x.softmax(1)).sum(1)
    compiled = torchlike.compile(step)
    for seed, counts in enumerate([(2, 4, 1), (2, 4, 1), (1, 1, 5), (4, 2, 1), (3, 3), (2, 4, 1)] * 2):
        x = nested(torchlike, counts, seed=seed)
        torchlike.testing.assert_close(compiled(x), step(x))


def test_a_function_without_a_rule_is_refused_by_name():
    x = nested(torchlike)
    for name, call in {"sort": lambda: x.sort(-1), "fft": lambda: torchlike.fft.fft(x), "pad": lambda: _pad(x)}.items():
        with pytest.raises(NotImplementedError, match=f"{name}: not supported for tensors of layout torch.jagged"):
            call()


def _pad(x):
    return torchlike.nn.functional.pad(x, (0, 1))


def test_a_dense_tensor_has_no_padded_form():
    found = [outcome(lambda t: t.ones(2).to_padded_tensor(0.0), lib) for lib in LIBRARIES]
    assert found[0].startswith(found[1]) and "aten::to_padded_tensor" in found[1]
