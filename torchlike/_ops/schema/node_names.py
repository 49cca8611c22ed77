"""Names of gradient nodes for operators with several overloads, which PyTorch numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike._ops.schema.typing_rules import Aval, Call


def by_operand(
    stem: str, parameter: str, tensor: int = 1, number: int = 0, wraps: bool = True
) -> Callable[[Call], str]:
    """Return a function that names the gradient node according to the type of `parameter`.

    The name ends with `tensor` if the argument is a tensor, and with `number` if it is a number. `wraps` means that
    PyTorch converts the number to a 0-d tensor.
    """

    def node(call: Call) -> str:
        return f"{stem}Backward{tensor if isinstance(call.arguments[parameter], Aval) else number}"

    made: Any = node
    made.wraps = wraps
    return made


def by_dim(stem: str) -> Callable[[Call], str]:
    """Return a function that names the gradient node of a reduction.

    The name ends with 0 for a reduction over all elements, and with 1 for a reduction over dims.
    """
    return lambda call: f"{stem}Backward{0 if call.dim is None else 1}"


def of_two(stem: str) -> Callable[[Call], str]:
    """Return a function that names the gradient node of a binary operator.

    The name ends with 0 for two tensors, 1 for a number and a tensor, and 2 for a tensor and a number.
    """

    def node(call: Call) -> str:
        tensors = (isinstance(call.input, Aval), isinstance(call.other, Aval))
        number = {(True, True): 0, (False, True): 1, (True, False): 2}[tensors]
        return f"{stem}Backward{number}"

    made: Any = node
    made.wraps = True
    return made
