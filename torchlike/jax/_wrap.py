"""A JAX function as an operator on tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from torchlike import _errors, _modes
from torchlike._autograd.engine import Grad
from torchlike._autograd.higher import Higher, apply
from torchlike._exchange import over
from torchlike._recorded import is_array, is_tensor
from torchlike._tensor import wrap as of_value
from torchlike.jax._arrays import from_jax


def wrap(function: Callable, *, differentiable: bool = True) -> Callable:
    """A function over JAX arrays as one over tensors: one operator, with gradients to any order through `jax.vjp`.

    The tensors may stand in any containers that JAX knows, in arguments and results. Everything else among the
    arguments is static: it must be hashable, and a new value of it is a new program. The function is traced, once for
    each new combination of shapes, dtypes and static arguments; what it closes over is a constant, so it must be pure,
    as under `jax.jit`.

    Args:
      function: computes with `jax.numpy` and the like. Its results must be arrays.
      differentiable: False for a function that JAX cannot differentiate, whose results require no grad.

    Returns the function over tensors. It raises TypeError for arguments without a tensor, for static arguments that are
    not hashable, and for results that are no arrays.

    >>> import jax.numpy as jnp, torchlike as torch
    >>> logsumexp = torch.jax.wrap(lambda x: jnp.log(jnp.sum(jnp.exp(x))))
    >>> x = torch.zeros(4, requires_grad=True)
    >>> logsumexp(x).backward()
    >>> x.grad
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """
    name = getattr(function, "__name__", type(function).__name__)
    node = "".join(part.title() for part in name.strip("<>").split("_")) + "Backward"
    operators: dict[tuple, tuple[Higher, dict]] = {}

    @functools.wraps(function, updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))
        pairs = {i: _pair(leaf) for i, leaf in enumerate(leaves) if is_tensor(leaf) or is_array(leaf)}
        if not pairs:
            raise _errors.recording.no_tensors(name)
        places = tuple(pairs)
        key = (tree, places, tuple([(leaf.__class__, leaf) for i, leaf in enumerate(leaves) if i not in pairs]))
        found = operators.get(key)
        if found is None:
            trees: dict[tuple, Any] = {}
            run = _flat(function, tree, places, [None if i in pairs else leaf for i, leaf in enumerate(leaves)], trees)
            found = operators[key] = Higher(name, node, (wrapped, key), run), trees
        op, trees = found
        given = list(pairs.values())
        if not (differentiable and _modes.local.grad):
            given = [(value, None) for value, _ in given]
        results = [of_value(*pair) for pair in apply(op, given, ())]
        kinds = tuple([(tuple(v.aval.shape), v.aval.dtype.numpy) for v, _ in given])
        return jax.tree.unflatten(trees[kinds], results)

    return wrapped


def _pair(leaf: Any) -> Grad:
    if is_tensor(leaf):
        return leaf._pair()
    return (over(leaf) if isinstance(leaf, np.ndarray) else from_jax(leaf))._pair()


def _flat(function: Callable, tree: Any, places: Sequence[int], fixed: list, trees: dict) -> Callable:
    """The function of a list of arrays; notes the structure of its results in `trees`."""

    def run(functions: Any, given: list, outside: Any) -> list:
        full = list(fixed)
        for i, array in zip(places, given):
            full[i] = array
        args, kwargs = jax.tree.unflatten(tree, full)
        results, structure = jax.tree.flatten(function(*args, **kwargs))
        trees[tuple([(x.shape, np.dtype(x.dtype)) for x in given])] = structure
        return results

    return run
