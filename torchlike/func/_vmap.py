"""`vmap`: map a function over a dim of its arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torchlike import _errors
from torchlike._dtypes import modes
from torchlike._engine.trace.batched_values import Level, Row, levels_of, outermost
from torchlike._random import Preserved
from torchlike._tensor.tensor import Tensor, wrap
from torchlike._transforms.vmap import Mapping, opened, transforming
from torchlike.utils._pytree import SUPPORTED_NODES, TreeSpec, kind_of, tree_flatten

_RANDOMNESS = ("error", "different", "same")


def vmap(
    func: Callable, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Callable:
    """Return `func` mapped over a dim of its arguments. It is called once, with batched tensors that hide this dim.

    Args:
      func: a function from tensors to tensors, or containers of tensors. Its Python code may depend on shapes, but not
        on elements: `item()` and `if` on a batched tensor raise.
      in_dims: the mapped dim of each argument, in the structure of the arguments or a prefix of it. None for arguments
        that all examples share. Keyword arguments are always shared.
      out_dims: the position of the mapped dim in the results. None for results that are the same for all examples.
      randomness: the treatment of random operators. "error" refuses them. "same" samples the same numbers for all
        examples.
        "different" samples for all examples at once, in the order of a tensor with the mapped dim first.
      chunk_size: the number of examples to map over at a time. None maps over all at once.

    Returns:
      The mapped function. It is differentiable with respect to its arguments and to tensors that `func` closes over.
      `func` may also compute gradients of a single example.

    >>> import torchlike as torch
    >>> torch.vmap(torch.dot)(torch.ones(2, 3), torch.arange(6.0).view(2, 3))
    tensor([ 3., 12.])
    """
    if randomness not in _RANDOMNESS:
        raise _errors.func.randomness(randomness)
    if chunk_size is not None and chunk_size <= 0:
        raise _errors.func.chunk_size(chunk_size)

    @functools.wraps(func, updated=())
    def mapped(*args: Any, **kwargs: Any) -> Any:
        call = _Call(func, in_dims, out_dims, args)
        if chunk_size is None or call.size <= chunk_size:
            return call.run(call.leaves, call.size, randomness, kwargs)
        return call.in_chunks(chunk_size, randomness, kwargs)

    return mapped


class _Call:
    """One call of a mapped function."""

    def __init__(self, func: Callable, in_dims: Any, out_dims: Any, args: tuple) -> None:
        self.func, self.out_dims = func, out_dims
        self.name = getattr(func, "__name__", None) or repr(func)
        if isinstance(func, functools.partial):
            self.name = f"functools.partial({getattr(func.func, '__name__', func.func)}, ...)"
        self.leaves, self.spec = tree_flatten(args)
        self.dims = self._in_dims(in_dims, args)
        sizes = [x.shape[d] for x, d in zip(self.leaves, self.dims) if d is not None]
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if len(set(sizes)) > 1:
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sizes} for the mapped dimension"
            )
        self.size = sizes[0]

    def _in_dims(self, in_dims: Any, args: tuple) -> list:
        """Return the mapped dim of each leaf, as a nonnegative index or None."""
        if not isinstance(in_dims, int | tuple):
            raise ValueError(
                f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially "
                f"nested) tuple matching the structure of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise _errors.func.no_inputs(self.name)
        dims = spread(in_dims, self.spec)
        if dims is None:
            raise _errors.func.in_dims_structure(self.name, in_dims, (tree_flatten(in_dims)[1], self.spec))
        return [self._in_dim(in_dims, d, x) for d, x in zip(dims, self.leaves)]

    def _in_dim(self, in_dims: Any, d: Any, x: Any) -> int | None:
        if d is None:
            return None
        if not isinstance(d, int):
            raise ValueError(
                f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input but in_dim "
                "must be either an integer dimension or None."
            )
        if not isinstance(x, Tensor):
            raise ValueError(
                f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input but the input "
                f"is of type {type(x)}. We cannot vmap over non-Tensor arguments, please use None as the "
                "respective in_dim"
            )
        if not -x.ndim <= d < x.ndim:
            raise ValueError(
                f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for some input, but that "
                f"input is a Tensor of dimensionality {x.ndim} so expected in_dim to satisfy -{x.ndim} <= in_dim < "
                f"{x.ndim}."
            )
        return d % x.ndim

    def run(self, leaves: list, size: int, randomness: str, kwargs: dict) -> Any:
        """Call the function once, for all examples of these arguments."""
        mapping = Mapping(Level(size, randomness))
        with opened(mapping.level), transforming():
            wholes = [x if d is None else x.movedim(d, 0) if d else x for x, d in zip(leaves, self.dims)]
            given = [x if d is None else _example(mapping, x) for x, d in zip(wholes, self.dims)]
            before = [x._storage.value if d is not None else None for x, d in zip(given, self.dims)]
            results, spec = tree_flatten(self.func(*self.spec.unflatten(given), **kwargs))
            dims = self._out_dims(results, spec, mapping.level)
            written = [i for i, d in enumerate(self.dims) if d is not None and given[i]._storage.value is not before[i]]
            batched = [x for x, d in zip(results, dims) if d is not None]
            found = mapping.leave([x._pair() for x in (*batched, *[given[i] for i in written])])
        found = [pair if modes.local.grad else (pair[0], None) for pair in found]
        for i, (value, edge) in zip(written, found[len(batched) :]):
            wholes[i]._write(value, edge)
        made = iter(_placed(wrap(*pair), d) for pair, d in zip(found, [d for d in dims if d is not None]))
        return spec.unflatten([x if d is None else next(made) for x, d in zip(results, dims)])

    def _out_dims(self, results: list, spec: TreeSpec, level: Level) -> list:
        """Return the mapped dim of each result."""
        out_dims = self.out_dims
        leaves = tree_flatten(out_dims)[0]
        if not all(d is None or isinstance(d, int) for d in leaves):
            raise ValueError(
                f"vmap({self.name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection "
                "of ints representing where in the outputs the vmapped dimension should appear."
            )
        if isinstance(out_dims, tuple) and len(out_dims) == 1 and spec.is_leaf():
            out_dims = out_dims[0]
        dims = spread(out_dims, spec)
        if dims is None:
            raise _errors.func.out_dims_structure(self.name, out_dims, (tree_flatten(out_dims)[1], spec))
        for x, d in zip(results, dims):
            if d is None and isinstance(x, Tensor) and level in levels_of(x._value):
                raise ValueError(
                    f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when out_dim is None"
                )
            if d is not None and not isinstance(x, Tensor):
                raise _errors.func.result_kind(self.name, x)
            if d is not None and not -x.ndim - 1 <= d <= x.ndim:
                raise _errors.shapes.dim_out_of_range(d, x.ndim + 1)
        return dims

    def in_chunks(self, size: int, randomness: str, kwargs: dict) -> Any:
        """Call the function for `size` examples at a time."""
        from torchlike import cat

        parts = [[x] * -(-self.size // size) if d is None else x.split(size, d) for x, d in zip(self.leaves, self.dims)]
        runs = []
        state = Preserved() if randomness == "same" else None
        for leaves in zip(*parts):
            if state is not None:
                state.restore()
            count = next(x.shape[d] for x, d in zip(leaves, self.dims) if d is not None)
            runs.append(tree_flatten(self.run(list(leaves), count, randomness, kwargs)))
        spec = runs[0][1]
        dims = spread(self.out_dims, spec)
        assert dims is not None
        columns = zip(*[results for results, _ in runs])
        return spec.unflatten([column[0] if d is None else cat(column, d) for column, d in zip(columns, dims)])


def _example(mapping: Mapping, whole: Tensor) -> Tensor:
    value, edge = mapping.enter(whole._pair())
    return wrap(value, edge)


def _placed(whole: Tensor, dim: int) -> Tensor:
    return whole.movedim(0, dim) if dim else whole


def spread(tree: Any, spec: TreeSpec) -> list | None:
    """Broadcast the leaves of `tree` to the structure `spec`. `tree` must be a prefix of `spec`.

    Return None if the structures do not match. The keys of a dict may have a different order.
    """
    if spec.is_leaf() and kind_of(tree) is None:
        return [tree]
    if tree is None or isinstance(tree, int):
        return [tree] * spec.num_leaves
    if kind_of(tree) is not spec.type:
        return None
    if isinstance(tree, dict):
        if set(tree) != set(spec.context):
            return None
        parts = [tree[key] for key in spec.context]
    else:
        parts, context = SUPPORTED_NODES[spec.type].flatten_fn(tree)
        if len(parts) != spec.num_children or context != spec.context:
            return None
    found: list[Any] = [spread(part, child) for part, child in zip(parts, spec.children_specs)]
    return None if None in found else [leaf for part in found for leaf in part]


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """Return all examples of a batched tensor, stacked along the first dim, for debugging inside a mapped function.

    Args:
      tensor: a tensor. If it is not batched, it is returned unchanged.
      recurse: unwrap all levels of nested `vmap`.
    """
    value = tensor._value
    if not isinstance(value, Row):
        return tensor
    return wrap(outermost(value) if recurse else value.whole)
