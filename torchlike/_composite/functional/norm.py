"""Normalization as functions."""

from __future__ import annotations

import math
from typing import Any

from torchlike import _errors
from torchlike._composite.nn import functions
from torchlike._ops.schema.out_rules import CASTABLE
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.out import into
from torchlike._tensor.tensor import Tensor


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Return (x - mean) / sqrt(var + eps) over the last dims, times the weight, plus the bias.

    Args:
      input: (..., *normalized_shape).
      normalized_shape: the sizes of the last dims, over which the statistics are taken.
      weight, bias: tensors of the shape `normalized_shape`, or None.
      eps: is added to the variance, which is the biased estimate.

    Raises:
      RuntimeError: the last dims of `input` are not `normalized_shape`.

    >>> import torchlike as torch
    >>> torch.nn.functional.layer_norm(torch.ones(2, 3), (3,)).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return rows["_layer_norm"](input, tuple(normalized_shape), weight, bias, eps)


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Return x / sqrt(mean(x**2) + eps) over the last dims, times the weight.

    Args:
      input: (..., *normalized_shape).
      normalized_shape: the sizes of the last dims, over which the mean is taken.
      weight: a tensor of the shape `normalized_shape`, or None.
      eps: is added to the mean. The default is the dtype's epsilon.

    Raises:
      RuntimeError: the last dims of `input` are not `normalized_shape`.

    >>> import torchlike as torch
    >>> torch.nn.functional.rms_norm(torch.tensor([3.0, 3.0]), (2,), eps=0.0).tolist()
    [1.0, 1.0]
    """
    return functions.rms_norm(input, normalized_shape, weight, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Return (x - mean) / sqrt(var + eps) over each group of channels of a sample, times the weight, plus the bias.

    Args:
      input: (N, C, ...).
      num_groups: the number of groups, which divides C.
      weight, bias: (C,), or None.
      eps: is added to the variance, which is the biased estimate.

    Raises:
      RuntimeError: `input` has fewer than two dims, or C is not divisible by `num_groups`.
      ValueError: each group has a single element.

    >>> import torchlike as torch
    >>> torch.nn.functional.group_norm(torch.ones(1, 4, 3), 2).shape
    torch.Size([1, 4, 3])
    """
    if input.ndim < 2:
        raise _errors.normalization.group_norm_dims(input.ndim)
    count = input.shape[0] * input.shape[1] // num_groups
    for n in input.shape[2:]:
        count *= n
    if count == 1:
        raise _errors.normalization.one_value_per_channel(list(input.shape))
    return rows["_group_norm"](input, num_groups, weight, bias, eps)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Return (x - mean) / sqrt(var + eps) for each channel (dim 1), times the weight, plus the bias.

    Args:
      input: (N, C, ...).
      running_mean, running_var: (C,), the running statistics, or None in training.
      weight, bias: (C,), or None.
      training: use the statistics of the batch, and move the running statistics toward them in place. Otherwise use the
        running statistics.
      momentum: the share of the new statistics. The running variance uses the unbiased estimate.
      eps: is added to the variance, which is the biased estimate.

    Raises:
      ValueError: `eps` is negative, or there is one value per channel in training.
      RuntimeError: the statistics do not have C elements, or are None outside of training.

    >>> import torchlike as torch
    >>> x = torch.tensor([[1.0], [3.0]])
    >>> torch.nn.functional.batch_norm(x, torch.tensor([1.0]), torch.tensor([4.0]), eps=0.0).tolist()
    [[0.0], [1.0]]
    """
    alone = training and input.ndim > 1 and input.numel() == input.shape[1]
    if alone and math.prod((input.shape[0], *input.shape[2:])) == 1:
        raise _errors.normalization.one_value_per_channel(input.shape)
    if eps < 0 or (training and not eps):
        due = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {due}, but got {eps}")
    return functions.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Return (x - mean) / sqrt(var + eps) for each channel of each sample, times the weight, plus the bias.

    Args:
      input: (N, C, ...).
      running_mean, running_var: (C,), the running statistics, or None.
      weight, bias: (C,), or None.
      use_input_stats: use the statistics of the input. Running statistics, if given, are moved in place toward the
        averages over the samples. If False, use the running statistics.
      momentum: the share of the new statistics.
      eps: is added to the variance, which is the biased estimate.

    Raises:
      ValueError: each channel of a sample has a single element.

    >>> import torchlike as torch
    >>> torch.nn.functional.instance_norm(torch.tensor([[[1.0, 3.0]]]), eps=0.0).tolist()
    [[[-1.0, 1.0]]]
    """
    if use_input_stats:
        count = 1
        for n in input.shape[2:]:
            count *= n
        if count == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    return functions.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Return x / (k + alpha mean(x**2))**beta.

    The mean is taken over the `size` channels around each channel, with zeros beyond the first and last channel.

    Args:
      input: (N, C, d1, ...).
      size: the number of channels.
      alpha, beta, k: the factor, the exponent and the constant of the formula.

    Raises:
      ValueError: `input` has fewer than three dims.

    >>> import torchlike as torch
    >>> torch.nn.functional.local_response_norm(torch.ones(1, 1, 1), size=1, alpha=1.0, beta=1.0).item()
    0.5
    """
    if input.ndim < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {input.ndim} dimensions)"
        )
    if not input.numel():
        return input
    _errors.normalization.check_response_window(input.ndim, size)
    is_integral = not (input.is_floating_point() or input.is_complex())
    return input / rows["_response_norm"](input, size, alpha, beta, k, is_integral)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Divide `input` by its p-norm over a dim, or by `eps` where the norm is smaller than `eps`.

    Args:
      input: any shape.
      p: the exponent of the norm.
      dim: the dim of the norm, or a tuple of dims.
      eps: the least divisor.
      out: the tensor to write the result to.

    >>> import torchlike as torch
    >>> torch.nn.functional.normalize(torch.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    if out is not None:
        return into("div", normalize, (input, p, dim, eps), {}, out, CASTABLE, True)
    return rows["normalize"](input, p, dim, eps)
