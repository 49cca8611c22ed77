"""Fusion of batch norm into the preceding layer, for inference."""

from __future__ import annotations

import copy
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn.parameter import Parameter
from torchlike.nn.utils import _errors


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """Return a convolution that computes `bn(conv(x))` in evaluation mode.

    Args:
      conv: a convolution layer in evaluation mode. It is copied.
      bn: a batch norm layer in evaluation mode.
      transpose: whether `conv` is a transposed convolution.

    Raises:
      AssertionError: a layer is in training mode.

    >>> import torchlike as torch
    >>> conv, bn = torch.nn.Conv1d(2, 3, 1, bias=False).eval(), torch.nn.BatchNorm1d(3).eval()
    >>> torch.nn.utils.fuse_conv_bn_eval(conv, bn).bias.shape
    torch.Size([3])
    """
    if conv.training or bn.training:
        raise _errors.fusion_in_training()
    fused = copy.deepcopy(conv)
    norm = (bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    fused.weight, fused.bias = fuse_conv_bn_weights(fused.weight, fused.bias, *norm, transpose)
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Return the weight and bias of the convolution fused with the batch norm.

    Args:
      conv_w, conv_b: weight and bias of the convolution. The bias may be None.
      bn_rm, bn_rv, bn_eps, bn_w, bn_b: running mean, running variance, `eps`, weight and bias of the batch norm, each
        (C).
      transpose: whether the convolution is transposed.

    >>> import torchlike as torch
    >>> one = torch.ones(1)
    >>> w, b = torch.nn.utils.fuse_conv_bn_weights(torch.ones(1, 1, 1), None, one, 4 * one, 0.0, None, None)
    >>> w.item(), b.item()
    (0.5, -0.5)
    """
    shape = [1, -1] if transpose else [-1, 1]
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape + [1] * (conv_w.dim() - 2))


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """Return a linear layer that computes `bn(linear(x))` in evaluation mode.

    Args:
      linear: a linear layer in evaluation mode. It is copied.
      bn: a batch norm layer in evaluation mode.

    Raises:
      AssertionError: a layer is in training mode.

    >>> import torchlike as torch
    >>> linear, bn = torch.nn.Linear(2, 3, bias=False).eval(), torch.nn.BatchNorm1d(3).eval()
    >>> torch.nn.utils.fuse_linear_bn_eval(linear, bn).bias.shape
    torch.Size([3])
    """
    if linear.training or bn.training:
        raise _errors.fusion_in_training()
    fused = copy.deepcopy(linear)
    norm = (bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    fused.weight, fused.bias = fuse_linear_bn_weights(fused.weight, fused.bias, *norm)
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor,
    bn_b: Tensor,
) -> tuple[Parameter, Parameter]:
    """Return the weight and bias of the linear layer fused with the batch norm.

    Args:
      linear_w, linear_b: weight and bias of the linear layer. The bias may be None.
      bn_rm, bn_rv, bn_eps, bn_w, bn_b: running mean, running variance, `eps`, weight and bias of the batch norm, each
        (C).

    >>> import torchlike as torch
    >>> one = torch.ones(1)
    >>> w, b = torch.nn.utils.fuse_linear_bn_weights(torch.ones(1, 1), None, one, 4 * one, 0.0, one, one)
    >>> w.item(), b.item()
    (0.5, 0.5)
    """
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def _fused(
    weight: Any, bias: Any, mean: Any, var: Any, eps: float, scale: Any, shift: Any, shape: list[int]
) -> tuple[Parameter, Parameter]:
    bias = torchlike.zeros_like(mean) if bias is None else bias
    factor = torchlike.rsqrt(var + eps) * (torchlike.ones_like(mean) if scale is None else scale)
    new_weight = (weight * factor.reshape(shape)).to(weight.dtype)
    new_bias = ((bias - mean) * factor + (torchlike.zeros_like(mean) if shift is None else shift)).to(bias.dtype)
    return Parameter(new_weight, weight.requires_grad), Parameter(new_bias, bias.requires_grad)
