"""Ties: which level PyTorch chooses for a number in the middle of two."""

import pytest

from tests.oracle import both

pytestmark = pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor, torch.quantize_per_channel and other")


@pytest.mark.parametrize("dtype", ["quint8", "qint8", "qint32"])
@pytest.mark.parametrize("zero_point", [0, 3, 50])
def test_quantization(dtype, zero_point):
    def run(torch):
        halves = torch.arange(-60, 60) / 2
        twentieths = torch.randint(-400, 400, (8, 40)).float() * torch.tensor(0.05)
        kind = getattr(torch, dtype)
        ends = torch.full((8,), 0.1, dtype=torch.double), torch.full((8,), zero_point)
        return (
            torch.quantize_per_tensor(halves, 1.0, zero_point, kind).int_repr(),
            torch.quantize_per_tensor(twentieths, 0.1, zero_point, kind).int_repr(),
            torch.quantize_per_channel(twentieths, *ends, 0, kind).int_repr(),
        )

    both(run)


PROGRAMS = {
    "add": lambda torch, x, y: torch.ops.quantized.add(x, y, 0.1, 51),
    "add_relu": lambda torch, x, y: torch.ops.quantized.add_relu(x, y, 0.1, 51),
    "mul": lambda torch, x, y: torch.ops.quantized.mul(x, y, 0.1, 51),
    "cat": lambda torch, x, y: torch.ops.quantized.cat([x, y], 1, 0.1, 51),
    "leaky_relu": lambda torch, x, y: torch.ops.quantized.leaky_relu(x, 0.1, False, 0.1, 51),
    "elu": lambda torch, x, y: torch.ops.quantized.elu(x, 0.1, 51),
    "function": lambda torch, x, y: torch.nn.functional.leaky_relu(x, 0.1),
    "batch_norm": lambda torch, x, y: torch.ops.quantized.batch_norm2d(
        x, torch.ones(4), torch.zeros(4), torch.zeros(4), torch.ones(4), 0.0, 0.1, 51
    ),
    "prelu": lambda torch, x, y: torch.ops.quantized.prelu(
        x, torch.quantize_per_tensor(torch.tensor([0.5]), 0.1, 0, torch.quint8), 0.1, 51
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_operators(name):
    def run(torch):
        x, y = (
            torch.quantize_per_tensor(torch.randn(4, 4, 4, 8), 0.05 * n, 60 + n, torch.quint8) for n in (1, 2)
        )  # 512 elements: PyTorch's kernels round the last ones of other counts in a different way
        return PROGRAMS[name](torch, x, y).int_repr()

    both(run, stride=False)
