"""`torch.autograd.function`: functions with user-defined gradients."""

from typing import Any, NoReturn

from torchlike._transforms.context import BackwardCFunction as BackwardCFunction
from torchlike._transforms.context import FunctionCtx as FunctionCtx
from torchlike._transforms.function import Function as Function
from torchlike._transforms.function import FunctionMeta as FunctionMeta
from torchlike._transforms.function import once_differentiable as once_differentiable


class InplaceFunction(Function):
    """A `Function` with the attribute `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """PyTorch's old functions of nested inputs. Calling one raises an error, as in PyTorch: use `Function`.

    Args:
      args, kwargs: not used.
    """

    def __call__(self, *input: Any) -> NoReturn:
        raise AttributeError("'super' object has no attribute '_do_forward'")

    def forward_extended(self, *input: Any) -> None:
        """Raise NotImplementedError.

        Args:
          input: the inputs.
        """
        raise NotImplementedError

    def backward_extended(self, *grad_output: Any) -> None:
        """Raise NotImplementedError.

        Args:
          grad_output: the gradients of the outputs.
        """
        raise NotImplementedError
