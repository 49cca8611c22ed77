"""Settings of deterministic mode (`torch.use_deterministic_algorithms`)."""

from __future__ import annotations

import sys
import types

from torchlike._internal import determinism


class _Module(types.ModuleType):
    @property
    def fill_uninitialized_memory(self) -> bool:
        """Return whether `empty` and similar functions fill new memory in deterministic mode.

        Floating-point memory is filled with NaN and integer memory with the largest value. Deterministic mode is
        enabled by `torchlike.use_deterministic_algorithms(True)`.
        """
        return determinism.fills_uninitialized()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        determinism.set_fill_uninitialized(mode)


sys.modules[__name__].__class__ = _Module
