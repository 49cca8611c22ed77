"""Programs that are lowered for a platform, with the options of their compile."""

from __future__ import annotations

from typing import Any

from torchlike._engine.xla import fusion
from torchlike._engine.xla.target import ROUNDED


class Lowering:
    """A program that was lowered for a platform and not compiled.

    Attributes:
      lowered: JAX's object (`jax.stages.Lowered`).
    """

    __slots__ = ("_options", "lowered")

    def __init__(self, jitted: Any, platform: str, *given: Any) -> None:
        """Trace and lower a function of `jax.jit` for these arguments."""
        traced = jitted.trace(*given)
        self.lowered = traced.lower()
        chosen = fusion.options(traced.jaxpr) if platform == "cpu" else {}
        self._options = None if platform == "tpu" else {**ROUNDED, **chosen}

    def compile(self) -> Any:
        """Return the executable (`jax.stages.Compiled`)."""
        return self.lowered.compile(self._options)
