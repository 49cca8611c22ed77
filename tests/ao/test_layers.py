"""Integer layers: equal levels for equal weights, and the programs that compute them."""

import numpy as np
import pytest

import torchlike
from tests.oracle import both
from tests.targets.kernels import Kernel, text
from torchlike._dtypes.devices import cpu
from torchlike._engine import aval

pytestmark = pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor, torch.quantize_per_channel and other")


def _weight(torch, shape, each, zero_point=0):
    w = torch.randn(*shape)
    if not each:
        return torch.quantize_per_tensor(w, w.abs().max().item() / 100, zero_point, torch.qint8)
    scales = w.abs().flatten(1).amax(1) / 100
    return torch.quantize_per_channel(w, scales.double(), torch.full((shape[0],), zero_point), 0, torch.qint8)


def _levels(made):
    return made.int_repr(), made.q_scale(), made.q_zero_point()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("zero_point", [0, 5])
@pytest.mark.parametrize("relu", ["", "_relu"])
@pytest.mark.parametrize("bias", [False, True])
def test_linear(executor, each, zero_point, relu, bias):
    def run(torch):
        x = torch.quantize_per_tensor(torch.randn(6, 30, 64), 6 / 127, 60, torch.quint8)
        weight, bias_ = _weight(torch, (40, 64), each, zero_point), torch.randn(40) if bias else None
        packed = torch.ops.quantized.linear_prepack(weight, bias_)
        made = getattr(torch.ops.quantized, f"linear{relu}")(x, packed, 0.31, 0 if relu else 120)
        return *_levels(made), torch.ops.quantized.linear_dynamic(x.dequantize(), packed, reduce_range=True)

    with torchlike.set_executor(executor):
        both(run, rtol=1e-5, atol=1e-5)  # the dynamic result is rounded twice; PyTorch fuses product and sum


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("relu", ["", "_relu"])
@pytest.mark.parametrize(("stride", "padding", "dilation", "groups"), [(1, 0, 1, 1), (2, 1, 1, 1), (1, 2, 2, 4)])
def test_conv(dims, each, relu, stride, padding, dilation, groups):
    def run(torch):
        x = torch.quantize_per_tensor(torch.randn(2, 8, *[9] * dims), 0.05, 60, torch.quint8)
        weight = _weight(torch, (12, 8 // groups, *[3] * dims), each)
        geometry = [stride] * dims, [padding] * dims, [dilation] * dims, groups
        packed = getattr(torch.ops.quantized, f"conv{dims}d_prepack")(weight, torch.randn(12), *geometry)
        made = getattr(torch.ops.quantized, f"conv{dims}d{relu}")(x, packed, 0.2, 0 if relu else 60)
        levels.append(made.int_repr().tolist())
        return _levels(made)

    levels: list = []
    both(run, stride=False, rtol=0, atol=1)  # PyTorch's engines round ties and near ties in several ways
    theirs, ours = (np.array(found) for found in levels)
    assert (theirs == ours).mean() > 0.999


def test_convolution_with_a_zero_point_of_the_weight():
    def run(torch):
        x = torch.quantize_per_tensor(torch.randn(2, 4, 9, 9), 0.05, 60, torch.quint8)
        packed = torch.ops.quantized.conv2d_prepack(
            _weight(torch, (6, 2, 3, 3), False, 7), torch.randn(6), [1, 1], [1, 1], [1, 1], 2
        )
        return _levels(torch.ops.quantized.conv2d(x, packed, 0.2, 60))

    both(run, stride=False)


MODULES = {
    "Linear": lambda nnq: nnq.Linear(3, 2),
    "Linear without bias": lambda nnq: nnq.Linear(3, 2, bias_=False),
    "Conv1d": lambda nnq: nnq.Conv1d(2, 4, 3),
    "Conv2d": lambda nnq: nnq.Conv2d(2, 4, (3, 1), stride=2, padding=1, dilation=2, groups=2, bias=False),
    "Conv3d": lambda nnq: nnq.Conv3d(2, 4, 3),
    "QFunctional": lambda nnq: nnq.QFunctional(),
    "ReLU6": lambda nnq: nnq.ReLU6(),
    "Hardswish": lambda nnq: nnq.Hardswish(0.1, 3),
    "LeakyReLU": lambda nnq: nnq.LeakyReLU(0.1, 3, 0.2),
    "BatchNorm2d": lambda nnq: nnq.BatchNorm2d(3),
    "Dropout": lambda nnq: nnq.Dropout(0.3),
    "DeQuantize": lambda nnq: nnq.DeQuantize(),
    "dynamic Linear": lambda nnq: nnq.dynamic.Linear(3, 2),
    "dynamic LSTM": lambda nnq: nnq.dynamic.LSTM(3, 2, 2, bidirectional=True, batch_first=True),
}


@pytest.mark.parametrize("name", MODULES)
def test_text_and_keys_of_new_modules(name):
    def run(torch):
        made = MODULES[name](torch.ao.nn.quantized)
        return repr(made), list(made.state_dict())

    both(run)


@pytest.mark.parametrize("name", ["Quantize", "Hardswish", "LeakyReLU", "BatchNorm2d"])
def test_modules_on_quantized_tensors(name):
    def run(torch):
        nnq = torch.ao.nn.quantized
        x = torch.randn(2, 3, 4, 4)
        if name == "Quantize":
            return _levels(nnq.Quantize(0.1, 3, torch.quint8)(x))
        made = nnq.BatchNorm2d(3) if name == "BatchNorm2d" else getattr(nnq, name)(0.11, 30)
        return _levels(made.eval()(torch.quantize_per_tensor(x, 0.05, 60, torch.quint8)))

    both(run, stride=False)


def _bytes(*shape, dtype=torchlike.int8):
    return aval(shape, dtype, cpu)


KERNELS = {
    "linear": (
        Kernel("_int8_linear", (_bytes(6, 64, dtype=torchlike.uint8), _bytes(40, 64))),
        "(tensor<6x64xi8>, tensor<40x64xi8>) -> tensor<6x40xi32>",
    ),
    "conv": (
        Kernel(
            "_int8_conv", (_bytes(2, 8, 9, 9, dtype=torchlike.uint8), _bytes(4, 8, 3, 3), 3, (1, 1), (1, 1), (1, 1), 1)
        ),
        "(tensor<2x8x11x11xi8>, tensor<4x8x3x3xi8>) -> tensor<2x4x9x9xi32>",
    ),
}


@pytest.mark.parametrize("platform", ["cpu", "cuda", "tpu"])
@pytest.mark.parametrize("name", KERNELS)
def test_programs_multiply_int8_and_accumulate_int32(name, platform):
    kernel, signature = KERNELS[name]
    assert signature in text(kernel.plan(), platform)
