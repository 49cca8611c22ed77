"""Quantized convolutions with a sum, which can be imported, but not made."""

from torchlike.ao.nn._refused import refused

ConvAdd2d = refused("ConvAdd2d", "torch.ao.nn.intrinsic.quantized")
ConvAddReLU2d = refused("ConvAddReLU2d", "torch.ao.nn.intrinsic.quantized")
