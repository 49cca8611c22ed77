"""Dropout as functions."""

from __future__ import annotations

from torchlike import _errors
from torchlike._composite.nn import functions
from torchlike._errors.warned import warn
from torchlike._tensor.tensor import Tensor


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set each element to zero with probability `p`, and scale the others by 1 / (1 - p).

    Args:
      input: any shape.
      p: the probability.
      training: if False, return the input unchanged.
      inplace: if True, overwrite `input`.

    Raises:
      ValueError: `p` is not in [0, 1].

    >>> import torchlike as torch
    >>> torch.nn.functional.dropout(torch.ones(3), p=1.0).tolist()
    [0.0, 0.0, 0.0]
    """
    functions.check_dropout(p)
    return functions.dropout_(input, p, training) if inplace else functions.dropout(input, p, training)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Apply dropout that preserves the mean and the variance of activations produced by `selu`.

    Dropped elements get the limit of `selu` for x -> -inf. An affine map then restores mean 0 and variance 1.

    Args:
      input: any shape.
      p: the probability that an element is dropped.
      training: if False, the default, return the input unchanged.
      inplace: overwrite the input with the result.

    Raises:
      ValueError: `p` is not in [0, 1].

    >>> import torchlike as torch
    >>> torch.nn.functional.alpha_dropout(torch.ones(2), 0.5).tolist()
    [1.0, 1.0]
    """
    functions.check_dropout(p)
    dropout = functions.alpha_dropout_ if inplace else functions.alpha_dropout
    return dropout(input, p, training)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Apply `alpha_dropout` to whole channels.

    Args:
      input: (N, C, ...).
      p: the probability that a channel of a sample is dropped.
      training: if False, the default, return the input unchanged.
      inplace: overwrite the input with the result.

    Raises:
      ValueError: `p` is not in [0, 1].
      RuntimeError: `input` has fewer than two dims, in training.

    >>> import torchlike as torch
    >>> torch.nn.functional.feature_alpha_dropout(torch.ones(1, 2, 3), 0.5, training=True).shape
    torch.Size([1, 2, 3])
    """
    functions.check_dropout(p)
    dropout = functions.feature_alpha_dropout_ if inplace else functions.feature_alpha_dropout
    return dropout(input, p, training)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set whole channels of (N, C, L) or (C, L) to zero with probability `p`, and scale the others by 1 / (1 - p).

    Args:
      input: (N, C, L) or (C, L).
      p: the probability that a channel of a sample is dropped.
      training: if False, return the input unchanged.
      inplace: overwrite the input with the result.

    Raises:
      ValueError: `p` is not in [0, 1].
      RuntimeError: `input` has not two or three dims.

    >>> import torchlike as torch
    >>> torch.nn.functional.dropout1d(torch.ones(1, 2, 3), p=0.0).shape
    torch.Size([1, 2, 3])
    """
    functions.check_dropout(p)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
            "optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _by_channel(input, p, training, inplace, batched=input.ndim == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set whole channels of (N, C, H, W) to zero with probability `p`, and scale the others by 1 / (1 - p).

    Args:
      input: (N, C, H, W). With three dims the first two are N and C, and a warning is issued.
      p: the probability that a channel of a sample is dropped.
      training: if False, return the input unchanged.
      inplace: overwrite the input with the result.

    Raises:
      ValueError: `p` is not in [0, 1].

    >>> import torchlike as torch
    >>> torch.nn.functional.dropout2d(torch.ones(1, 2, 3, 3), training=False).shape
    torch.Size([1, 2, 3, 3])
    """
    functions.check_dropout(p)
    if input.ndim not in (3, 4):
        warn(_errors.activations.dropout2d_dims(input.ndim))
    if input.ndim == 3:
        warn(_errors.activations.DROPOUT2D_BATCH)
    return _by_channel(input, p, training, inplace, batched=True)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set whole channels of a volume to zero with probability `p`, and scale the others by 1 / (1 - p).

    Args:
      input: (N, C, D, H, W) or (C, D, H, W). Another number of dims gives a warning.
      p: the probability that a channel of a sample is dropped.
      training: if False, return the input unchanged.
      inplace: overwrite the input with the result.

    Raises:
      ValueError: `p` is not in [0, 1].

    >>> import torchlike as torch
    >>> torch.nn.functional.dropout3d(torch.ones(2, 3, 3, 3), p=0.25).shape
    torch.Size([2, 3, 3, 3])
    """
    functions.check_dropout(p)
    if input.ndim not in (4, 5):
        warn(_errors.activations.dropout3d_dims(input.ndim))
    return _by_channel(input, p, training, inplace, batched=input.ndim == 5)


def _by_channel(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    dropout = functions.feature_dropout_ if inplace else functions.feature_dropout
    if batched:
        return dropout(input, p, training)
    if inplace:
        return dropout(input.unsqueeze_(0), p, training).squeeze_(0)
    return dropout(input.unsqueeze(0), p, training).squeeze(0)
