"""Fake quantization, compared with PyTorch: values, gradients, errors."""

import pytest

import torchlike
from tests.oracle import both

DTYPES = ("float32", "float64", "float16", "bfloat16")


def _input(torch, dtype, *shape):
    x = torch.randn(*shape, dtype=torch.float64).mul(2).to(getattr(torch, dtype))
    return x.requires_grad_()


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("as_tensors", [False, True])
@pytest.mark.parametrize(("scale", "zero_point", "low", "high"), [(0.1, 0, -8, 7), (0.37, 3, 0, 255), (2.0, -1, -4, 4)])
def test_per_tensor(executor, dtype, as_tensors, scale, zero_point, low, high):
    def run(torch):
        x = _input(torch, dtype, 5, 6)
        at = torch.tensor(scale), torch.tensor(zero_point, dtype=torch.int32)
        y = torch.fake_quantize_per_tensor_affine(x, *(at if as_tensors else (scale, zero_point)), low, high)
        return y, y.grad_fn.name(), *torch.autograd.grad(y, x, torch.randn(5, 6).to(y.dtype))

    with torchlike.set_executor(executor):
        both(run)


@pytest.mark.parametrize("executor", ["numpy", "xla"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", ["int32", "float32", "float16"])
@pytest.mark.parametrize("axis", [0, 1])
def test_per_channel(executor, dtype, kind, axis):
    def run(torch):
        x = _input(torch, dtype, 3, 3, 2)
        scale, zero = torch.tensor([0.1, 0.5, 0.3]), torch.tensor([0, 2, -3], dtype=getattr(torch, kind))
        y = torch.fake_quantize_per_channel_affine(x, scale, zero, axis, -8, 7)
        return y, y.grad_fn.name(), *torch.autograd.grad(y, x, torch.randn(3, 3, 2).to(y.dtype))

    with torchlike.set_executor(executor):
        both(run)


@pytest.mark.parametrize("shape", [(0,), (), (2, 0)])
def test_few_elements(shape):
    both(lambda torch: torch.fake_quantize_per_tensor_affine(torch.ones(shape), 0.3, 1, 0, 255))


def test_memory_order_and_special_numbers():
    def run(torch):
        x = torch.tensor([float("nan"), 1e5, -1e5, 0.0, 1.0, 2.0, 3.0, 4.0]).view(2, 4).T
        return torch.fake_quantize_per_tensor_affine(x, 0.3, 1, 0, 255)

    both(run)


REFUSED = {
    "crossed": lambda t, x, s, z: t.fake_quantize_per_tensor_affine(x, 0.1, 0, 8, 7),
    "outside": lambda t, x, s, z: t.fake_quantize_per_tensor_affine(x, 0.1, 9, -8, 7),
    "whole numbers": lambda t, x, s, z: t.fake_quantize_per_tensor_affine(t.arange(3), 0.1, 0, -8, 7),
    "two scales": lambda t, x, s, z: t.fake_quantize_per_tensor_affine(x, s, z, -8, 7),
    "scale with gradient": lambda t, x, s, z: t.fake_quantize_per_tensor_affine(
        x, t.tensor(0.1, requires_grad=True), t.tensor(0), -8, 7
    ),
    "few channels": lambda t, x, s, z: t.fake_quantize_per_channel_affine(x, s[:1], z[:1], 0, -8, 7),
    "zero point of int64": lambda t, x, s, z: t.fake_quantize_per_channel_affine(x, s, z.long(), 0, -8, 7),
    "scale of float64": lambda t, x, s, z: t.fake_quantize_per_channel_affine(x, s.double(), z, 0, -8, 7),
    "a zero point outside": lambda t, x, s, z: t.fake_quantize_per_channel_affine(x, s, z + 20, 0, -8, 7),
    "axis": lambda t, x, s, z: t.fake_quantize_per_channel_affine(x, s, z, 5, -8, 7),
    "crossed channels": lambda t, x, s, z: t.fake_quantize_per_channel_affine(x, s, z, 0, 8, 7),
    "rank": lambda t, x, s, z: t.fake_quantize_per_channel_affine(x, s.view(1, 2), z, 0, -8, 7),
    "lengths": lambda t, x, s, z: t.fake_quantize_per_channel_affine(x, s, z[:1], 0, -8, 7),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    def run(torch):
        x = torch.zeros(2, 3, requires_grad=True)
        return REFUSED[name](torch, x, torch.tensor([0.1, 0.2]), torch.tensor([0, 1], dtype=torch.int32))

    both(run)
