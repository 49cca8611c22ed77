"""Conversion of convolution weights to another memory format."""

from __future__ import annotations

from torchlike._internal import memory_format as MemoryFormat
from torchlike.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from torchlike.nn.modules.module import Module


def convert_conv2d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module:
    """Convert the weights of every `Conv2d` and `ConvTranspose2d` to a memory format, and return the module.

    Args:
      module: the module, which is changed.
      memory_format: for example `torch.channels_last`.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.convert_conv2d_weight_memory_format(torch.nn.Conv2d(3, 4, 2), torch.channels_last)
    >>> layer.weight.is_contiguous(memory_format=torch.channels_last)
    True
    """
    return _converted(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module:
    """Convert the weights of every `Conv3d` and `ConvTranspose3d` to a memory format, and return the module.

    Args:
      module: the module, which is changed.
      memory_format: for example `torch.channels_last_3d`.

    >>> import torchlike as torch
    >>> layer = torch.nn.utils.convert_conv3d_weight_memory_format(torch.nn.Conv3d(3, 4, 2), torch.channels_last_3d)
    >>> layer.weight.is_contiguous(memory_format=torch.channels_last_3d)
    True
    """
    return _converted(module, (Conv3d, ConvTranspose3d), memory_format)


def _converted(module: Module, kinds: tuple[type, ...], memory_format: MemoryFormat) -> Module:
    for each in module.modules():
        if isinstance(each, kinds):
            each.weight.data = each.weight.detach().clone(memory_format=memory_format)
    return module
