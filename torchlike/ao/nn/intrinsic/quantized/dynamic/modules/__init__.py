"""The modules of `torch.ao.nn.intrinsic.quantized.dynamic`."""

from torchlike.ao.nn.intrinsic.quantized.dynamic.modules.linear_relu import LinearReLU as LinearReLU
