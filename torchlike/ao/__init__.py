"""`torch.ao`: quantization, its layers, and pruning."""

from torchlike.ao import nn as nn
from torchlike.ao import pruning as pruning
from torchlike.ao import quantization as quantization
