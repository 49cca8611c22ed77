"""Comparisons: bool results."""

from __future__ import annotations

from torchlike._ops._declare import Operand, pointwise
from torchlike._ops._rules import to_bool


@pointwise(promote=to_bool, opmath=False, differentiable=False)
def eq(input: Operand, other: Operand):
    """input == other, element by element."""
    return input == other
