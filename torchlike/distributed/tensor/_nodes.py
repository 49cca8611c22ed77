"""Gradient nodes of the conversions between local and distributed tensors."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import Function
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec
from torchlike.distributed.tensor._redistribute import redistributed


class _ToTorchTensor(Function):
    """The identity. Its backward changes the placements of the gradient."""

    @staticmethod
    def forward(ctx: Any, local: Tensor, spec: DTensorSpec, before: tuple, after: tuple) -> Tensor:
        ctx.given = spec.shape, spec.mesh, before, after
        return local.view_as(local)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return redistributed(grad, *ctx.given), None, None, None


class _FromTorchTensor(_ToTorchTensor):
    """The same function for `from_local`."""


class Cast(Function):
    @staticmethod
    def forward(ctx: Any, local: Tensor, dtype: torchlike.dtype, back: torchlike.dtype) -> Tensor:
        ctx.back = back
        return local.to(dtype) if local.dtype != dtype else local.view_as(local)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple:
        return grad.to(ctx.back), None, None
