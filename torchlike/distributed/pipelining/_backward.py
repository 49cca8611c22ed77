"""The backward pass of one stage and one microbatch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torchlike
from torchlike import Tensor

from ._utils import map_debug_info


def stage_backward(
    stage_output: Any, output_grads: Any, input_values: list, outputs_with_grads_idxs: list[int] | None = None
) -> tuple[Tensor | None, ...]:
    """Compute the gradients of the inputs of a stage, and accumulate those of its parameters.

    Args:
      stage_output: the output of the stage, or the loss of the last stage. It may be nested.
      output_grads: the gradients of the output, nested in the same way. None for a loss.
      input_values (list): the inputs. Their `.grad` is None afterwards.
      outputs_with_grads_idxs (list of ints, optional): the places of the outputs that have gradients.

    Returns:
      The gradients of the inputs, or None where an input has no gradient.

    Raises:
      RuntimeError: the backward pass fails.
    """
    if outputs_with_grads_idxs is not None:
        stage_output = [stage_output[i] for i in outputs_with_grads_idxs]
        output_grads = [output_grads[i] for i in outputs_with_grads_idxs]
    try:
        pairs = [*_pairs(stage_output, output_grads)]
        torchlike.autograd.backward([output for output, _ in pairs], grad_tensors=[grad for _, grad in pairs])
        return tuple(map(_taken, input_values))
    except Exception as error:
        raise RuntimeError(
            f"\n        Failed to run stage backward:\n        Stage output: {map_debug_info(stage_output)}\n"
            f"        Output gradient: {map_debug_info(output_grads)}\n"
            f"        Input: {map_debug_info(input_values)}\n        "
        ) from error


def _taken(value: Any) -> Tensor | None:
    """Return the gradient of an input, and remove it from the input."""
    if not isinstance(value, Tensor):
        return None
    grad, value.grad = value.grad, None
    return grad


def _pairs(output: Any, grad: Any) -> Iterator[tuple[Tensor, Tensor | None]]:
    """Yield the tensors of an output that take part in the backward pass, with their gradients."""
    if isinstance(output, Tensor):
        if not output.requires_grad:
            return
        if not isinstance(grad, Tensor | None):
            raise AssertionError(f"Expected Tensor or None gradient but got {type(grad)}")
        yield output, grad
    elif grad is not None and isinstance(output, tuple | list):
        if not isinstance(grad, tuple | list):
            raise AssertionError(f"grad_value expected to have type {type(output)} but got {type(grad)}")
        if len(output) != len(grad):
            raise AssertionError(f"Expected len(output_val) == len(grad_val), got {len(output)} != {len(grad)}")
        for each, its_grad in zip(output, grad):
            yield from _pairs(each, its_grad)
    elif grad is not None and isinstance(output, dict):
        if not isinstance(grad, dict):
            raise AssertionError(f"Expected dict, got {type(grad)}")
        if set(output) != set(grad):
            raise AssertionError(f"Expected keys {set(output)}, got {set(grad)}")
        for key, each in output.items():
            yield from _pairs(each, grad[key])
