"""The functions of `torch._C._fft` that PyTorch's pickles name."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    from torchlike.serialization import _names  # imported here because that package imports this module

    return _names.of_plain_pickle(__name__, name)
