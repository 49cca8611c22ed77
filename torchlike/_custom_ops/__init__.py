"""The former name of a part of `torch.library`."""

from torchlike.library import custom_op as custom_op
from torchlike.library import register_fake as impl_abstract

__all__ = ["custom_op", "impl_abstract"]
