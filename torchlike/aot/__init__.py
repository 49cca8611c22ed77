"""Ahead-of-time compiling: what a program needs on a chip that this machine does not have.

``python -m torchlike.aot --target h100 script.py`` compiles the programs of a script's first training step.
``torch.compile(f).for_target("h100").lower(*args).compile()`` compiles one call and returns a `Program`.
PyTorch has no such package.
"""

from torchlike._engine.ahead.lowering import Lowered as Lowered
from torchlike._engine.ahead.lowering import Memory as Memory
from torchlike._engine.ahead.lowering import Program as Program
from torchlike._engine.ahead.targets import Unavailable as Unavailable

__all__ = ["Lowered", "Memory", "Program", "Unavailable"]
