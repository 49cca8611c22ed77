"""The modules of `torch.ao.nn.qat`."""

from torchlike.ao.nn.qat.modules.conv import Conv1d as Conv1d
from torchlike.ao.nn.qat.modules.conv import Conv2d as Conv2d
from torchlike.ao.nn.qat.modules.conv import Conv3d as Conv3d
from torchlike.ao.nn.qat.modules.embedding_ops import Embedding as Embedding
from torchlike.ao.nn.qat.modules.embedding_ops import EmbeddingBag as EmbeddingBag
from torchlike.ao.nn.qat.modules.linear import Linear as Linear
