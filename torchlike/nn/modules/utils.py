"""Helpers under PyTorch's module path, where other projects import them."""

from __future__ import annotations

from typing import Any

from torchlike.nn.modules._tuples import _ntuple as _ntuple
from torchlike.nn.modules._tuples import _pair as _pair
from torchlike.nn.modules._tuples import _quadruple as _quadruple
from torchlike.nn.modules._tuples import _reverse_repeat_tuple as _reverse_repeat_tuple
from torchlike.nn.modules._tuples import _single as _single
from torchlike.nn.modules._tuples import _triple as _triple

__all__ = ["consume_prefix_in_state_dict_if_present"]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Remove `prefix` in place from the keys that start with it, for example the prefix that `DataParallel` adds.

    Args:
      state_dict: the dictionary.
      prefix: the prefix, for example "module.".

    >>> import torchlike as torch
    >>> state = {"module.weight": torch.ones(2)}
    >>> torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    >>> list(state)
    ['weight']
    """
    for key in [key for key in state_dict if key.startswith(prefix)]:
        state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    for key in [key for key in metadata if key and (key + ".").startswith(prefix)]:
        metadata[key[len(prefix) :]] = metadata.pop(key)
