"""The map operator: a function applied to each slice of tensors, built on `jax.lax.map`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from torchlike import _errors
from torchlike._engine.trace.subtrace import Sampled
from torchlike._higher_order_ops._record import InputProperties, ResultIndex, device_of, operate, record
from torchlike._higher_order_ops._trees import flatten
from torchlike._higher_order_ops.scan import stacked
from torchlike._transforms.jax_operators import Functions, Higher
from torchlike._transforms.recording import is_tensor

_NAME = "torch.ops.higher_order.map_impl"


def map(f: Callable, xs: Any, *args: Any) -> Any:
    """Return `f(x, *args)` for each slice x of `xs` along the first dim, stacked.

    Args:
      f: a pure function that returns a tensor or containers of tensors.
      xs: a tensor or containers of tensors, all of the same size along the first dim.
      args: tensors, containers of tensors, or any other objects.

    Raises the errors of `torch.cond`. If `f` samples random numbers, it is called eagerly for each slice.

    >>> import torchlike as torch
    >>> from torchlike._higher_order_ops import map
    >>> map(lambda row, w: (row * w).sum(), torch.ones(2, 3), torch.tensor([1.0, 2.0, 3.0]))
    tensor([6., 6.])
    """
    slices, tree = flatten(xs)
    _check(slices)
    more, more_tree = flatten(list(args))
    tensors = [leaf for leaf in more if is_tensor(leaf)]
    count = len(slices)

    def call(function: Callable, inputs: list) -> Any:
        rest = iter(inputs[count:])
        return function(
            tree.filled(inputs[:count]), *more_tree.filled([next(rest) if is_tensor(leaf) else leaf for leaf in more])
        )

    properties = [*[InputProperties.of_slice(x) for x in slices], *[InputProperties.of(x) for x in tensors]]
    try:
        made = record(_NAME, "f", f, properties, device_of(slices), call)
    except Sampled:
        return stacked([f(tree.filled(each), *args) for each in zip(*[x.unbind(0) for x in slices])], 0)
    if not all(isinstance(leaf, ResultIndex) or leaf is None for leaf in made.leaves):
        raise _errors.control_flow.no_tensor_leaf(_NAME, made.leaves)
    op = Higher("map", "MapAutogradOpBackward", ("map", count), _runner(count))
    return made.filled(operate(op, [*slices, *tensors], [made]))


def _runner(count: int) -> Callable[[Functions, list, list], list]:
    def run(functions: Functions, given: list, outside: list) -> list:
        return jax.lax.map(lambda x: functions[0]([*x, *given[count:]], outside[0]), given[:count])

    return run


def _check(slices: list) -> None:
    if not slices or not all(is_tensor(x) for x in slices):
        raise RuntimeError(f"Mapped xs can only consist of tensors. Got xs {slices}.")
    shapes = [x.shape for x in slices]
    if len({shape[0] for shape in shapes}) > 1:
        raise RuntimeError(f"Leading dimensions of mapped xs must be consistent. Got shapes {shapes}.")
    if not shapes[0][0]:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
