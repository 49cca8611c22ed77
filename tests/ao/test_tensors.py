"""Quantized tensors: values, parameters, text, methods and errors."""

import copy
import pickle

import pytest

import torchlike
from tests.oracle import both

pytestmark = pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor, torch.quantize_per_channel and other")
KINDS = ("quint8", "qint8", "qint32")


def _one(torch, *shape, kind="quint8", scale=0.05, zero_point=100):
    return torch.quantize_per_tensor(torch.randn(*shape) * 3, scale, zero_point, getattr(torch, kind))


def _each(torch):
    scales, zeros = torch.rand(3) * 0.05 + 0.01, torch.tensor([0, 3, -7])
    return torch.quantize_per_channel(torch.randn(3, 40), scales, zeros, 0, torch.qint8)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("scale", "zero_point"), [(0.05, 0), (0.0371, 77), (2.5, 3)])
def test_one_scale(executor, kind, scale, zero_point):
    def run(torch):
        x = _one(torch, 40, 50, kind=kind, scale=scale, zero_point=zero_point)
        facts = x.q_scale(), x.q_zero_point(), str(x.qscheme()), str(x.dtype), x.is_quantized, tuple(x.shape)
        return x.int_repr(), x.dequantize(), torch.dequantize([x, x]), facts

    with torchlike.set_executor(executor):
        both(run, rtol=0, atol=0)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("is_float", [False, True])
def test_a_scale_for_each_channel(executor, axis, is_float):
    def run(torch):
        scales = torch.tensor([0.05, 0.0123, 0.007, 0.03])
        zeros = torch.tensor([0.5, 3.0, -7.25, 9.0]) if is_float else torch.tensor([0, 3, -7, 100])
        x = torch.quantize_per_channel(torch.randn(4, 4, 50), scales, zeros, axis, torch.qint8)
        numbers = x.q_per_channel_scales(), x.q_per_channel_zero_points(), x.q_per_channel_axis()
        return x.int_repr(), x.dequantize(), *numbers, str(x.qscheme())

    with torchlike.set_executor(executor):
        both(run, rtol=0, atol=0)


@pytest.mark.parametrize("kind", ["quint8", "qint8"])
@pytest.mark.parametrize("reduce_range", [False, True])
@pytest.mark.parametrize("shift", [0.0, 5.0, -5.0])
@pytest.mark.parametrize("size", [1.0, 1e-6, 0.0])
def test_the_range_of_the_input(kind, reduce_range, shift, size):
    def run(torch):
        x = (torch.randn(300) + shift) * size
        made = torch.quantize_per_tensor_dynamic(x, getattr(torch, kind), reduce_range)
        return made.int_repr(), made.q_scale(), made.q_zero_point()

    both(run, rtol=0, atol=0)


def test_special_numbers():
    def run(torch):
        x = torch.tensor([float("nan"), float("inf"), -float("inf"), 12.74, -0.06])
        return torch.quantize_per_tensor(x, 0.1, 1, torch.quint8).int_repr()

    both(run)


@pytest.mark.parametrize("make", [_one, lambda torch, *shape: _each(torch)], ids=["one scale", "each channel"])
@pytest.mark.parametrize("shape", [(3, 4), (0,), (2, 2000)])
def test_repr(make, shape):
    both(lambda torch: repr(make(torch, *shape)))


MOVES = {
    "view": lambda torch, x: x.view(6, 16),
    "reshape": lambda torch, x: torch.reshape(x, (-1,)),
    "flatten": lambda torch, x: torch.flatten(x, 1),
    "permute": lambda torch, x: x.permute(0, 2, 3, 1),
    "transpose": lambda torch, x: torch.transpose(x, 1, 2),
    "unsqueeze": lambda torch, x: x.unsqueeze(0),
    "squeeze": lambda torch, x: x[:1].squeeze(0),
    "index": lambda torch, x: x[0, 1:],
    "clone": lambda torch, x: x.clone(),
    "contiguous": lambda torch, x: x.permute(0, 2, 3, 1).contiguous(),
    "detach": lambda torch, x: x.detach(),
    "cat": lambda torch, x: torch.cat([x, x], 1),
    "relu": lambda torch, x: torch.relu(x),
    "functional relu": lambda torch, x: torch.nn.functional.relu(x),
    "relu in place": lambda torch, x: torch.nn.functional.relu(x, inplace=True),
    "relu_": lambda torch, x: x.relu_(),
    "clamp": lambda torch, x: torch.clamp(x, -1.0, 2.0),
    "hardtanh": lambda torch, x: torch.nn.functional.hardtanh(x, -1.0, 2.0),
    "sigmoid": lambda torch, x: torch.sigmoid(x),
    "tanh": lambda torch, x: x.tanh(),
    "mean": lambda torch, x: x.mean([2, 3]),
    "max pool": lambda torch, x: torch.nn.functional.max_pool2d(x, 2),
    "max pool with padding": lambda torch, x: torch.nn.functional.max_pool2d(x, 3, 2, 1),
    "average pool": lambda torch, x: torch.nn.functional.avg_pool2d(x, 2),
    "average pool with padding": lambda torch, x: torch.nn.functional.avg_pool2d(x, 3, 2, 1),
    "adaptive pool": lambda torch, x: torch.nn.functional.adaptive_avg_pool2d(x, 2),
    "add": lambda torch, x: torch.ops.quantized.add(x, x, 0.11, 90),
    "add and relu": lambda torch, x: torch.ops.quantized.add_relu(x, x, 0.11, 90),
    "mul": lambda torch, x: torch.ops.quantized.mul(x, x, 0.11, 90),
    "cat with a scale": lambda torch, x: torch.ops.quantized.cat([x, x], 1, 0.11, 90),
    "relu6": lambda torch, x: torch.ops.quantized.relu6(x),
    "hardswish": lambda torch, x: torch.ops.quantized.hardswish(x, 0.11, 90),
    "leaky relu": lambda torch, x: torch.ops.quantized.leaky_relu(x, 0.1, False, 0.11, 90),
}


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("name", MOVES)
def test_operators(name, executor):
    def run(torch):
        made = MOVES[name](torch, _one(torch, 2, 3, 4, 4))
        return made.int_repr(), made.q_scale(), made.q_zero_point(), str(made.dtype)

    with torchlike.set_executor(executor):
        both(run, stride=False)


