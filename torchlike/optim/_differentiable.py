"""Optimizer steps that autograd records (`differentiable=True`).

A differentiable step records the optimizer's rule as one operator for each parameter and writes the result in place.
Gradients flow through it to the parameter, its gradient and its state, and to hyperparameters that are tensors. The
scalars of the step are computed from such hyperparameters by tensor operators, with the same formulas as from numbers.
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
    """Return the options of a group with tensors converted to numbers.

    If `with_tensors`, tensors that require grad stay tensors.
    """
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
    """Apply `maximize` and a weight decay that requires grad to the gradient, and return it.

    The applied options are reset in `numbers`. Like PyTorch, this adds the weight decay in place.
    """
    weight_decay = numbers.get("weight_decay")
    if decay != "penalty" or not isinstance(weight_decay, Tensor):
        return grad
    grad = -grad if numbers["maximize"] else grad
    numbers["weight_decay"], numbers["maximize"] = 0, False
    return grad.addcmul_(param.clone(), weight_decay)


def write_row(rule: Callable, flags: tuple, scalars: tuple, grad: Tensor, targets: list[Tensor]) -> None:
    """Record the update of one parameter and its state (`targets`), and write the results to them."""
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
    """Return the operator that applies a rule to the scalars of a step, a parameter, its gradient and its state."""

    def run(functions: Any, given: list, outside: Any) -> list:
        row = given[numbers:]
        return list(row_update(rule, flags, given[:numbers], row, (0, *range(2, len(row)))))

    node = "".join([part.title() for part in rule.__name__.split("_")]) + "Backward"
    return Higher(rule.__name__, node, (rule, flags, numbers), run, known={})


def _tensor(scalar: Any, like: Tensor) -> Tensor:
    return (
        scalar.to(like.device) if isinstance(scalar, Tensor) else of_array(np.asarray(scalar, np.float64), like.device)
    )
