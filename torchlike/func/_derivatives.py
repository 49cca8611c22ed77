"""Transforms that differentiate functions: gradients, vector-Jacobian and Jacobian-vector products."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torchlike import _errors
from torchlike._dtypes import FLOATING, modes
from torchlike._tensor.tensor import Tensor, same_memory, wrap
from torchlike._tensor.views import edge_of
from torchlike._transforms import backward, forward_mode
from torchlike._transforms.captured_writes import refusing_captured_writes
from torchlike._transforms.vmap import Watched, is_alive, out_of_inference, transforming
from torchlike.utils._pytree import TreeSpec, tree_flatten, tree_map, tree_structure

Argnums = int | tuple[int, ...]


# -- reverse mode ------------------------------------------------------------------------------------------------------


class Watch:
    """The context in which a differentiated function runs.

    The inputs of the function are replaced by aliases, with respect to which `gradients` differentiates.
    """

    def __init__(self) -> None:
        self.inputs: list[Tensor] = []
        self.outer_grad = modes.local.grad

    @contextmanager
    def __call__(self, *given: Any) -> Iterator[Watch]:
        """Enter the context, with grad mode enabled. The function may write to the tensors in its arguments `given`.

        On exit, the nodes of the aliases are closed (`is_open = False`), so that they are not leaves of an outer graph.
        """
        self.outer_grad = modes.local.grad
        try:
            with out_of_inference(), modes.enable_grad(), transforming(), refusing_captured_writes(_tensors(given)):
                yield self
        finally:
            for x in self.inputs:
                x._edge[0].is_open = False  # type: ignore[attr-defined]

    def take(self, tree: Any) -> Any:
        """Return the same containers with each tensor replaced by an alias."""
        return tree_map(self._watched, tree)

    def _watched(self, x: Any) -> Tensor:
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if x.dtype.category < FLOATING:
            raise _errors.autograd.only_floating_requires_grad()
        edge = x._edge if x._origin is None else edge_of(x)
        made = same_memory(x)
        made._edge = (Watched(x, edge if self.outer_grad else None), 0)
        self.inputs.append(made)
        return made

    def settled(self, tree: Any) -> Any:
        """Return the results for use outside the context.

        A tensor keeps its gradient edge only if grad mode is enabled outside and the edge leads to a leaf outside.
        """
        return tree_map(lambda x: self._settled(x) if isinstance(x, Tensor) else x, tree)

    def _settled(self, x: Tensor) -> Tensor:
        edge = x._edge if x._origin is None else edge_of(x)
        return x if edge is None or (self.outer_grad and is_alive([edge])) else same_memory(x)

    def gradients(self, outputs: list[Tensor], weights: list | None, retain: bool, create: bool | None) -> list[Tensor]:
        """Return the gradients of the inputs, with zeros for inputs that the outputs do not depend on."""
        pairs = [(o, None if weights is None else w) for o, w in zip(outputs, weights or outputs) if o.requires_grad]
        if not pairs:
            return [_zeros(x) for x in self.inputs]
        if create is None:
            create = modes.local.grad and is_alive([t._pair()[1] for pair in pairs for t in pair if t is not None])
        found = backward.grad(
            [o for o, _ in pairs],
            self.inputs,
            [w for _, w in pairs],
            retain_graph=retain or create,
            create_graph=create,
            allow_unused=True,
        )
        return [_zeros(x) if g is None else g for x, g in zip(self.inputs, found)]


def _tensors(tree: Any) -> list[Tensor]:
    return [x for x in tree_flatten(tree)[0] if isinstance(x, Tensor)]


def _zeros(x: Tensor) -> Tensor:
    from torchlike import zeros_like

    return zeros_like(x)


def chosen(args: tuple, argnums: Any) -> tuple[Any, tuple[int, ...]]:
    """Return the argument to differentiate, or a tuple of them if `argnums` is a tuple, and their positions."""
    if isinstance(argnums, bool) or not isinstance(argnums, int | tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    places = (argnums,) if isinstance(argnums, int) else argnums
    if not places:
        raise RuntimeError("argnums must be non-empty")
    for n in places:
        if not isinstance(n, int):
            raise RuntimeError(f"argnums elements must be int, got {type(n)}")
        if not -len(args) <= n < len(args):
            raise RuntimeError(f"Got argnum={n}, but only {len(args)} positional inputs")
    places = tuple(n % len(args) for n in places)
    if len(set(places)) < len(places):
        raise RuntimeError(f"argnums elements must be unique, got {places}")
    picked = tuple(args[n] for n in places)
    return (picked[0] if isinstance(argnums, int) else picked), places


def replaced(args: tuple, argnums: Argnums, places: tuple[int, ...], given: Any) -> list:
    """Return all arguments, with those at the positions `places` replaced by `given`."""
    full = list(args)
    for n, x in zip(places, (given,) if isinstance(argnums, int) else given):
        full[n] = x
    return full


def with_aux(out: Any, has_aux: bool, what: str) -> tuple[Any, Any]:
    """Split the result of a function into its value and the auxiliary output, which is None without `has_aux`."""
    if not has_aux:
        return out, None
    if not (isinstance(out, tuple) and len(out) == 2):
        raise RuntimeError(f"{what}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for leaf in tree_flatten(out[1])[0]:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")
    return out


def grad_and_value(func: Callable, argnums: Argnums = 0, has_aux: bool = False) -> Callable:
    """Return a function that computes the gradient and the value of `func`.

    The returned function returns `(gradient, value)`, or `(gradient, (value, aux))` with `has_aux`. The arguments are
    those of `grad`.

    Args:
      func: a function that returns a tensor of one element, or `(tensor, aux)` with `has_aux`.
      argnums: the position, or a tuple of positions, of the arguments to differentiate.
      has_aux: `func` also returns other data.

    >>> import torchlike as torch
    >>> torch.func.grad_and_value(lambda x: x * x)(torch.tensor(3.0))
    (tensor(6.), tensor(9.))
    """

    @functools.wraps(func, updated=())
    def gradient(*args: Any, **kwargs: Any) -> tuple:
        watch = Watch()
        with watch(args, kwargs):
            picked, places = chosen(args, argnums)
            spec = tree_structure(picked)
            given = watch.take(picked)
            out = func(*replaced(args, argnums, places, given), **kwargs)
            out, aux = with_aux(out, has_aux, "grad_and_value(f)(*args)")
            if not isinstance(out, Tensor):
                raise _errors.func.gradient_of_no_tensor(out)
            if out.ndim:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{out.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
        create = watch.outer_grad and is_alive([out._pair()[1]])
        with out_of_inference(), modes.enable_grad():
            found = watch.settled(spec.unflatten(watch.gradients([out], None, False, create)))
        value = watch.settled(out)
        return found, ((value, watch.settled(aux)) if has_aux else value)

    return gradient


def grad(func: Callable, argnums: Argnums = 0, has_aux: bool = False) -> Callable:
    """Return a function that computes the gradient of `func`, which must return a zero-dimensional tensor.

    Args:
      func: a function. Its arguments may be tensors, containers of tensors, or anything else.
      argnums: the position of the argument to differentiate, or a tuple of positions for a tuple of gradients. These
        arguments are tensors or containers of tensors. Gradients are returned in the same containers.
      has_aux: whether `func` returns `(value, aux)`, where `aux` holds tensors. The result is then `(gradient, aux)`.

    The returned function can itself be differentiated, mapped and compiled. The attribute `.grad` is not changed.

    >>> import torchlike as torch
    >>> torch.func.grad(torch.func.grad(torch.sin))(torch.tensor(0.5))
    tensor(-0.4794)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func, updated=())
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def vjp(func: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """Return `(func(*primals), pull)`.

    `pull(cotangents)` returns the vector-Jacobian product for each primal, as a tuple.

    Args:
      func: a function that returns tensors in any containers. The cotangents have the same structure.
      primals: tensors or containers of tensors.
      has_aux: whether `func` returns `(result, aux)`. The return value is then `(result, pull, aux)`.

    >>> import torchlike as torch
    >>> out, pull = torch.func.vjp(torch.sin, torch.zeros(2))
    >>> pull(torch.tensor([1.0, 2.0]))
    (tensor([1., 2.]),)
    """
    watch = Watch()
    what = "vjp(f, *primals)"
    with watch(primals):
        spec = tree_structure(primals)
        given = watch.take(primals)
        out = func(*given)
        out, aux = with_aux(out, has_aux, what)
        outputs, out_spec = tree_flatten(out)
        for leaf in outputs:
            if not isinstance(leaf, Tensor):
                raise _errors.func.only_tensors(what, leaf)
            if not (leaf.is_floating_point() or leaf.is_complex()):
                raise _errors.func.jacobian_dtype(leaf.dtype)

    def pull(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        weights, given_spec = tree_flatten(cotangents)
        if given_spec != out_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {_shown(given_spec)}, primal output: {_shown(out_spec)}"
            )
        outer = modes.local.grad
        with out_of_inference(), modes.enable_grad():
            alive = outer and is_alive([t._pair()[1] for t in (*outputs, *weights)])
            found = watch.gradients(outputs, weights, retain_graph, alive if create_graph is None else create_graph)
        return spec.unflatten(found if alive else [same_memory(g) if g.requires_grad else g for g in found])

    settled = watch.settled(out)
    return (settled, pull, watch.settled(aux)) if has_aux else (settled, pull)


def _shown(spec: TreeSpec) -> str:
    """Format a structure as in PyTorch's error message."""
    if spec.is_leaf():
        return "*"
    parts = ", ".join(map(_shown, spec.children_specs))
    if spec.type is tuple:
        return f"({parts},)" if spec.num_children == 1 else f"({parts})"
    if spec.type is list:
        return f"[{parts}]"
    return repr(spec)


# -- forward mode ------------------------------------------------------------------------------------------------------


def jvp(func: Callable, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> tuple:
    """Return `(func(*primals), J t)`, with the Jacobian-vector product computed in one forward pass.

    Args:
      func: a function that returns tensors in any containers.
      primals: a tuple of tensors or containers of tensors.
      tangents: tensors with the structure and the shapes of `primals`.
      strict: raise an error if a result does not depend on the primals. Otherwise its tangent is zero.
      has_aux: whether `func` returns `(result, aux)`. The return value is then `(result, J t, aux)`.

    >>> import torchlike as torch
    >>> torch.func.jvp(torch.sin, (torch.zeros(2),), (torch.ones(2),))
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    what = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{what}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    leaves, spec = tree_flatten(primals)
    given, given_spec = tree_flatten(tangents)
    if spec != given_spec:
        raise RuntimeError(
            f"{what}: Expected primals and tangents to have the same python structure. For example, if "
            "primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
            f"{spec} and tangents with structure {given_spec}"
        )
    for name, found in (("primals", leaves), ("tangents", given)):
        if not found:
            raise RuntimeError(f"{what}: Expected primals to contain at least one Tensor.")
        for x in found:
            if not isinstance(x, Tensor):
                raise RuntimeError(f"{what}: Expected {name} to only contain Tensors, got {type(x)}")
    with transforming(), refusing_captured_writes(leaves):
        return _pushed(func, spec, (leaves, given), strict, has_aux)


def _pushed(func: Callable, spec: TreeSpec, pairs: tuple[list, list], strict: bool, has_aux: bool) -> tuple:
    """Return the results of `jvp` for the leaves of the primals and of the tangents."""
    what = "jvp(f, primals, tangents)"
    leaves, given = pairs
    with out_of_inference(), _level():
        duals = [forward_mode.make_dual(x, t) for x, t in zip(leaves, given)]
        out, aux = with_aux(func(*spec.unflatten(duals)), has_aux, what)
        results, out_spec = tree_flatten(out)
        for leaf in results:
            if not isinstance(leaf, Tensor):
                raise _errors.func.only_tensors(what, leaf)
        unpacked = [forward_mode.unpack_dual(x) for x in results]
        if strict and any(t is None for _, t in unpacked):
            raise _errors.func.independent_result("jvp(f, primals, tangents, strict=True)")
        aux = tree_map(lambda x: forward_mode.unpack_dual(x)[0], aux) if has_aux else None
        values = [_outlasting(x) for x, _ in unpacked]
        pushed = [_zeros(x) if t is None else _outlasting(t) for x, t in unpacked]
    found = out_spec.unflatten(values), out_spec.unflatten(pushed)
    return (*found, aux) if has_aux else found


@contextmanager
def _level() -> Iterator[None]:
    forward_mode.enter()
    try:
        yield
    finally:
        forward_mode.leave()


def _outlasting(x: Tensor) -> Tensor:
    """Return `x`, detached if its gradient edge does not lead to a leaf outside the function."""
    return x if is_alive([x._pair()[1]]) else same_memory(x)


def linearize(func: Callable, *primals: Any) -> tuple[Any, Callable]:
    """Return `(func(*primals), push)`. `push(*tangents)` returns the Jacobian-vector product at these primals.

    PyTorch stores a graph of the linearized function. Here, `push` calls `func` again.

    Args:
      func: a function of tensors, or of trees of them, that returns such.
      primals: its arguments.
    """
    leaves, spec = tree_flatten(primals)
    kept = spec.unflatten([wrap(*x._pair()) if isinstance(x, Tensor) else x for x in leaves])

    def push(*tangents: Any) -> Any:
        given, given_spec = tree_flatten(tangents)
        if given_spec != spec:
            raise RuntimeError(f"Expected the tangents {given_spec} to have the same argspec as the primals {spec}")
        for i, (t, x) in enumerate(zip(given, leaves)):
            if t.shape != x.shape:
                raise _errors.func.linear_tangent(i, "shape", t.shape, x.shape)
            if t.dtype is not x.dtype:
                raise _errors.func.linear_tangent(i, "dtype", t.dtype, x.dtype)
        return _pushed(func, spec, (tree_flatten(kept)[0], given), False, False)[1]

    return func(*primals), push
