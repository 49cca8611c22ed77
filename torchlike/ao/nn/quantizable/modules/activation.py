"""The quantizable attention, which can be imported, but not made."""

from torchlike.ao.nn._refused import refused

MultiheadAttention = refused("MultiheadAttention", "torch.ao.nn.quantizable")
