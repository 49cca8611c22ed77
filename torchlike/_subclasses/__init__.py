"""The names of PyTorch's fake tensors, which torchlike does not implement."""

from torchlike._subclasses.fake_tensor import FakeTensor as FakeTensor
from torchlike._subclasses.fake_tensor import FakeTensorMode as FakeTensorMode
