"""Functions of `torch` under old names, and queries of which the answer does not depend on the arguments."""

from __future__ import annotations

from torchlike._tensor.tensor import Tensor


def is_distributed(input: Tensor) -> bool:
    """Return False: PyTorch's old distributed tensors do not exist.

    Args:
      input: the tensor.
    """
    return False


def is_vulkan_available() -> bool:
    """Return False: Vulkan is not supported."""
    return False


def cudnn_is_acceptable(input: Tensor) -> bool:
    """Return whether cuDNN can compute with a tensor: whether it is on a GPU, of a floating dtype and not empty.

    Args:
      input: the tensor.
    """
    return bool(input.device.type == "cuda" and input.is_floating_point() and input.numel())
