"""Checks of the arguments of `fully_shard`, and the parameters that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torchlike.distributed import _world
from torchlike.distributed.device_mesh import DeviceMesh, init_device_mesh
from torchlike.distributed.fsdp._fully_shard._fsdp_common import MeshInfo
from torchlike.distributed.fsdp._fully_shard._fsdp_param import FSDPParam, Holder
from torchlike.distributed.fsdp._fully_shard._fsdp_state import state_of
from torchlike.distributed.tensor import Shard
from torchlike.nn import Module, ModuleDict, ModuleList, Parameter


def check_modules(modules: tuple[Module, ...]) -> None:
    """Raise if the modules cannot be wrapped."""
    for module in modules:
        if isinstance(module, ModuleList | ModuleDict) and type(module).forward is Module.forward:
            raise ValueError(f"fully_shard does not support containers that do not implement forward: {module}")
        if state_of(module) is not None:
            raise AssertionError(
                "Each distinct composable distributed API can only be applied to a module once. "
                f"fully_shard has already been applied to the following module:\n{module}"
            )


def default_mesh(modules: tuple[Module, ...]) -> DeviceMesh:
    """Return a mesh of all processes. Its device type is that of the first parameter that is not on "meta"."""
    kinds = [p.device.type for module in modules for p in module.parameters() if p.device.type != "meta"]
    return init_device_mesh(kinds[0] if kinds else "cpu", (_world.get_world_size(),))


def check_size(reshard_after_forward: Any, size: int) -> None:
    """Raise if `reshard_after_forward` is an int, the size of a smaller mesh, that does not divide the mesh."""
    if isinstance(reshard_after_forward, bool) or reshard_after_forward is None:
        return
    if not isinstance(reshard_after_forward, int):
        raise ValueError("reshard_after_forward should be a bool or an int representing the group size to reshard to")
    if reshard_after_forward < 1 or size % reshard_after_forward:
        raise ValueError(
            f"If passing reshard_after_forward as an int, it should be a factor of {size}, not {reshard_after_forward}"
        )


def managed(modules: tuple[Module, ...]) -> list[Module]:
    """Return the modules and their submodules, without those that another call of `fully_shard` manages."""
    found: dict[Module, None] = {}
    for module in modules:
        _add_managed(module, found, True)
    return list(found)


def _add_managed(module: Module, found: dict[Module, None], is_root: bool = False) -> None:
    if module in found or (not is_root and state_of(module) is not None):
        return
    found[module] = None
    for child in module.children():
        _add_managed(child, found)


def _held(modules: list[Module], ignored: set[Parameter]) -> Iterator[tuple[Parameter, Holder]]:
    for module in modules:
        for name, param in module._parameters.items():
            if param is not None and not any(param is other for other in ignored):
                yield param, (module, name)


def sharded(
    modules: list[Module],
    ignored: set[Parameter],
    info: MeshInfo,
    shard_placement_fn: Callable[[Parameter], Any] | None,
) -> list[FSDPParam]:
    """Shard the parameters of the modules. A parameter that several modules hold is sharded once."""
    holders: dict[int, list[Holder]] = {}
    params: dict[int, Parameter] = {}
    for param, holder in _held(modules, ignored):
        params[id(param)] = param
        holders.setdefault(id(param), []).append(holder)
    _check_dims(modules, params)
    placements = {key: _placement(param, info, shard_placement_fn) for key, param in params.items()}
    return [FSDPParam(param, holders[key], info, placements[key]) for key, param in params.items()]


def _check_dims(modules: list[Module], params: dict[int, Parameter]) -> None:
    for module in modules:
        for name, param in module.named_parameters():
            if id(param) in params and not param.ndim:
                raise ValueError(
                    f"fully_shard doesn't support scalar parameters. Change {name} to a 1D tensor with numel equal to "
                    "1."
                )


def _placement(param: Parameter, info: MeshInfo, choose: Callable[[Parameter], Any] | None) -> Shard:
    placement = choose(param) if choose is not None else None
    placement = Shard(0) if placement is None else placement
    if not isinstance(placement, Shard):
        raise ValueError(f"Invalid shard_placement_fn result: {placement}")
    if placement.dim < 0:
        placement = Shard(placement.dim + param.ndim)
    if placement.dim and param.shape[placement.dim] % info.shard_size:
        raise NotImplementedError(
            f"FSDP does not support uneven sharding on dim {placement.dim}: "
            f"{param.shape} (world size: {info.shard_size})"
        )
    return placement
