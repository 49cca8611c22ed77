"""The comparison of tensors."""

from torchlike.testing._close import assert_allclose as assert_allclose
from torchlike.testing._close import assert_close as assert_close
