"""Functions of a place in the matrix of scores: they are called with scalars (batch, head, query, key), and mapped."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike.nn import _errors_flex as _errors


def is_score_mod(function: Callable) -> bool:
    """Whether a function takes a score before the place, by the number of its positional arguments."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    count = sum(
        p.kind in positional and p.default is inspect.Parameter.empty
        for p in inspect.signature(function).parameters.values()
    )
    if count not in (4, 5):
        raise _errors.mod_arguments(count)
    return count == 5


def at_every_place(function: Callable, size: tuple[int, ...], device: Any, scores: Tensor | None = None) -> Tensor:
    """What a function gives at each place of (B, H, Q, KV), called with the score there if there are scores."""
    first = () if scores is None else (scores,)
    for dim in (3, 2, 1, 0):  # the innermost first
        dims = [0] * len(first) + [None] * 4
        dims[len(first) + dim] = 0
        function = torchlike.vmap(function, in_dims=tuple(dims))
    return function(*first, *[torchlike.arange(n, device=device) for n in size])


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """A mask that keeps every place."""
    return batch.new_ones((), dtype=torchlike.bool)


def and_masks(*mask_mods: Callable) -> Callable:
    """The mask of places that all of the masks keep."""
    return _merged(mask_mods, "and_mask", torchlike.bitwise_and, True)


def or_masks(*mask_mods: Callable) -> Callable:
    """The mask of places that one of the masks keeps."""
    return _merged(mask_mods, "or_mask", torchlike.bitwise_or, False)


def _merged(mask_mods: tuple, name: str, merge: Callable, start: bool) -> Callable:
    if not all(callable(mod) for mod in mask_mods):
        raise _errors.not_callable(mask_mods)

    def mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        kept = b.new_full((), start, dtype=torchlike.bool)
        for mod in mask_mods:
            kept = merge(kept, mod(b, h, q_idx, kv_idx))
        return kept

    mask.__name__ = name
    return mask


def create_mask(mod_fn: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None) -> Tensor:
    """The mask as a tensor (B, H, Q_LEN, KV_LEN); of a function of scores, where it does not make 0 to -inf.

    >>> from torchlike.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 3).int()
    tensor([[[[1, 0, 0],
              [1, 1, 0]]]], dtype=torch.int32)
    """
    size = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    device = default_device() if device is None else device
    if not is_score_mod(mod_fn):
        return at_every_place(mod_fn, size, device)
    return ~torchlike.isneginf(at_every_place(mod_fn, size, device, torchlike.zeros(size, device=device)))


def default_device() -> Any:
    """The accelerator if there is one."""
    return torchlike.accelerator.current_accelerator() or "cpu"
