"""The creation of random tensors."""

from torchlike.testing._make import make_tensor as make_tensor
