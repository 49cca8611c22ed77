"""`RemovableHandle`, the handle that removes a hook."""

from torchlike._internal import RemovableHandle as RemovableHandle
