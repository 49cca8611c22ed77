"""Steps that autograd records: `differentiable=True`.

Such a step is the optimizer's own rule, recorded as one operator for each parameter and written in place. Gradients
flow through it to the parameter, its gradient and its state, and to hyperparameters that are tensors: from those the
numbers of the step are computed by tensor operators, in the formulas that otherwise take Python's numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from torchlike import Tensor
from torchlike._internal import Higher, apply, check_history, of_array, row_update, sequence

_PLAIN = frozenset((float, int, bool, str, type(None)))


def numbers_of(group: dict[str, Any], with_tensors: bool = False) -> dict[str, Any]:
    """The options of a group as formulas take them: plain numbers, or tensors where they require grad and are asked
    for."""
    return {
        name: option if option.__class__ in _PLAIN else _number(option, with_tensors)
        for name, option in group.items()
        if name != "params"
    }


def _number(option: Any, with_tensors: bool) -> Any:
    if isinstance(option, tuple):
        return tuple([_number(each, with_tensors) for each in option])
    if not isinstance(option, Tensor):
        return option
    return option.reshape(()) if with_tensors and option.requires_grad else option.item()


def with_penalty(grad: Tensor, param: Tensor, numbers: dict[str, Any], decay: str | None) -> Tensor:
    """The gradient, with a weight decay that requires grad added to it, and the sign of an ascent, which are options no
    more. PyTorch adds it in place."""
    weight_decay = numbers.get("weight_decay")
    if decay != "penalty" or not isinstance(weight_decay, Tensor):
        return grad
    grad = -grad if numbers["maximize"] else grad
    numbers["weight_decay"], numbers["maximize"] = 0, False
    return grad.addcmul_(param.clone(), weight_decay)


def write_row(rule: Callable, flags: tuple, scalars: tuple, grad: Tensor, targets: list[Tensor]) -> None:
    """Record the update of one parameter and its state, the targets, and write it to them."""
    for target in targets:
        check_history(target, (grad,))
    numbers = [_tensor(scalar, grad)._pair() for scalar in scalars]
    since = next(sequence)
    param, *state = [target._pair() for target in targets]
    made = apply(_operator(rule, flags, len(numbers)), [*numbers, param, grad._pair(), *state], ())
    for target, (value, edge) in zip(targets, made):
        target._write(value, edge, since)


@functools.lru_cache(1024)
def _operator(rule: Callable, flags: tuple, numbers: int) -> Higher:
    """The operator over the numbers of a step, a parameter, its gradient and its state."""

    def run(functions: Any, given: list, outside: Any) -> list:
        row = given[numbers:]
        return list(row_update(rule, flags, given[:numbers], row, (0, *range(2, len(row)))))

    node = "".join([part.title() for part in rule.__name__.split("_")]) + "Backward"
    return Higher(rule.__name__, node, (rule, flags, numbers), run, known={})


def _tensor(scalar: Any, like: Tensor) -> Tensor:
    return (
        scalar.to(like.device) if isinstance(scalar, Tensor) else of_array(np.asarray(scalar, np.float64), like.device)
    )
