"""`torch.ao.nn.sparse.quantized.dynamic`: the dynamic layer, which can be imported, but not made."""

from torchlike.ao.nn._refused import refused

Linear = refused("Linear", "torch.ao.nn.sparse.quantized.dynamic")
