"""`torch.utils.hooks`: `RemovableHandle`, the handle that removes a hook."""

from torchlike.nn.modules._handle import RemovableHandle as RemovableHandle
