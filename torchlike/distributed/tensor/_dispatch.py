"""The operators of a `DTensor`: the rule of an operator, applied to local tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torchlike import Tensor
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor._api import DTensor, changed, local_of, of_spec
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta
from torchlike.distributed.tensor.placement_types import Replicate
from torchlike.utils import _pytree


def call(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Call a function that has a `DTensor` among its arguments."""
    name = getattr(func, "__name__", "")
    mesh = mesh_of(args, kwargs)
    check_mixed(name, args, kwargs)
    if name.endswith("_") and not name.endswith("__") and isinstance(args[0], DTensor):
        return in_place(func, args, kwargs)
    if name in ("zeros_like", "ones_like", "empty_like", "full_like", "clone") and isinstance(args[0], DTensor):
        return of_spec(func(local_of(args[0]), *args[1:], **kwargs), args[0]._spec)
    return on_whole(func, args, kwargs, mesh)


def _tensors(given: Any) -> Iterator[Tensor]:
    return (each for each in _pytree.tree_leaves(given) if isinstance(each, Tensor))


def mesh_of(args: tuple, kwargs: dict) -> DeviceMesh:
    """Return the mesh of the arguments. Raise an error if there are several."""
    meshes = [each.device_mesh for each in _tensors((args, kwargs)) if isinstance(each, DTensor)]
    for mesh in meshes[1:]:
        if mesh != meshes[0]:
            raise NotImplementedError(f"{meshes[0]} and {mesh}: operators on several meshes are not supported")
    return meshes[0]


def check_mixed(name: str, args: tuple, kwargs: dict) -> None:
    """Raise RuntimeError if plain tensors are mixed with distributed ones. Tensors without dims are allowed."""
    for each in _tensors((args, kwargs)):
        if not isinstance(each, DTensor) and each.ndim:
            raise RuntimeError(
                f"aten.{name}.default: got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor "
                "before calling distributed operators!"
            )


def on_whole(func: Callable, args: tuple, kwargs: dict, mesh: DeviceMesh) -> Any:
    """Call a function without a rule on the whole tensors. Its results are replicated."""
    placements = (Replicate(),) * mesh.ndim

    def whole(each: Any) -> Any:
        return local_of(changed(each, placements)) if isinstance(each, DTensor) else each

    args, kwargs = _pytree.tree_map(whole, (args, kwargs))
    found = func(*args, **kwargs)

    def replicated(each: Any) -> Any:
        if not isinstance(each, Tensor):
            return each
        meta = TensorMeta(each.shape, each.stride(), each.dtype)
        return of_spec(each, DTensorSpec(mesh, placements, meta))

    return _pytree.tree_map(replicated, found)


def in_place(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Call a pointwise function that writes to its first argument. The other arguments get its placements."""
    target = args[0]

    def like(each: Any) -> Any:
        if isinstance(each, DTensor) and each is not target:
            return local_of(changed(each, target.placements))
        return each

    rest, kwargs = _pytree.tree_map(like, (args[1:], kwargs))
    kind = target.__class__
    target.__class__ = Tensor  # type: ignore[assignment]
    try:
        func(target, *rest, **kwargs)
    finally:
        target.__class__ = kind
    return target
