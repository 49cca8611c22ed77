"""torchlike runs PyTorch programs on JAX."""

from torchlike import _functions

_functions.bind()

from torchlike import _bind, _dunders  # noqa: E402

_dunders.bind()
from torchlike import autograd as autograd  # noqa: E402
from torchlike._dtypes import *  # noqa
from torchlike._dtypes import bfloat16 as bfloat16, float32 as float32, float64 as float64, int64 as int64, int64 as long  # noqa
from torchlike._factories import tensor as tensor, zeros as zeros, ones as ones, full as full, empty as empty, from_numpy as from_numpy  # noqa
from torchlike._modes import no_grad, enable_grad, is_grad_enabled, set_grad_enabled, inference_mode  # noqa
from torchlike._tensor import Tensor as Tensor  # noqa

globals().update(_bind.names_in("torch"))
globals().update(_functions.FUNCTIONS)
