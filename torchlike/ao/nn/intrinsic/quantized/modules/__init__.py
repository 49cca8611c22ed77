"""The modules of `torch.ao.nn.intrinsic.quantized`."""

from torchlike.ao.nn.intrinsic.quantized.modules.bn_relu import BNReLU2d as BNReLU2d
from torchlike.ao.nn.intrinsic.quantized.modules.bn_relu import BNReLU3d as BNReLU3d
from torchlike.ao.nn.intrinsic.quantized.modules.conv_add import ConvAdd2d as ConvAdd2d
from torchlike.ao.nn.intrinsic.quantized.modules.conv_add import ConvAddReLU2d as ConvAddReLU2d
from torchlike.ao.nn.intrinsic.quantized.modules.conv_relu import ConvReLU1d as ConvReLU1d
from torchlike.ao.nn.intrinsic.quantized.modules.conv_relu import ConvReLU2d as ConvReLU2d
from torchlike.ao.nn.intrinsic.quantized.modules.conv_relu import ConvReLU3d as ConvReLU3d
from torchlike.ao.nn.intrinsic.quantized.modules.linear_relu import LinearLeakyReLU as LinearLeakyReLU
from torchlike.ao.nn.intrinsic.quantized.modules.linear_relu import LinearReLU as LinearReLU
from torchlike.ao.nn.intrinsic.quantized.modules.linear_relu import LinearTanh as LinearTanh
