"""`torch.ao.nn.intrinsic.quantized`: fused layers of converted models."""

from torchlike.ao.nn.intrinsic.quantized import dynamic as dynamic
from torchlike.ao.nn.intrinsic.quantized.modules import BNReLU2d as BNReLU2d
from torchlike.ao.nn.intrinsic.quantized.modules import BNReLU3d as BNReLU3d
from torchlike.ao.nn.intrinsic.quantized.modules import ConvAdd2d as ConvAdd2d
from torchlike.ao.nn.intrinsic.quantized.modules import ConvAddReLU2d as ConvAddReLU2d
from torchlike.ao.nn.intrinsic.quantized.modules import ConvReLU1d as ConvReLU1d
from torchlike.ao.nn.intrinsic.quantized.modules import ConvReLU2d as ConvReLU2d
from torchlike.ao.nn.intrinsic.quantized.modules import ConvReLU3d as ConvReLU3d
from torchlike.ao.nn.intrinsic.quantized.modules import LinearLeakyReLU as LinearLeakyReLU
from torchlike.ao.nn.intrinsic.quantized.modules import LinearReLU as LinearReLU
from torchlike.ao.nn.intrinsic.quantized.modules import LinearTanh as LinearTanh
