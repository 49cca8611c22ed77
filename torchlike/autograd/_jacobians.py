"""The old functions of `torch.autograd.gradcheck` that return Jacobians."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torchlike
from torchlike import _errors
from torchlike._errors.warned import warn
from torchlike._tensor.tensor import Tensor


def get_numerical_jacobian(
    fn: Callable, inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """Return the Jacobians of the first output of a function, by central differences. Deprecated.

    Args:
      fn: a function that takes `inputs` as one argument.
      inputs: the inputs.
      target: the tensors with respect to which the output is differentiated, by default the inputs.
      eps: the step.
      grad_out: must be 1.

    Returns:
      For each tensor that requires grad its Jacobian: a row for each of its elements.

    Raises:
      ValueError: `grad_out` is not 1.
    """
    _tell("get_numerical_jacobian")
    if grad_out != 1.0:
        raise _not_one("grad_out", "get_numerical_jacobian")
    run = lambda: _outputs(fn(inputs))[0].detach().reshape(-1)
    return tuple([_differences(run, each, eps) for each in _wanted(inputs if target is None else target)])


def get_numerical_jacobian_wrt_specific_input(
    fn: Callable, input_idx: int, inputs: Any, outputs: Any, eps: float, input: Any = None, is_forward_ad: bool = False
) -> tuple[Tensor, ...]:
    """Return the Jacobians of all outputs of a function with respect to one input, by central differences.

    Args:
      fn: a function of several arguments.
      input_idx: the place of the input.
      inputs: the arguments.
      outputs: the outputs of the function, for their number.
      eps: the step.
      input: the tensor that is perturbed, by default the argument.
      is_forward_ad: not supported for complex inputs, where it has an effect.

    Returns:
      For each output its Jacobian: a row for each element of the input.
    """
    moved = inputs[input_idx] if input is None else input
    if not moved.requires_grad:
        raise AssertionError("Expected input to have requires_grad=True")
    found = []
    for i in range(len(_outputs(outputs))):
        run = lambda i=i: _outputs(fn(*inputs))[i].detach().reshape(-1)
        found.append(_differences(run, moved, eps))
    return tuple(found)


def get_analytical_jacobian(
    inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """Return the Jacobians of an output by backward passes. Deprecated.

    Args:
      inputs: the inputs.
      output: the output.
      nondet_tol: the permitted difference of two passes.
      grad_out: must be 1.

    Returns:
      The Jacobians of the inputs that require grad, whether two passes agree, and whether the sizes and the dtypes of
      the gradients are those of the inputs.

    Raises:
      ValueError: `grad_out` is not 1, or the output is complex.
    """
    _tell("get_analytical_jacobian")
    if grad_out != 1.0:
        raise _not_one("grad_out", "get_analytical_jacobian")
    if output.is_complex():
        raise ValueError(
            "Expected output to be non-complex. get_analytical_jacobian no longer supports functions that return "
            "complex outputs."
        )
    wanted = [*_wanted(inputs)]
    first, sizes, dtypes = _rows(output, wanted)
    second, _, _ = _rows(output, wanted)
    agree = all([not a.numel() or bool((a - b).abs().max() <= nondet_tol) for a, b in zip(first, second)])
    return first, agree, sizes, dtypes


def _rows(output: Tensor, wanted: list[Tensor]) -> tuple[tuple[Tensor, ...], bool, bool]:
    found = [torchlike.zeros(each.numel(), output.numel(), dtype=each.dtype) for each in wanted]
    sizes = dtypes = True
    for j in range(output.numel()):
        weight = torchlike.zeros_like(output).reshape(-1)
        weight[j] = 1
        given = torchlike.autograd.grad(
            output, wanted, weight.reshape(output.shape), retain_graph=True, allow_unused=True
        )
        for table, each, grad in zip(found, wanted, given):
            if grad is None:
                continue
            dtypes &= grad.dtype == each.dtype
            if grad.size() != each.size():
                sizes = False
            else:
                table[:, j] = grad.reshape(-1)
    return tuple(found), sizes, dtypes


def _differences(run: Callable[[], Tensor], moved: Tensor, eps: float) -> Tensor:
    """Return central differences with respect to each element of a tensor."""
    if moved.is_complex():
        raise _errors.arguments.kind_unsupported("get_numerical_jacobian", "complex inputs")
    data, rows = moved.detach(), []
    with torchlike.no_grad():
        for i in range(moved.numel()):
            place = torchlike.unravel_index(torchlike.tensor(i), moved.shape) if moved.dim() else ()
            kept, ends = data[place].clone(), []
            for step in (-eps, eps):
                data[place] = kept + step
                ends.append(run().clone())
            data[place] = kept
            rows.append((ends[1] - ends[0]) / (2 * eps))
    return torchlike.stack(rows) if rows else torchlike.zeros(0, run().numel(), dtype=moved.dtype)


def _outputs(outputs: Any) -> tuple[Tensor, ...]:
    return (outputs,) if isinstance(outputs, Tensor) else tuple(each for each in outputs if isinstance(each, Tensor))


def _wanted(inputs: Any) -> Iterable[Tensor]:
    if isinstance(inputs, Tensor):
        return [inputs] if inputs.requires_grad else []
    return [each for part in inputs for each in _wanted(part)] if isinstance(inputs, tuple | list) else []


def _not_one(name: str, function: str) -> ValueError:
    return ValueError(f"Expected {name} to be 1.0. {function} no longer supports values of {name} != 1.0.")


def _tell(name: str) -> None:
    warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be "
        "removed in a future version of PyTorch. If you have a specific use for this or feature request for this to be "
        "a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new",
        FutureWarning,
    )
