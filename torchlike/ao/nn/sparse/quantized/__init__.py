"""`torch.ao.nn.sparse.quantized`: sparse int8 layers, which can be imported, but not made."""

from torchlike.ao.nn._refused import refused
from torchlike.ao.nn.sparse.quantized import dynamic as dynamic

Linear = refused("Linear", "torch.ao.nn.sparse.quantized")
LinearPackedParams = refused("LinearPackedParams", "torch.ao.nn.sparse.quantized")
