"""`local_map`: a function of local tensors, applied to distributed ones."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from torchlike import Tensor
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor._api import DTensor
from torchlike.distributed.tensor.placement_types import Placement
from torchlike.utils import _pytree

Layout = Sequence[Placement] | None


def local_map(
    func: Callable | None = None,
    out_placements: Any = None,
    in_placements: tuple[Layout, ...] | None = None,
    in_grad_placements: tuple[Layout, ...] | None = None,
    device_mesh: DeviceMesh | None = None,
    *,
    redistribute_inputs: bool = False,
) -> Callable:
    """Return a function of distributed tensors that calls `func` with their local tensors.

    Args:
      func: the function.
      out_placements: the placements of the result, or a tuple with those of each result. None: not a tensor.
      in_placements: the placements that each argument must have. None for an argument that is not a tensor.
      in_grad_placements: the placements of the gradients of the local arguments.
      device_mesh: the mesh. By default, that of the arguments.
      redistribute_inputs: whether to redistribute arguments with other placements, instead of raising.

    Raises:
      ValueError: an argument has other placements than `in_placements`.
    """
    if func is None:
        return functools.partial(
            local_map,
            out_placements=out_placements,
            in_placements=in_placements,
            in_grad_placements=in_grad_placements,
            device_mesh=device_mesh,
            redistribute_inputs=redistribute_inputs,
        )
    function = func

    @functools.wraps(function)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        flat, tree = _pytree.tree_flatten(args)
        mesh = device_mesh or next((each.device_mesh for each in flat if isinstance(each, DTensor)), None)
        local = [
            _local(each, _at(in_placements, i), _at(in_grad_placements, i), redistribute_inputs)
            for i, each in enumerate(flat)
        ]
        found = function(*_pytree.tree_unflatten(local, tree), **kwargs)
        if mesh is None or not any(isinstance(each, DTensor) for each in flat):
            return found
        results, shape = _pytree.tree_flatten(found)
        is_one = not (out_placements and isinstance(out_placements[0], list | tuple | type(None)))
        layouts = [out_placements] * len(results) if is_one else list(out_placements)
        made = [
            DTensor.from_local(each, mesh, placed) if isinstance(each, Tensor) and placed is not None else each
            for each, placed in zip(results, layouts)
        ]
        return _pytree.tree_unflatten(made, shape)

    return mapped


def _at(layouts: tuple[Layout, ...] | None, i: int) -> Layout:
    return None if layouts is None else layouts[i]


def _local(each: Any, placed: Layout, of_grad: Layout, redistribute: bool) -> Any:
    if not isinstance(each, DTensor):
        return each
    if placed is not None and tuple(placed) != each.placements:
        if not redistribute:
            raise ValueError(
                f"arg {each} in local_map has a mismatched placements: arg placements is {each.placements} but the "
                f"input placements is {tuple(placed)}! If redistribute_inputs is wanted, set redistribute_inputs=True "
                "to local_map."
            )
        each = each.redistribute(placements=placed)
    return each.to_local(grad_placements=of_grad)
