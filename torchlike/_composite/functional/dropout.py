"""Dropout as functions."""

from __future__ import annotations

from torchlike import _errors
from torchlike._composite.nn import functions
from torchlike._composite.nn.functions import finish
from torchlike._errors.warned import warn
from torchlike._tensor.tensor import Tensor


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set each element to zero with probability `p`, and scale the others by 1 / (1 - p).

    Args:
      input: any shape.
      p: the probability.
      training: if False, return the input unchanged.
      inplace: if True, overwrite `input`.
    """
    return functions.dropout_(input, p, training) if inplace else functions.dropout(input, p, training)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Apply dropout that preserves the mean and the variance of activations produced by `selu`."""
    return finish(input, functions.alpha_dropout(input, p, training), inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Apply `alpha_dropout` to whole channels."""
    return finish(input, functions.feature_alpha_dropout(input, p, training), inplace)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set whole channels of (N, C, L) or (C, L) to zero with probability `p`."""
    functions._check_dropout(input, p)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
            "optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _by_channel(input, p, training, inplace, batched=input.ndim == 3)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set whole channels of (N, C, H, W) to zero with probability `p`; with three dims the first two are N and C."""
    functions._check_dropout(input, p)
    if input.ndim not in (3, 4):
        warn(_errors.activations.dropout2d_dims(input.ndim))
    if input.ndim == 3:
        warn(_errors.activations.DROPOUT2D_BATCH)
    return _by_channel(input, p, training, inplace, batched=True)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set whole channels of (N, C, D, H, W) or (C, D, H, W) to zero with probability `p`."""
    functions._check_dropout(input, p)
    if input.ndim not in (4, 5):
        warn(_errors.activations.dropout3d_dims(input.ndim))
    return _by_channel(input, p, training, inplace, batched=input.ndim == 5)


def _by_channel(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    if batched:
        return finish(input, functions.feature_dropout(input, p, training), inplace)
    return finish(input, functions.feature_dropout(input.unsqueeze(0), p, training).squeeze(0), inplace)
