"""`torch.ao.nn.intrinsic.qat`: fused modules of quantization-aware training."""

from torchlike.ao.nn.intrinsic.qat.modules import ConvBn1d as ConvBn1d
from torchlike.ao.nn.intrinsic.qat.modules import ConvBn2d as ConvBn2d
from torchlike.ao.nn.intrinsic.qat.modules import ConvBn3d as ConvBn3d
from torchlike.ao.nn.intrinsic.qat.modules import ConvBnReLU1d as ConvBnReLU1d
from torchlike.ao.nn.intrinsic.qat.modules import ConvBnReLU2d as ConvBnReLU2d
from torchlike.ao.nn.intrinsic.qat.modules import ConvBnReLU3d as ConvBnReLU3d
from torchlike.ao.nn.intrinsic.qat.modules import ConvReLU1d as ConvReLU1d
from torchlike.ao.nn.intrinsic.qat.modules import ConvReLU2d as ConvReLU2d
from torchlike.ao.nn.intrinsic.qat.modules import ConvReLU3d as ConvReLU3d
from torchlike.ao.nn.intrinsic.qat.modules import LinearBn1d as LinearBn1d
from torchlike.ao.nn.intrinsic.qat.modules import LinearReLU as LinearReLU
from torchlike.ao.nn.intrinsic.qat.modules import freeze_bn_stats as freeze_bn_stats
from torchlike.ao.nn.intrinsic.qat.modules import update_bn_stats as update_bn_stats
