"""Recorded work of an accelerator, which is not supported."""

from torchlike.accelerator import Graph as Graph

__all__ = ["Graph"]
