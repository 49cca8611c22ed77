"""The scan operator: a function folded over the slices of tensors, built on `jax.lax.scan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from torchlike import _errors
from torchlike._engine.trace.subtrace import Sampled
from torchlike._higher_order_ops._record import (
    InputProperties,
    Recorded,
    ResultIndex,
    device_of,
    differences,
    operate,
    record,
)
from torchlike._higher_order_ops._trees import Tree, flatten
from torchlike._tensor.binding import CALLERS as rows
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.jax_operators import Functions, Higher
from torchlike._transforms.recording import is_tensor


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """Apply `carry, y = combine_fn(carry, x)` to each slice x of `xs`. Return the last carry and the stacked y.

    Args:
      combine_fn: a pure function. It returns a carry with the containers, shapes and dtypes of `init`, and an output y:
        any containers of tensors.
      init: the initial carry: a tensor or containers of tensors.
      xs: a tensor or containers of tensors, all of the same size along `dim`.
      dim: the dim along which `xs` is sliced and the outputs are stacked.
      reverse: start with the last slice.

    Raises the errors of `torch.cond`. If `combine_fn` samples random numbers, it is called eagerly for each slice.

    >>> import torchlike as torch
    >>> from torchlike._higher_order_ops import scan
    >>> scan(lambda total, x: (total + x, total * x), torch.zeros(()), torch.tensor([1.0, 2.0, 3.0]))
    (tensor(6.), tensor([0., 2., 9.]))
    """
    carry, carry_tree = flatten(init)
    slices, slices_tree = flatten(xs)
    _check_kinds(combine_fn, carry, slices, reverse)
    if not slices:
        return init, []
    sliced = [x.movedim(dim, 0) for x in along(slices, dim)]
    properties = [*map(InputProperties.of_carried, carry), *map(InputProperties.of_slice, sliced)]
    count = len(carry)
    call = lambda f, inputs: f(carry_tree.filled(inputs[:count]), slices_tree.filled(inputs[count:]))
    try:
        made = record(_NAME, "combine_fn", combine_fn, properties, device_of(carry), call)
    except Sampled:
        return _one_by_one(combine_fn, init, sliced, slices_tree, dim, reverse)
    ys_tree = _check_results(made, carry, carry_tree)
    op = Higher("scan", "ScanAutogradOpBackward", ("scan", count, reverse), _runner(count, reverse))
    results = operate(op, [*carry, *sliced], [made])
    return carry_tree.filled(results[:count]), ys_tree.filled([y.movedim(0, dim) for y in results[count:]])


_NAME = "torch.ops.higher_order.scan"


def _runner(count: int, reverse: bool) -> Callable[[Functions, list, list], list]:
    def run(functions: Functions, given: list, outside: list) -> list:
        def step(carry: list, x: list) -> tuple[list, list]:
            results = functions[0]([*carry, *x], outside[0])
            return results[:count], results[count:]

        carry, ys = jax.lax.scan(step, given[:count], given[count:], reverse=reverse)
        return [*carry, *ys]

    return run


def _one_by_one(combine_fn: Callable, init: Any, sliced: list[Tensor], tree: Tree, dim: int, reverse: bool) -> tuple:
    """Run the scan eagerly: call the function for each slice."""
    carry, made = init, []
    for each in (reversed if reverse else iter)(list(zip(*[x.unbind(0) for x in sliced]))):
        carry, y = combine_fn(carry, tree.filled(each))
        made.append(y)
    return carry, stacked(made[::-1] if reverse else made, dim)


def stacked(made: list, dim: int) -> Any:
    """Stack containers of tensors leaf by leaf along a new dim."""
    trees = [flatten(each) for each in made]
    return trees[0][1].filled([rows["stack"](list(column), dim) for column in zip(*[leaves for leaves, _ in trees])])


def along(xs: list[Tensor], dim: int) -> list[Tensor]:
    """Check that all tensors have the same positive number of slices along `dim`, and return the tensors."""
    ndim = max(xs[0].ndim, 1)
    if dim >= ndim or dim < -ndim:
        raise _errors.shapes.dim_out_of_range(dim, ndim)
    if any(x.ndim <= dim % ndim or not x.shape[dim] for x in xs):
        raise RuntimeError(_errors.control_flow.NO_SLICES)
    if len({x.shape[dim] for x in xs}) > 1:
        raise _errors.control_flow.different_lengths([tuple(x.shape) for x in xs], dim)
    return xs


def _check_kinds(combine_fn: Any, carry: list, slices: list, reverse: Any) -> None:
    if not callable(combine_fn):
        raise RuntimeError(_errors.control_flow.combine_callable(combine_fn))
    if reverse.__class__ is not bool:
        raise _errors.control_flow.reverse_kind(reverse)
    if not carry:
        raise RuntimeError("scan() operator requires init leaves.")
    for name, leaves in (("init", carry), ("xs", slices)):
        for leaf in leaves:
            if not is_tensor(leaf):
                raise RuntimeError(f"All {name} leaves must be a Tensor but got {leaf}")


def _check_results(made: Recorded, carry: list, tree: Tree) -> Tree:
    """Check the captured results against the carry, and return the structure of the output y."""
    if made.tree.kind not in (tuple, list) or len(made.tree.parts) != 2 or made.tree.parts[0] != tree:
        raise _errors.control_flow.scan_results(made.tree, tree)
    if not all(isinstance(leaf, ResultIndex) for leaf in made.leaves):
        raise _errors.control_flow.no_tensor_leaf(_NAME, made.leaves)
    different = differences(made, carry, len(carry))
    if different:
        raise _errors.control_flow.carried_metadata("init and carry", different)
    return made.tree.parts[1]
