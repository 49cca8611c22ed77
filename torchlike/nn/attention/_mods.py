"""Evaluation of mask and score functions of `flex_attention`.

A `mask_mod` maps scalar indices (batch, head, query, key) to a bool. A `score_mod` maps a score and these indices to a
score. Both are evaluated at all indices with `vmap`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor


def is_score_mod(function: Callable) -> bool:
    """Return True if a function is a `score_mod` (5 positional arguments), and False if it is a `mask_mod` (4).

    Arguments with a default are not counted. Raise AssertionError for any other number of arguments.
    """
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    count = sum(
        p.kind in positional and p.default is inspect.Parameter.empty
        for p in inspect.signature(function).parameters.values()
    )
    if count not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {count}")
    return count == 5


def evaluate_everywhere(function: Callable, size: tuple[int, ...], device: Any, scores: Tensor | None = None) -> Tensor:
    """Evaluate a function at all indices of a tensor of the shape `size`, which is (B, H, Q, KV).

    With `scores`, the score at the indices is passed to the function as an additional first argument.
    """
    first = () if scores is None else (scores,)
    for dim in (3, 2, 1, 0):  # innermost dimension first
        dims = [0] * len(first) + [None] * 4
        dims[len(first) + dim] = 0
        function = torchlike.vmap(function, in_dims=tuple(dims))
    return function(*first, *[torchlike.arange(n, device=device) for n in size])


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """Return True. This is the `mask_mod` that masks nothing.

    Args:
      batch, head, token_q, token_kv: scalar indices.

    >>> import torchlike as torch
    >>> torch.nn.attention.flex_attention.noop_mask(*torch.zeros(4))
    tensor(True)
    """
    return batch.new_ones((), dtype=torchlike.bool)


def and_masks(*mask_mods: Callable) -> Callable:
    """Return a `mask_mod` that is true where all given functions are true.

    Args:
      *mask_mods: the functions.

    Raises:
      RuntimeError: an argument is not callable.

    >>> from torchlike.nn.attention.flex_attention import and_masks, create_mask
    >>> window = and_masks(lambda b, h, q, kv: q >= kv, lambda b, h, q, kv: q - kv < 1)
    >>> create_mask(window, None, None, 2, 2).int()
    tensor([[[[1, 0],
              [0, 1]]]], dtype=torch.int32)
    """
    return _merged(mask_mods, "and_mask", torchlike.bitwise_and, True)


def or_masks(*mask_mods: Callable) -> Callable:
    """Return a `mask_mod` that is true where at least one of the given functions is true.

    Args:
      *mask_mods: the functions.

    Raises:
      RuntimeError: an argument is not callable.

    >>> from torchlike.nn.attention.flex_attention import create_mask, or_masks
    >>> create_mask(or_masks(lambda b, h, q, kv: q > kv, lambda b, h, q, kv: q == kv), None, None, 2, 2).int()
    tensor([[[[1, 0],
              [1, 1]]]], dtype=torch.int32)
    """
    return _merged(mask_mods, "or_mask", torchlike.bitwise_or, False)


def _merged(mask_mods: tuple, name: str, merge: Callable, start: bool) -> Callable:
    if not all(callable(mod) for mod in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        kept = b.new_full((), start, dtype=torchlike.bool)
        for mod in mask_mods:
            kept = merge(kept, mod(b, h, q_idx, kv_idx))
        return kept

    mask.__name__ = name
    return mask


def create_mask(mod_fn: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None) -> Tensor:
    """Return the mask as a boolean tensor (B, H, Q_LEN, KV_LEN).

    Args:
      mod_fn: a `mask_mod` or a `score_mod`. The mask of a `score_mod` is false where it maps a score of 0 to -inf.
      B, H: the numbers of batch elements and heads. None means 1.
      Q_LEN, KV_LEN: the lengths of queries and keys.
      device: the device of the mask. The default is the accelerator, or the CPU if there is no accelerator.

    Raises:
      AssertionError: the function takes neither 4 nor 5 positional arguments.

    >>> from torchlike.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 3).int()
    tensor([[[[1, 0, 0],
              [1, 1, 0]]]], dtype=torch.int32)
    """
    size = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    device = default_device() if device is None else device
    if not is_score_mod(mod_fn):
        return evaluate_everywhere(mod_fn, size, device)
    return ~torchlike.isneginf(evaluate_everywhere(mod_fn, size, device, torchlike.zeros(size, device=device)))


def default_device() -> Any:
    """Return the accelerator, or the CPU if there is no accelerator."""
    return torchlike.accelerator.current_accelerator() or "cpu"
