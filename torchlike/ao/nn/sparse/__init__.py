"""`torch.ao.nn.sparse`: sparse quantized layers, which can be imported, but not made."""

from torchlike.ao.nn.sparse import quantized as quantized
