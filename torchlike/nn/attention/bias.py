"""Causal masks for `scaled_dot_product_attention`, represented by their variant and shape."""

from __future__ import annotations

import enum
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import _disabled_torch_function_impl, warn
from torchlike.nn import _errors_sequence as _errors

__all__ = ["causal_upper_left", "causal_lower_right", "CausalVariant", "CausalBias"]


class CausalVariant(enum.IntEnum):
    """The corner of the score matrix at which the diagonal of a causal mask is aligned.

    >>> import torchlike as torch
    >>> torch.nn.attention.bias.causal_lower_right(2, 3).variant.name
    'LOWER_RIGHT'
    """

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask over (queries, keys), used as `attn_mask`. The tensor itself holds no data.

    Args:
      variant: the corner at which the diagonal is aligned.
      seq_len_q, seq_len_kv: the numbers of queries and keys.

    Raises:
      AssertionError: `variant` is not a `CausalVariant`.

    >>> import torchlike as torch
    >>> from torchlike.nn.attention.bias import CausalBias, CausalVariant
    >>> mask, x, y = CausalBias(CausalVariant.LOWER_RIGHT, 2, 3), torch.ones(1, 1, 2, 4), torch.ones(1, 1, 3, 4)
    >>> torch.nn.functional.scaled_dot_product_attention(x, y, y, mask).shape
    torch.Size([1, 1, 2, 4])
    """

    __torch_function__ = _disabled_torch_function_impl

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        super().__init__()
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if self._has_offset() and seq_len_q > seq_len_kv:
            warn(_errors.BIAS_WITHOUT_KEYS)

    def _has_offset(self) -> bool:
        return self.variant == CausalVariant.LOWER_RIGHT and self.seq_len_q != self.seq_len_kv

    def _materialize(self, device: Any = None) -> Tensor:
        """Return the mask as a boolean tensor: True where the query attends to the key."""
        offset = self.seq_len_kv - self.seq_len_q if self._has_offset() else 0
        size = (self.seq_len_q, self.seq_len_kv)
        return torchlike.ones(size, dtype=torchlike.bool, device="cpu" if device is None else device).tril(offset)

    def as_arguments(self, query: Tensor, is_causal: bool) -> tuple[Tensor | None, bool]:
        """Return equivalent arguments `attn_mask` and `is_causal` of `scaled_dot_product_attention`.

        Args:
          query: the queries, whose device the mask gets.
          is_causal: the argument of the call, which must be False.

        Raises:
          ValueError: `is_causal` is True.
        """
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        return (self._materialize(query.device), False) if self._has_offset() else (None, True)

    def __repr__(self, **how: Any) -> str:
        return repr(self._materialize())


def causal_upper_left(*size: int) -> CausalBias:
    """Return the causal mask in which query i attends to keys 0 to i.

    Args:
      *size: the numbers of queries and keys.

    Raises:
      AssertionError: there are not two numbers.

    >>> import torchlike as torch
    >>> torch.nn.attention.bias.causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    return _of_corner(CausalVariant.UPPER_LEFT, "causal_upper_left", size)


def causal_lower_right(*size: int) -> CausalBias:
    """Return the causal mask in which the last query attends to all keys.

    Each other query attends to one key fewer than the next query.

    Args:
      *size: the numbers of queries and keys.

    Raises:
      AssertionError: there are not two numbers.

    >>> import torchlike as torch
    >>> torch.nn.attention.bias.causal_lower_right(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    return _of_corner(CausalVariant.LOWER_RIGHT, "causal_lower_right", size)


def _of_corner(corner: CausalVariant, name: str, size: tuple[int, ...]) -> CausalBias:
    if len(size) != 2:
        raise AssertionError(f"{name} only supports 2D tensors")
    return CausalBias(corner, *size)
