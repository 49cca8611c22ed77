"""Names of the gradient nodes of operators with several overloads, and of composed operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike._ops.schema.typing_rules import Aval, Call


class Nodes(str):
    """The nodes that PyTorch records for an operator. The string is the name of the last node of the forward pass.

    Attributes:
      inputs: for each edge of the node, the name of a parameter of the operator, or the `Nodes` before this one.
      passes: whether the node never makes NaN from finite gradients, so that another node of the operator made it.
    """

    inputs: tuple[str, ...]
    passes: bool

    def __new__(cls, name: str, *inputs: str, passes: bool = False) -> Nodes:
        made = super().__new__(cls, name)
        made.inputs, made.passes = inputs, passes
        return made

    def to_blame(self, parameter: str) -> tuple[str, int] | None:
        """Return the name and output number of the node that made a NaN in the gradient of this parameter."""
        for number, each in enumerate(self.inputs):
            if each == parameter and not isinstance(each, Nodes):
                return str(self), number
            if isinstance(each, Nodes) and (found := each.to_blame(parameter)):
                return found if self.passes else (str(self), number)
        return None


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


def row_node(stem: str) -> Nodes:
    """Return the nodes of an operator on one dim that PyTorch runs on two dims."""
    inner = Nodes(f"{stem}Backward0", Nodes("UnsqueezeBackward0", "input"))
    return Nodes("SqueezeBackward1", inner, passes=True)
