"""`torch.ao.nn.intrinsic`: fused modules in floating point."""

from torchlike.ao.nn.intrinsic.modules import BNReLU2d as BNReLU2d
from torchlike.ao.nn.intrinsic.modules import BNReLU3d as BNReLU3d
from torchlike.ao.nn.intrinsic.modules import ConvBn1d as ConvBn1d
from torchlike.ao.nn.intrinsic.modules import ConvBn2d as ConvBn2d
from torchlike.ao.nn.intrinsic.modules import ConvBn3d as ConvBn3d
from torchlike.ao.nn.intrinsic.modules import ConvBnReLU1d as ConvBnReLU1d
from torchlike.ao.nn.intrinsic.modules import ConvBnReLU2d as ConvBnReLU2d
from torchlike.ao.nn.intrinsic.modules import ConvBnReLU3d as ConvBnReLU3d
from torchlike.ao.nn.intrinsic.modules import ConvReLU1d as ConvReLU1d
from torchlike.ao.nn.intrinsic.modules import ConvReLU2d as ConvReLU2d
from torchlike.ao.nn.intrinsic.modules import ConvReLU3d as ConvReLU3d
from torchlike.ao.nn.intrinsic.modules import LinearBn1d as LinearBn1d
from torchlike.ao.nn.intrinsic.modules import LinearReLU as LinearReLU
from torchlike.ao.nn.intrinsic.modules import _FusedModule as _FusedModule
