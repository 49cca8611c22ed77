"""`torch.ao.nn.qat`: layers of quantization-aware training."""

from torchlike.ao.nn.qat.modules import Conv1d as Conv1d
from torchlike.ao.nn.qat.modules import Conv2d as Conv2d
from torchlike.ao.nn.qat.modules import Conv3d as Conv3d
from torchlike.ao.nn.qat.modules import Embedding as Embedding
from torchlike.ao.nn.qat.modules import EmbeddingBag as EmbeddingBag
from torchlike.ao.nn.qat.modules import Linear as Linear
