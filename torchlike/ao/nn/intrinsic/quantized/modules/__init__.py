"""The modules of `torch.ao.nn.intrinsic.quantized`."""

from torchlike.ao.nn.intrinsic.quantized.modules.fused import BNReLU2d as BNReLU2d
from torchlike.ao.nn.intrinsic.quantized.modules.fused import BNReLU3d as BNReLU3d
from torchlike.ao.nn.intrinsic.quantized.modules.fused import ConvReLU1d as ConvReLU1d
from torchlike.ao.nn.intrinsic.quantized.modules.fused import ConvReLU2d as ConvReLU2d
from torchlike.ao.nn.intrinsic.quantized.modules.fused import ConvReLU3d as ConvReLU3d
from torchlike.ao.nn.intrinsic.quantized.modules.fused import LinearReLU as LinearReLU
