"""The experimental functions of `torch.fx` that libraries call."""

from . import proxy_tensor as proxy_tensor
