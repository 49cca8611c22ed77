"""`torch.autograd.grad_mode`: re-exports of the grad modes."""

from torchlike._dtypes.modes import enable_grad as enable_grad
from torchlike._dtypes.modes import inference_mode as inference_mode
from torchlike._dtypes.modes import is_multithreading_enabled as is_multithreading_enabled
from torchlike._dtypes.modes import no_grad as no_grad
from torchlike._dtypes.modes import set_grad_enabled as set_grad_enabled
from torchlike._dtypes.modes import set_multithreading_enabled as set_multithreading_enabled

__all__ = ["no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "set_multithreading_enabled"]
