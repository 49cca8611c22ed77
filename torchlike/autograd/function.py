"""`torch.autograd.function`: functions with user-defined gradients."""

from torchlike._transforms.context import BackwardCFunction as BackwardCFunction
from torchlike._transforms.context import FunctionCtx as FunctionCtx
from torchlike._transforms.function import Function as Function
from torchlike._transforms.function import once_differentiable as once_differentiable


class InplaceFunction(Function):
    """A `Function` with the attribute `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace
