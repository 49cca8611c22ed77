"""Names of gradient nodes where PyTorch numbers an operator's overloads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike._ops.schema.typing_rules import Aval, Call


def by_operand(
    stem: str, parameter: str, tensor: int = 1, number: int = 0, wraps: bool = True
) -> Callable[[Call], str]:
    """The name follows from whether an operand is a tensor or a number, of which PyTorch then makes one (`wraps`)."""

    def node(call: Call) -> str:
        return f"{stem}Backward{tensor if isinstance(call.arguments[parameter], Aval) else number}"

    made: Any = node
    made.wraps = wraps
    return made


def by_dim(stem: str) -> Callable[[Call], str]:
    """Reductions over everything come first, over dims second."""
    return lambda call: f"{stem}Backward{0 if call.dim is None else 1}"


def of_two(stem: str) -> Callable[[Call], str]:
    """Two tensors, then a number and a tensor, then a tensor and a number."""

    def node(call: Call) -> str:
        tensors = (isinstance(call.input, Aval), isinstance(call.other, Aval))
        number = {(True, True): 0, (False, True): 1, (True, False): 2}[tensors]
        return f"{stem}Backward{number}"

    made: Any = node
    made.wraps = True
    return made
