"""`torch.autograd.grad_mode`: the grad modes, and the policy of the layout of gradients."""

from typing import Self

from torchlike import _errors
from torchlike._dtypes.modes import _Switch
from torchlike._dtypes.modes import enable_grad as enable_grad
from torchlike._dtypes.modes import inference_mode as inference_mode
from torchlike._dtypes.modes import is_multithreading_enabled as is_multithreading_enabled
from torchlike._dtypes.modes import no_grad as no_grad
from torchlike._dtypes.modes import set_grad_enabled as set_grad_enabled
from torchlike._dtypes.modes import set_multithreading_enabled as set_multithreading_enabled

__all__ = [
    "no_grad",
    "enable_grad",
    "set_grad_enabled",
    "inference_mode",
    "set_multithreading_enabled",
    "enforce_grad_layout_policy",
]


class enforce_grad_layout_policy(_Switch):
    """A context manager, and a decorator, in which gradients have the layout of their parameters, as always.

    Args:
      enable: must be True.

    Raises:
      NotImplementedError: `enable` is False.
    """

    def __init__(self, enable: bool = True) -> None:
        if not enable:
            raise _errors.arguments.cannot(
                "autograd.enforce_grad_layout_policy(False)", "gradients have the layout of their parameters"
            )
        self.mode = enable

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None

    def _clone(self) -> Self:
        return type(self)(self.mode)
