"""Quantized convolutions with ReLU."""

from __future__ import annotations

from torchlike.ao.nn import intrinsic as nni
from torchlike.ao.nn import quantized as nnq

__all__ = ["ConvReLU1d", "ConvReLU2d", "ConvReLU3d"]


class ConvReLU1d(nnq.Conv1d):
    """A quantized convolution and ReLU. The arguments are those of `torch.nn.Conv1d`."""

    _FLOAT_MODULE = nni.ConvReLU1d
    _HAS_RELU = True


class ConvReLU2d(nnq.Conv2d):
    """A quantized convolution and ReLU. The arguments are those of `torch.nn.Conv2d`."""

    _FLOAT_MODULE = nni.ConvReLU2d
    _HAS_RELU = True


class ConvReLU3d(nnq.Conv3d):
    """A quantized convolution and ReLU. The arguments are those of `torch.nn.Conv3d`."""

    _FLOAT_MODULE = nni.ConvReLU3d
    _HAS_RELU = True
