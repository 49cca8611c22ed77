"""The modules of `torch.ao.nn.qat.dynamic`."""

from torchlike.ao.nn.qat.dynamic.modules.linear import Linear as Linear
