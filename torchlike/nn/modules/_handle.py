"""The handle that takes a hook away again."""

from torchlike._internal import RemovableHandle as RemovableHandle
