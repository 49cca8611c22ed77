"""JAX functions as operators on tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import numpy as np

from torchlike import _errors
from torchlike._autograd.engine import Grad
from torchlike._dtypes import modes
from torchlike._engine import Aval
from torchlike._tensor.exchange import over
from torchlike._tensor.tensor import TENSOR_TYPES
from torchlike._tensor.tensor import wrap as of_value
from torchlike._transforms.jax_operators import Higher, apply
from torchlike._transforms.recording import is_array, is_tensor
from torchlike.jax._arrays import from_jax


def wrap(function: Callable, *, differentiable: bool = True) -> Callable:
    """Wrap a function of JAX arrays as an operator on tensors, with gradients of any order through `jax.vjp`.

    The arguments and results may be arbitrary pytrees of tensors. All other arguments are static: they must be
    hashable, and a new value compiles a new program. The function is traced once for each new combination of shapes,
    dtypes and static arguments. Values that it closes over are constants, so it must be pure, as under `jax.jit`.

    Args:
      function: a function that computes with `jax.numpy` and similar libraries. Its results must be arrays.
      differentiable: False if JAX cannot differentiate the function. Its results then do not require grad.

    Returns:
      The function of tensors. It raises TypeError if no argument is a tensor, if a static argument is not hashable, or
      if a result is not an array.

    >>> import jax.numpy as jnp, torchlike as torch
    >>> logsumexp = torch.jax.wrap(lambda x: jnp.log(jnp.sum(jnp.exp(x))))
    >>> x = torch.zeros(4, requires_grad=True)
    >>> logsumexp(x).backward()
    >>> x.grad
    tensor([0.2500, 0.2500, 0.2500, 0.2500])
    """
    name = getattr(function, "__name__", type(function).__name__)
    operators: dict[Hashable, Operator] = {}

    @functools.wraps(function, updated=())
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and all([a.__class__ in TENSOR_TYPES for a in args]):
            key, leaves = len(args), args
            places = range(key)
        else:
            leaves, tree = jax.tree.flatten((args, kwargs))
            places = [i for i, leaf in enumerate(leaves) if is_tensor(leaf) or is_array(leaf)]
            key = tree, *places, *[(x.__class__, x) for x in leaves if not (is_tensor(x) or is_array(x))]
        if not places:
            raise _errors.recording.no_tensors(name)
        found = operators.get(key)
        if found is None:
            found = operators[key] = Operator(function, name, (args, kwargs))
        given = [_pair(leaves[i]) for i in places]
        if not (differentiable and modes.local.grad):
            given = [(value, None) for value, _ in given]
        results = [of_value(*pair) for pair in apply(found.op, given, ())]
        return found.filled([value.aval for value, _ in given], results)

    return wrapped


class Operator:
    """The operator of a wrapped function, for one structure of the arguments and one set of static arguments."""

    def __init__(self, function: Callable, name: str, arguments: tuple) -> None:
        leaves, self.tree = jax.tree.flatten(arguments)
        self.function, self.places = function, [i for i, x in enumerate(leaves) if is_tensor(x) or is_array(x)]
        self.fixed = [None if i in self.places else x for i, x in enumerate(leaves)]
        self.trees: dict[tuple, Any] = {}  # the structure of the results, by the shapes and dtypes of the arrays
        self.single: dict[tuple, bool] = {}  # whether the result is a single tensor, by avals
        node = "".join(part.title() for part in name.strip("<>").split("_")) + "Backward"
        self.op = Higher(name, node, self, self._run, known={})

    def _run(self, functions: Any, given: list, outside: Any) -> list:
        full = list(self.fixed)
        for i, array in zip(self.places, given):
            full[i] = array
        args, kwargs = jax.tree.unflatten(self.tree, full)
        results, structure = jax.tree.flatten(self.function(*args, **kwargs))
        self.trees[tuple([(x.shape, np.dtype(x.dtype)) for x in given])] = structure
        return results

    def filled(self, avals: Sequence[Aval], results: list) -> Any:
        """Return the results in the containers that the function returned."""
        key = tuple(avals)
        if self.single.get(key):
            return results[0]
        structure = self.trees[tuple([(tuple(a.shape), a.dtype.numpy) for a in avals])]
        self.single[key] = structure == jax.tree.structure(0)
        return jax.tree.unflatten(structure, results)


def _pair(leaf: Any) -> Grad:
    if is_tensor(leaf):
        return leaf._pair()
    return (over(leaf) if isinstance(leaf, np.ndarray) else from_jax(leaf))._pair()
