"""Tensors that have a shape and no elements, by PyTorch's compiler's name for them; there are none here."""

from torchlike._subclasses.fake_tensor import FakeTensor as FakeTensor
from torchlike._subclasses.fake_tensor import FakeTensorMode as FakeTensorMode
