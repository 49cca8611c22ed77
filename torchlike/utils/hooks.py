"""`torch.utils.hooks`: the handle that takes a hook away again."""

from torchlike.nn.modules._handle import RemovableHandle as RemovableHandle
