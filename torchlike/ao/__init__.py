"""`torch.ao`: quantization and its layers."""

from torchlike.ao import nn as nn
from torchlike.ao import quantization as quantization
