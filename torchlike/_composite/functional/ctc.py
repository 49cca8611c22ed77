"""The connectionist temporal classification loss as a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike import _dtypes, _errors
from torchlike._composite.functional.loss import reduction_of
from torchlike._engine import to_numpy, when_at_hand
from torchlike._tensor import factories
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Compute the connectionist temporal classification loss (Graves et al., 2006).

    The loss is -log of the probability of each target, summed over all its alignments with the sequence.

    Args:
      log_probs: (T, N, C) or (T, C), log-probabilities that `log_softmax` returned. As in PyTorch, the gradient is
        correct only for such an input.
      targets: (N, S), or all targets concatenated, (sum of lengths,): class indices other than `blank`.
      input_lengths: (N,) integers, a tensor or a list.
      target_lengths: (N,) integers, of the same kind as `input_lengths`.
      blank: the index of the blank class.
      reduction: "none", "mean" or "sum". The mean first divides each loss by the length of its target.
      zero_infinity: if True, a target that is too long for its sequence has a loss of 0 instead of infinity.

    >>> import torchlike as torch
    >>> x = torch.zeros(2, 1, 2).log_softmax(2)
    >>> round(torch.nn.functional.ctc_loss(x, torch.tensor([[1]]), [2], [1]).exp().item(), 4)
    1.3333
    """
    reduction = reduction_of(reduction)
    given = (
        log_probs,
        targets,
        input_lengths,
        target_lengths,
        blank,
        ("none", "mean", "sum").index(reduction),
        zero_infinity,
    )
    kinds = {isinstance(x, Tensor) for x in (input_lengths, target_lengths)}
    if len(kinds) > 1 or not all(isinstance(x, Tensor | list | tuple) for x in (input_lengths, target_lengths)):
        raise _errors.arguments.invalid_combination("ctc_loss", given, {})
    heard, spoken = (
        _lengths(name, x) for name, x in (("input_lengths", input_lengths), ("target_lengths", target_lengths))
    )
    alone = log_probs.ndim != 3
    if alone:
        log_probs = log_probs.unsqueeze(1)
    # Otherwise the operator refuses the call.
    if log_probs.ndim == 3 and log_probs.numel() and heard.numel() == spoken.numel() == log_probs.shape[1]:
        _check_lengths("input_lengths", heard, log_probs.shape[0])
        _check_lengths("target_lengths", spoken, None)
        targets = (
            _padded(targets, spoken)
            if targets.ndim == 1
            else _long_enough(targets, spoken)
            if targets.ndim
            else targets
        )
    others = [x.to(log_probs.device) for x in (targets, heard, spoken)]
    loss = rows["_ctc_loss"](log_probs, *others, blank, reduction, zero_infinity)
    return loss.squeeze(0) if alone and loss.ndim else loss


def _lengths(name: str, given: Any) -> Tensor:
    if not isinstance(given, Tensor):
        return factories.of_array(np.asarray(given, np.int64).reshape(-1))
    if given.dtype.category != _dtypes.INTEGER:
        raise RuntimeError(f"{name} must be integral")
    return given.reshape(-1)


def _check_lengths(name: str, lengths: Tensor, most: int | None) -> None:
    def check(host: Any) -> None:
        if isinstance(host, np.ndarray) and host.size and host.min() < 0:
            raise _errors.losses.length_range(name, "least", 0, int(host.min()))
        if isinstance(host, np.ndarray) and host.size and most is not None and host.max() > most:
            raise _errors.losses.length_range(name, "most", most, int(host.max()))

    when_at_hand(lengths._value, check)


def _long_enough(targets: Tensor, lengths: Tensor) -> Tensor:
    size = targets.shape[-1] if targets.ndim else 0

    def check(host: Any) -> None:
        if isinstance(host, np.ndarray) and host.size and host.max() > size:
            raise _errors.losses.targets_size("at least ", int(host.max()), 1, size)

    if targets.ndim == 2:
        when_at_hand(lengths._value, check)
    return targets


def _padded(targets: Tensor, lengths: Tensor) -> Tensor:
    """Return the concatenated targets as one padded row per target.

    The lengths are read on the host, because they determine the shape.
    """
    each = to_numpy(lengths._value)
    if int(each.sum()) != targets.shape[0]:
        raise _errors.losses.targets_size("", int(each.sum()), 0, targets.shape[0])
    columns = np.arange(int(each.max(initial=0)))
    places = (np.cumsum(each) - each)[:, None] + columns
    kept = np.where(columns < each[:, None], places, 0)
    if not targets.shape[0]:
        return targets.reshape(0, 0).expand(len(each), 0)
    return targets[factories.of_array(kept, targets.device)]
