"""Old queries of `torch`."""

from __future__ import annotations

from torchlike._tensor import public_calls
from torchlike._tensor.tensor import Tensor


def is_distributed(input: Tensor) -> bool:
    """Return False: PyTorch's old distributed tensors do not exist.

    Args:
      input: the tensor.
    """
    return False


def is_vulkan_available(*args: object, **kwargs: object) -> bool:
    """Return False: Vulkan is not supported.

    Args:
      *args, **kwargs: have no effect, as in PyTorch.
    """
    return False


def cudnn_is_acceptable(input: Tensor) -> bool:
    """Return whether cuDNN can compute with a tensor: whether it is on a GPU, of a floating dtype and not empty.

    Args:
      input: the tensor.
    """
    return bool(input.device.type == "cuda" and input.is_floating_point() and input.numel())


FUNCTIONS = public_calls.functions(is_distributed, cudnn_is_acceptable)
FUNCTIONS |= {"is_vulkan_available": is_vulkan_available}
METHODS: dict = {}
