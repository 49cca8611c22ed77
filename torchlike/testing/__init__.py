"""`torch.testing`: comparison of results and creation of random tensors for tests."""

from torchlike.testing._close import assert_allclose as assert_allclose
from torchlike.testing._close import assert_close as assert_close
from torchlike.testing._make import make_tensor as make_tensor
