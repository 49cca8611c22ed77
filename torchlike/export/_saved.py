"""The contents of the file of an exported program, and the checks of the inputs of its calls."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from torchlike._transforms.recording import is_tensor
from torchlike.export._listing import Listing
from torchlike.export._record import TENSOR
from torchlike.export._shapes import Sizes
from torchlike.utils import _pytree as pytree


class Saved(NamedTuple):
    """The contents of the file of an exported program, without the state dict and the graph.

    Attributes:
      exported: the program in StableHLO. It takes the parameters and buffers, the constants, and the tensor inputs.
      in_spec, out_spec: the structures of the inputs (args, kwargs) and of the result.
      leaves: the leaves of the example inputs.
      results: the leaves of the result, with TENSOR in place of each tensor.
      written: the buffers that the program replaces, which are its last results.
      names: for each leaf of the inputs, its expression in terms of the parameters of forward, such as `x['a']`.
      sizes: the varying dims.
      constants: the constant arrays by name.
      listing: the operators. None if the program was read from a file that does not have them.
    """

    exported: Any
    in_spec: Any
    out_spec: Any
    leaves: list
    results: list
    written: list[str]
    names: list[str]
    sizes: Sizes
    constants: dict[str, np.ndarray]
    listing: Listing | None = None


class Input(NamedTuple):
    """A tensor among the example inputs of a loaded program."""

    shape: tuple
    dtype: Any


def is_input(example: Any) -> bool:
    """Return whether a leaf of the example inputs is a tensor."""
    return is_tensor(example) or isinstance(example, Input)


def checked(saved: Saved, args: tuple, kwargs: dict) -> list:
    """Return the leaves of the inputs of a call. Raise `ValueError` if they do not fit the program."""
    leaves, spec = pytree.tree_flatten((args, kwargs))
    if not _is_alike(spec, saved.in_spec):
        raise ValueError(
            "Trying to flatten user inputs with exported input tree spec: \n"
            f"{saved.in_spec}\nbut actually got inputs with tree spec of: \n{spec}"
        )
    shapes = iter(saved.sizes.shapes)
    seen: dict[str, tuple[int, str]] = {}
    for name, leaf, example in zip(saved.names, leaves, saved.leaves):
        if is_input(example):
            _check_input(name, leaf, example.dtype, next(shapes), saved.sizes, seen)
        elif type(leaf) is not type(example) or leaf != example:
            raise ValueError(f"{name} is {leaf!r}, but the program was exported for {example!r}")
    return leaves


def _is_alike(spec: Any, saved: Any) -> bool:
    """Return whether two structures are equal. Named tuples are equal by name: a loaded program has its own classes."""
    if spec.type is not saved.type or len(spec.children_specs) != len(saved.children_specs):
        return False
    named = [(kind.__name__, kind._fields) for kind in (spec.context, saved.context) if hasattr(kind, "_fields")]
    same = named[0] == named[1] if len(named) == 2 else spec.context == saved.context
    return same and all(map(_is_alike, spec.children_specs, saved.children_specs))


def _check_input(name: str, leaf: Any, dtype: Any, shape: tuple, sizes: Sizes, seen: dict) -> None:
    """Raise if a tensor does not have the dtype and the sizes of the program. `seen` has the sizes found before."""
    given = tuple(leaf.shape)
    if getattr(leaf, "dtype", None) != dtype and is_tensor(leaf):
        raise ValueError(f"{name} has dtype {leaf.dtype}, but the program was exported for {dtype}")
    if len(given) != len(shape):
        raise ValueError(f"{name} has shape {list(given)}, but the program was exported for {list(shape)}")
    for i, (size, wanted) in enumerate(zip(given, shape)):
        place, text = f"{name}.size()[{i}]", str(wanted)
        if isinstance(wanted, str):
            dim = sizes.dims[wanted]
            if size < dim.min:
                raise AssertionError(f"Guard failed: {place} >= {dim.min}")
            if dim.max is not None and size > dim.max:
                raise AssertionError(f"Guard failed: {place} <= {dim.max}")
            wanted, text = seen.setdefault(wanted, (size, place))
        if size != wanted:
            raise AssertionError(f"Guard failed: {place} == {text}")


def result_of(saved: Saved, found: list) -> tuple[Any, dict[str, Any]]:
    """Return the result in its structure, and the replaced buffers by name."""
    count = sum(leaf is TENSOR for leaf in saved.results)
    tensors = iter(found[:count])
    leaves = [next(tensors) if leaf is TENSOR else leaf for leaf in saved.results]
    return pytree.tree_unflatten(leaves, saved.out_spec), dict(zip(saved.written, found[count:]))
