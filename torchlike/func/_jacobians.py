"""Jacobians, computed by mapping products with unit vectors over all unit vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchlike
from torchlike import _errors
from torchlike._dtypes import FLOATING
from torchlike._tensor.tensor import Tensor
from torchlike._transforms.vmap import out_of_inference
from torchlike.func._derivatives import Argnums, chosen, jvp, replaced, vjp
from torchlike.func._vmap import vmap
from torchlike.utils._pytree import tree_flatten


def jacrev(
    func: Callable,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable:
    """Return a function that computes the Jacobian of `func` by reverse mode.

    One backward pass is mapped over the elements of the results.

    Args:
      func: a function from tensors to tensors, or containers of tensors.
      argnums: the position or positions of the arguments to differentiate (see `grad`).
      has_aux: whether `func` returns `(result, aux)`. The return value is then `(jacobian, aux)`.
      chunk_size: the number of rows to compute at a time. None computes all at once.

    The Jacobian has the structure of the results. At each leaf, it has the structure of the arguments, with tensors of
    shape (*result shape, *argument shape).

    >>> import torchlike as torch
    >>> torch.func.jacrev(torch.square)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @out_of_inference()
    def jacobian(*args: Any) -> Any:
        picked, places = chosen(args, argnums)
        of = lambda given: func(*replaced(args, argnums, places, given))
        leaves, spec = tree_flatten(picked)
        _check_real("jacrev", "inputs", leaves)
        out, pull, *aux = vjp(of, picked, has_aux=has_aux)
        outputs, out_spec = tree_flatten(out)
        if not outputs:
            raise _errors.func.no_results("vjp(f, *primals)")
        for o in outputs:
            if o.dtype.category < FLOATING:
                raise _errors.func.jacobian_dtype(o.dtype)
        _check_real("jacrev", "outputs", outputs)
        rows = _mapped(
            lambda cotangents: tree_flatten(pull(out_spec.unflatten(list(cotangents))))[0], _units(outputs), chunk_size
        )
        columns = [g.split([o.numel() for o in outputs], 0) for g in rows]
        blocks = [
            [column[i].reshape((*o.shape, *x.shape)) for column, x in zip(columns, leaves)]
            for i, o in enumerate(outputs)
        ]
        found = out_spec.unflatten([spec.unflatten(row) for row in blocks])
        return (found, aux[0]) if has_aux else found

    return jacobian


def jacfwd(func: Callable, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error") -> Callable:
    """Return a function that computes the Jacobian of `func` by forward mode.

    One forward pass is mapped over the elements of the arguments. The arguments and the result are those of `jacrev`.
    `randomness` is that of `vmap`.

    Args:
      func: a function of tensors that returns a tensor or a tree of them, or `(result, aux)` with `has_aux`.
      argnums: the position, or a tuple of positions, of the arguments to differentiate.
      has_aux: `func` also returns other data.
      randomness: "error", "different" or "same": whether `func` may draw random numbers, and whether each element has
        its own.

    >>> import torchlike as torch
    >>> torch.func.jacfwd(lambda x: x**2)(torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @out_of_inference()
    def jacobian(*args: Any) -> Any:
        picked, places = chosen(args, argnums)
        leaves, spec = tree_flatten(picked)
        _check_real("jacfwd", "inputs", leaves)
        shapes: list = []

        def push(*tangents: Any) -> tuple:
            of = lambda given: func(*replaced(args, argnums, places, given))
            out, pushed, *aux = jvp(of, (picked,), (spec.unflatten(tangents),), has_aux=has_aux)
            shapes[:] = [tree_flatten(out)]
            if not shapes[0][0]:
                raise _errors.func.no_results("jvp(f, primals, tangents)")
            _check_real("jacfwd", "outputs", shapes[0][0])
            return tuple(tree_flatten(pushed)[0]), *aux

        out_dims = (-1, None) if has_aux else (-1,)
        pushed, *aux = vmap(push, out_dims=out_dims, randomness=randomness)(*_units(leaves))
        outputs, out_spec = shapes[0]
        blocks = []
        for o, whole in zip(outputs, pushed):
            parts = whole.split([x.numel() for x in leaves], -1)
            blocks.append(spec.unflatten([p.reshape((*o.shape, *x.shape)) for p, x in zip(parts, leaves)]))
        found = out_spec.unflatten(blocks)
        return (found, aux[0]) if has_aux else found

    return jacobian


def hessian(func: Callable, argnums: Argnums = 0) -> Callable:
    """Return a function that computes the second derivatives of `func`: `jacfwd(jacrev(func))`.

    Args:
      func: a function of tensors that returns a tensor.
      argnums: the position, or a tuple of positions, of the arguments to differentiate.

    >>> import torchlike as torch
    >>> torch.func.hessian(lambda x: (x**3).sum())(torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def _check_real(what: str, which: str, tensors: list) -> None:
    for place, x in enumerate(tensors):
        if isinstance(x, Tensor) and x.is_complex():
            raise RuntimeError(
                f"{what}: Expected all {which} to be real but received complex tensor at flattened input idx: {place}"
            )
        if which == "inputs" and what == "jacfwd" and isinstance(x, Tensor) and x.dtype.category < FLOATING:
            raise ValueError(f"Expected primal to be floating point or complex, but got: {x.dtype}")


def _units(tensors: list[Tensor]) -> tuple[Tensor, ...]:
    """Return the unit vectors of the space that the elements of all tensors span.

    For each tensor, return its part of all unit vectors, stacked: a tensor of shape (total element count, *shape).
    """
    sizes = [x.numel() for x in tensors]
    made, begin = [], 0
    for x, size in zip(tensors, sizes):
        unit = torchlike.zeros(sum(sizes), size, dtype=x.dtype, device=x.device)
        unit.diagonal(-begin).fill_(1)
        made.append(unit.view(sum(sizes), *x.shape))
        begin += size
    return tuple(made)


def _mapped(function: Callable, units: tuple, chunk_size: int | None) -> Any:
    return vmap(lambda *given: function(given), chunk_size=chunk_size)(*units)
