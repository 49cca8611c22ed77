"""The associative scan, built on `jax.lax.associative_scan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from torchlike import _errors
from torchlike._higher_order_ops._record import InputProperties, ResultIndex, device_of, differences, operate, record
from torchlike._higher_order_ops._trees import flatten
from torchlike._higher_order_ops.scan import along
from torchlike._transforms.jax_operators import Functions, Higher
from torchlike._transforms.recording import is_tensor


def associative_scan(
    combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """Return x0, x0 * x1, x0 * x1 * x2, ... along `dim`, where `*` is the associative function `combine_fn`.

    Args:
      combine_fn: a pure function. It combines two slices, each with the containers of `xs`, into one slice of the same
        shapes and dtypes.
      xs: a tensor or containers of tensors, all of the same size along `dim`.
      dim: the dim to scan over.
      reverse: start with the last slice.
      combine_mode: "generic", or "pointwise", which accepts only tensors on accelerators.

    Raises:
      ValueError: an argument has the wrong type, or the tensors have no slices or different sizes along `dim`.
      IndexError: `dim` is out of range.
      AssertionError: the result of `combine_fn` has other containers than `xs`.
      UncapturedHigherOrderOpError: as in `torch.cond`, or the result has other shapes, dtypes or devices than a slice.
      RuntimeError: `combine_fn` samples random numbers.

    >>> import torchlike as torch
    >>> from torchlike._higher_order_ops import associative_scan
    >>> associative_scan(lambda a, b: a * b, torch.tensor([1.0, 2.0, 3.0]), 0, combine_mode="generic")
    tensor([1., 2., 6.])
    """
    slices, tree = flatten(xs)
    _check(combine_fn, slices, reverse, combine_mode)
    try:
        sliced = [x.movedim(dim, 0) for x in along(slices, dim)]
    except RuntimeError as error:
        raise ValueError(*error.args) from None
    count = len(sliced)
    call = lambda f, inputs: f(tree.filled(inputs[:count]), tree.filled(inputs[count:]))
    made = record(
        "torch.ops.higher_order.associative_scan",
        "combine_fn",
        combine_fn,
        [InputProperties.of_slice(x, carried=True) for x in sliced] * 2,
        device_of(sliced),
        call,
    )
    if made.tree != tree or not all(isinstance(leaf, ResultIndex) for leaf in made.leaves):
        raise AssertionError(f"combine_fn must return what the xs are made of, {tree}, got {made.tree}")
    different = differences(made, [x[0] for x in sliced], count)
    if different:
        raise _errors.control_flow.carried_metadata("xs and combine_fn_output", different)
    key = "associative_scan", reverse
    op = Higher("associative_scan", "AssociativeScanAutogradOpBackward", key, _runner(reverse))
    return tree.filled([y.movedim(0, dim) for y in operate(op, sliced, [made])])


def _runner(reverse: bool) -> Callable[[Functions, list, list], list]:
    def run(functions: Functions, given: list, outside: list) -> list:
        combine = jax.vmap(lambda a, b: functions[0]([*a, *b], outside[0]))
        return jax.lax.associative_scan(combine, given, reverse=reverse)

    return run


def _check(combine_fn: Any, slices: list, reverse: Any, combine_mode: str) -> None:
    if not callable(combine_fn):
        raise ValueError(_errors.control_flow.combine_callable(combine_fn))
    if combine_mode not in ("pointwise", "generic"):
        raise _errors.control_flow.combine_mode(combine_mode)
    if reverse.__class__ is not bool:
        raise ValueError(*_errors.control_flow.reverse_kind(reverse).args)
    if not slices or not all(map(is_tensor, slices)):
        raise ValueError("associative_scan expects xs to be tensors, or containers of tensors")
    if combine_mode == "pointwise" and any(x.device.type == "cpu" for x in slices):
        raise ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU")
