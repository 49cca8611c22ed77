"""Attention over packed sequences of different lengths."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torchlike
from torchlike import Tensor
from torchlike._internal import _errors

__all__ = ["varlen_attn", "varlen_attn_out", "AuxRequest"]


class AuxRequest(NamedTuple):
    """The additional results of `varlen_attn`.

    Attributes:
      lse: whether the logarithm of the sum of the exponentials of the scores is returned.
    """

    lse: bool = False


def varlen_attn(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cu_seq_q: Tensor,
    cu_seq_k: Tensor | None,
    max_q: int,
    max_k: int,
    *,
    return_aux: AuxRequest | None = None,
    scale: float | None = None,
    window_size: tuple[int, int] = (-1, -1),
    enable_gqa: bool = False,
    seqused_k: Tensor | None = None,
    block_table: Tensor | None = None,
    num_splits: int | None = None,
) -> Tensor | tuple[Tensor, Tensor]:
    """Compute attention within each of several sequences, which are packed in one dimension.

    The scores of all pairs of packed positions are computed, and those of different sequences are masked. PyTorch
    requires a GPU and half precision. Here every device and floating dtype is permitted.

    Args:
      query: packed queries (positions, heads, size).
      key: packed keys.
      value: packed values.
      cu_seq_q: the starts of the sequences of queries, and the end of the last one.
      cu_seq_k: the same for keys.
      max_q: has no effect. It is the length of the longest sequence of queries.
      max_k: has no effect. It is the length of the longest sequence of keys.
      return_aux: whether the logarithms of the sums are also returned.
      scale: the factor of the scores, by default 1 / sqrt(size).
      window_size: how many keys before and after its own position a query sees. -1 means all. The last query of a
        sequence is at the position of its last key.
      enable_gqa: whether several heads of queries may share a head of keys and values.
      seqused_k: for each sequence, the number of keys that are used.
      block_table: not supported; it must be None.
      num_splits: has no effect.

    Returns:
      The results (positions, heads, size), or a pair with the logarithms (heads, positions).

    Raises:
      ValueError: the numbers of heads do not fit.

    >>> import torchlike as torch
    >>> q = torch.ones(5, 1, 4)
    >>> starts = torch.tensor([0, 2, 5], dtype=torch.int32)
    >>> torch.nn.attention.varlen.varlen_attn(q, q, q, starts, starts, 3, 3).shape
    torch.Size([5, 1, 4])
    """
    if block_table is not None:
        raise _errors.arguments.unsupported("varlen_attn", "block_table")
    window = _window(window_size)
    heads, of_keys = query.size(1), key.size(1)
    _check_heads(heads, of_keys, enable_gqa)
    key, value = (each.repeat_interleave(heads // of_keys, 1) if heads != of_keys else each for each in (key, value))
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = torchlike.einsum("qhd,khd->hqk", query.float(), key.float()) * factor
    starts = cu_seq_q if cu_seq_k is None else cu_seq_k
    scores = scores.masked_fill(~_seen(query, key, (cu_seq_q, starts), window, seqused_k), -math.inf)
    sums = scores.logsumexp(-1)
    weights = (scores - sums.unsqueeze(-1).clamp(min=torchlike.finfo(sums.dtype).min)).exp()
    result = torchlike.einsum("hqk,khd->qhd", weights, value.float()).to(query.dtype)
    return (result, sums) if return_aux is not None and return_aux.lse else result


def varlen_attn_out(out: Tensor, query: Tensor, key: Tensor, value: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Call `varlen_attn` and write the result to `out`.

    Args:
      out: the tensor that receives the result.
      query, key, value, args, kwargs: the arguments of `varlen_attn`.
    """
    with torchlike.no_grad():
        found = varlen_attn(query, key, value, *args, **kwargs)
        result, *more = found if isinstance(found, tuple) else (found,)
        out.copy_(result)
    return (out, *more) if more else out


def _window(window_size: Any) -> tuple[int, int]:
    if len(window_size) != 2:
        raise ValueError(f"window_size must have length 2, got {len(window_size)}")
    return tuple(window_size)


def _check_heads(heads: int, of_keys: int, shared: bool) -> None:
    if not shared and heads != of_keys:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={heads} and Hkv={of_keys}. "
            "Try setting enable_gqa=True for GQA."
        )
    if shared and heads % of_keys != 0:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and Hkv={of_keys}."
        )


def _seen(query: Tensor, key: Tensor, starts: tuple[Tensor, Tensor], window: tuple[int, int], used: Any) -> Tensor:
    """Return for each pair of a query and a key whether the query sees the key."""
    (of, at), (of_key, at_key) = (_places(each.size(0), start) for each, start in zip((query, key), starts))
    lengths = [start.long().diff() for start in starts]
    if used is not None:
        lengths[1] = used.long()
    last = lengths[0].numel() - 1
    own = of.clamp(max=last)
    diagonal = (at + (lengths[1] - lengths[0])[own]).unsqueeze(1)
    seen = (of.unsqueeze(1) == of_key) & (at_key < lengths[1][of_key.clamp(max=last)])
    left, right = window
    if left >= 0:
        seen &= at_key >= diagonal - left
    if right >= 0:
        seen &= at_key <= diagonal + right
    return seen


def _places(count: int, starts: Tensor) -> tuple[Tensor, Tensor]:
    """Return for each packed position the number of its sequence and its place there."""
    place = torchlike.arange(count, device=starts.device)
    number = torchlike.searchsorted(starts[1:].long(), place, right=True)
    return number, place - starts.long()[number]
