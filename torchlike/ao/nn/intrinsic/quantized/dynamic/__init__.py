"""`torch.ao.nn.intrinsic.quantized.dynamic`: fused layers whose inputs are quantized at run time."""

from torchlike.ao.nn.intrinsic.quantized.dynamic.modules import LinearReLU as LinearReLU
