"""PyTorch's counter of operations, by name; XLA's own count stands in its place."""

from __future__ import annotations

from typing import Any

from torchlike import _errors


class FlopCounterMode:
    """Refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _errors.arguments.cannot("utils.flop_counter.FlopCounterMode", "ask torch.compile(f).cost() for XLA's")