def test_copies():
    for x in (_one(torchlike, 3, 4), _each(torchlike)):
        for made in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.to("cpu"), x.cpu()):
            assert repr(made) == repr(x)


ERRORS = {
    "zero point above": lambda torch: torch.quantize_per_tensor(torch.ones(2), 0.1, 300, torch.quint8),
    "zero point below": lambda torch: torch.quantize_per_tensor(torch.ones(2), 0.1, -1, torch.quint8),
    "float64": lambda torch: torch.quantize_per_tensor(torch.ones(2).double(), 0.1, 1, torch.quint8),
    "a plain dtype": lambda torch: torch.quantize_per_tensor(torch.ones(2), 0.1, 1, torch.int8),
    "axis": lambda torch: torch.quantize_per_channel(
        torch.ones(2), torch.ones(2), torch.ones(2).long(), 1, torch.qint8
    ),
    "lengths": lambda torch: torch.quantize_per_channel(
        torch.ones(2), torch.ones(1), torch.ones(1).long(), 0, torch.qint8
    ),
    "scale of many": lambda torch: _each(torch).q_scale(),
    "scales of one": lambda torch: _one(torch, 2).q_per_channel_scales(),
    "numpy": lambda torch: _one(torch, 2).numpy(),
    "float": lambda torch: _one(torch, 2).to(torch.float32),
    "requires grad": lambda torch: _one(torch, 2).requires_grad_(),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    both(ERRORS[name])


REFUSED = {
    "add": lambda torch, x: x + x,
    "exp": lambda torch, x: torch.exp(x),
    "sum": lambda torch, x: x.sum(),
    "softmax": lambda torch, x: torch.nn.functional.softmax(x, 0),
    "matmul": lambda torch, x: torch.matmul(x, x),
    "conv2d": lambda torch, x: torch.nn.functional.conv2d(x, torch.ones(1, 1, 1, 1)),
    "setitem": lambda torch, x: x.__setitem__(0, 1.0),
    "tolist": lambda torch, x: x.tolist(),
    "where": lambda torch, x: torch.where(torch.ones(3) > 0, x, x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_unsupported_operators_raise_with_their_name(name):
    with pytest.raises(NotImplementedError, match=rf"{name.strip('_')}.*: not supported for quantized tensors"):
        REFUSED[name](torchlike, _one(torchlike, 3))


@pytest.mark.parametrize("name", ["int_repr", "q_scale", "qscheme", "q_per_channel_axis"])
def test_plain_tensors_have_no_parameters(name):
    with pytest.raises(
        NotImplementedError, match=f"Could not run 'aten::{name}' with arguments from the 'CPU' backend"
    ):
        getattr(torchlike.ones(2), name)()


def test_plain_tensors_have_no_quantized_dtype():
    for make in (torchlike.zeros, torchlike.ones):
        with pytest.raises(NotImplementedError, match=r"qint8: .*tensors .* are not supported"):
            make(2, dtype=torchlike.qint8)
    with pytest.raises(NotImplementedError, match="quint4x2: tensors with several elements per byte"):
        torchlike.quantize_per_tensor(torchlike.ones(2), 0.1, 0, torchlike.quint4x2)


@pytest.mark.parametrize("kind", KINDS)
def test_limits_of_dtypes(kind):
    def run(torch):
        limits = torch.iinfo(getattr(torch, kind))
        return limits.min, limits.max, limits.bits, getattr(torch, kind).itemsize, str(getattr(torch, kind))

    both(run)
