"""The handle that takes a hook away again."""

from torchlike._autograd.handles import RemovableHandle as RemovableHandle
