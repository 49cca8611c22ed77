"""The dims of the inputs that vary, as the arguments of `torch.onnx.export` name them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

import torchlike
from torchlike.export import Dim
from torchlike.utils import _pytree as pytree

_BAD_AXES = "The axis in dynamic_axes must be in the form of: dict[int, str] or list[int]."


def from_axes(
    forward: Any, args: tuple, kwargs: Mapping[str, Any], axes: Mapping[str, Any], inputs: Sequence[str], outputs: Any
) -> dict[str, Any]:
    """Return `dynamic_axes` as `dynamic_shapes`.

    Args:
      forward: the function whose parameters name the inputs.
      args, kwargs: the example inputs.
      axes: the `dynamic_axes`. Names of outputs have no effect: the sizes of outputs follow from those of the inputs.
      inputs: the `input_names`, one for each tensor.
      outputs: the `output_names`.

    Raises:
      ValueError: `axes` has another form, or a name in it is neither an input nor an output.
    """
    bound = inspect.signature(forward).bind(*args, **kwargs).arguments
    flat = {name: pytree.tree_flatten(value) for name, value in bound.items()}
    tensors = [name for name, (leaves, _) in flat.items() for leaf in leaves if isinstance(leaf, torchlike.Tensor)]
    given = {name: value for name, value in axes.items() if name not in set(outputs or ())}
    order = [*inputs, *tensors[len(inputs) :]]
    if unknown := [name for name in given if name not in {*order, *bound}]:
        if len(unknown) < len(given) or len(given) != len(tensors):
            raise ValueError(f"dynamic_axes names {unknown}, which are neither inputs nor outputs")
        order = list(given)  # as in PyTorch, other names are those of the inputs in order
    names = iter(order)
    made: dict[str, Any] = {}
    for parameter, (leaves, tree) in flat.items():
        specs = []
        for leaf in leaves:
            name = next(names) if isinstance(leaf, torchlike.Tensor) else parameter
            specs.append(_axes_of(name, given[name] if name in given else given.get(parameter)))
        made[parameter] = pytree.tree_unflatten(specs, tree)
    return made


def _axes_of(name: str, given: Any) -> dict[int, Any] | None:
    if given is None:
        return None
    if isinstance(given, Mapping) and all(isinstance(axis, int) for axis in given):
        return dict(given)
    if isinstance(given, list | tuple) and all(isinstance(axis, int) for axis in given):
        return {axis: f"{name}_dynamic_axes_{i + 1}" for i, axis in enumerate(given)}
    raise ValueError(_BAD_AXES)


def named(shapes: Any, names: dict[str, str]) -> Any:
    """Return `dynamic_shapes` with a `Dim` in place of each name.

    `names` gets the names that are no identifiers, by the identifiers that stand for them.
    """
    if isinstance(shapes, str):
        word = re.sub(r"\W", "_", shapes)
        word = word if word.isidentifier() else f"d{word}"
        names.update({word: shapes} if word != shapes else {})
        return Dim(word)
    if isinstance(shapes, Mapping):
        return {key: named(value, names) for key, value in shapes.items()}
    if isinstance(shapes, list | tuple):
        return type(shapes)(named(value, names) for value in shapes)
    return shapes


def widened(value: Any, spec: Any) -> Any:
    """Return example inputs whose varying dims have at least two elements.

    The export does not compute anything, so the elements do not matter.
    """
    if isinstance(value, torchlike.Tensor):
        return _wide(value, spec)
    if isinstance(value, Mapping):
        kind: Any = type(value)
        return kind({k: widened(v, spec.get(k) if isinstance(spec, Mapping) else None) for k, v in value.items()})
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        parts = list(spec) if isinstance(spec, list | tuple) and len(spec) == len(value) else [None] * len(value)
        return type(value)(map(widened, value, parts))
    return value


def _wide(tensor: torchlike.Tensor, spec: Any) -> torchlike.Tensor:
    items = spec.items() if isinstance(spec, Mapping) else enumerate(spec or ())
    shape = list(tensor.shape)
    for axis, dim in items:
        if isinstance(dim, Dim) or dim in (Dim.AUTO, Dim.DYNAMIC):
            least = dim.min if isinstance(dim, Dim) else 2
            shape[axis] = max(shape[axis], least)
    if shape == list(tensor.shape):
        return tensor
    return torchlike.zeros(shape, dtype=tensor.dtype, device=tensor.device)
