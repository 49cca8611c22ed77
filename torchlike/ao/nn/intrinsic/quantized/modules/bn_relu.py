"""Quantized batch norm with ReLU."""

from __future__ import annotations

from torchlike.ao.nn import intrinsic as nni
from torchlike.ao.nn import quantized as nnq

__all__ = ["BNReLU2d", "BNReLU3d"]


class BNReLU2d(nnq.BatchNorm2d):
    """Quantized batch norm of images (N, C, H, W) and ReLU. The arguments are those of `quantized.BatchNorm2d`."""

    _FLOAT_MODULE = nni.BNReLU2d
    _HAS_RELU = True


class BNReLU3d(nnq.BatchNorm3d):
    """Quantized batch norm of volumes (N, C, D, H, W) and ReLU. The arguments are those of `quantized.BatchNorm3d`."""

    _FLOAT_MODULE = nni.BNReLU3d
    _HAS_RELU = True
