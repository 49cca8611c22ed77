"""`torch.ao.nn`: the layers of quantization-aware training and of quantized models."""

from torchlike.ao.nn import intrinsic as intrinsic
from torchlike.ao.nn import qat as qat
from torchlike.ao.nn import quantizable as quantizable
from torchlike.ao.nn import quantized as quantized
from torchlike.ao.nn import sparse as sparse
