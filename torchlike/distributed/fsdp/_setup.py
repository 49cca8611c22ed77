"""Preparation of a module that `FullyShardedDataParallel` wraps: its mesh, its first values and its submodules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import torchlike
from torchlike._internal import warn
from torchlike.distributed import _functional_collectives as collectives
from torchlike.distributed import _world
from torchlike.distributed._group import ProcessGroup
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.fsdp._fully_shard._fsdp_common import cast_floating
from torchlike.distributed.fsdp.api import MixedPrecision, ShardingStrategy
from torchlike.distributed.fsdp.wrap import apply_policy, wrap_chosen
from torchlike.nn import Module, Parameter

HYBRID = (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)


def mesh_for(
    kind: str, strategy: ShardingStrategy, groups: Any, mesh: DeviceMesh | None, is_automatic: bool
) -> DeviceMesh:
    """Return the mesh of a sharding strategy. Its last dim is the one along which parameters are sharded."""
    if groups is not None and mesh is not None:
        raise ValueError(
            "Cannot pass both process_group and device_mesh at the same time. Please just pass only one of them."
        )
    if strategy in HYBRID:
        return _hybrid(kind, strategy, groups, mesh, is_automatic)
    if isinstance(groups, tuple) or (mesh is not None and mesh.ndim != 1):
        given = "process group" if mesh is None else "device mesh"
        raise ValueError(f"{strategy} expects one {given} dim, got {groups if mesh is None else mesh}")
    group = _world.member(groups) if mesh is None else mesh.get_group()
    if strategy is not ShardingStrategy.NO_SHARD:
        return DeviceMesh.from_group(group, kind) if mesh is None else mesh
    alone = [_world.new_group([rank]) for rank in _world.get_process_group_ranks(group)]
    mine = alone[group.rank()]
    ranks = np.reshape(_world.get_process_group_ranks(group), (-1, 1))
    return DeviceMesh.from_group([group, mine], kind, ranks.tolist(), mesh_dim_names=("replicate", "shard"))


def _hybrid(kind: str, strategy: ShardingStrategy, groups: Any, mesh: DeviceMesh | None, is_auto: bool) -> DeviceMesh:
    if mesh is not None:
        if mesh.ndim != 2:
            raise ValueError(f"Expected device_mesh to have ndim=2 but got {mesh.ndim}")
        return mesh
    if groups is None:
        how = "Automatic" if is_auto else "Manual"
        raise ValueError(
            f"{how} wrapping with {strategy} requires explicit specification of process group or device_mesh."
        )
    if not isinstance(groups, tuple) or not all(isinstance(group, ProcessGroup) for group in groups):
        raise ValueError(
            f"Expected process_group to be passed in as either None or Tuple[dist.ProcessGroup, dist.ProcessGroup] "
            f"but got {type(groups)}"
        )
    shard, replicate = groups
    offsets = np.array(_world.get_process_group_ranks(shard)) - _world.get_rank()
    ranks = np.add.outer(_world.get_process_group_ranks(replicate), offsets)
    return DeviceMesh.from_group([replicate, shard], kind, ranks.tolist(), mesh_dim_names=("replicate", "shard"))


def device_of(device_id: Any) -> torchlike.device | None:
    """Return the device of the argument `device_id`."""
    if device_id is None or isinstance(device_id, torchlike.device):
        return device_id
    return torchlike.device(device_id)


def materialize(module: Module, init: Callable[[Module], None] | None, device: torchlike.device | None) -> None:
    """Initialize the submodules that have parameters or buffers on the meta device."""
    for each in list(module.modules()):
        own = [x for x in (*each.parameters(recurse=False), *each.buffers(recurse=False)) if x.is_meta]
        if not own:
            continue
        if init is not None:
            init(each)
            continue
        each.to_empty(device=device or "cpu", recurse=False)
        reset = getattr(each, "reset_parameters", None)
        if reset is None:
            raise ValueError(
                f"Unable to call `reset_parameters()` for module on meta device with error. Please ensure that your "
                f"module of type {type(each)} implements a `reset_parameters()` method."
            )
        with torchlike.no_grad():
            reset()


def broadcast_state(module: Module, ignored: set[Parameter], mesh: DeviceMesh) -> None:
    """Copy parameters and buffers from the first process of the mesh to the others."""
    params = [p.detach() for p in module.parameters() if not any(p is other for other in ignored)]
    with torchlike.no_grad():
        for group in mesh.get_all_groups() if mesh.size() > 1 else ():
            for tensor in (*params, *module.buffers()):
                tensor.detach().copy_(collectives.broadcast(tensor, group._ranks[0], group))


def ignored_of(modules: Iterable[Module] | None, states: Any) -> tuple[set[Module], set[Parameter]]:
    """Return the ignored modules with their submodules, and the ignored parameters."""
    if modules is not None and states is not None:
        raise ValueError(
            "Cannot pass both ignored_modules and ignored_states at the same time. Please just pass ignored_states."
        )
    given = list(states if states is not None else modules or ())
    found = {below for each in given if isinstance(each, Module) for below in each.modules()}
    params = {p for each in found for p in each.parameters(recurse=False)}
    return found, params | {each for each in given if isinstance(each, Parameter)}


def auto_wrap(
    module: Module, policy: Any, wrapper: Callable[..., Module], kwargs: dict[str, Any], ignored: Any
) -> None:
    """Wrap the submodules that the policy chooses. Some classes are wrapped without mixed precision."""
    for name, each in module.named_modules():
        if isinstance(each, wrapper):  # type: ignore[arg-type]
            raise ValueError(
                f"FSDP auto wrapping requires modules to not already have FSDP applied but found {name} in\n{module}"
            )
    apply_policy(module, policy, wrapper, kwargs, ignored)
    precision: MixedPrecision | None = kwargs["mixed_precision"]
    classes = tuple(precision._module_classes_to_ignore) if precision is not None else ()
    wrapped = {each.module for each in module.modules() if isinstance(each, wrapper)}  # type: ignore[arg-type]
    exempt = [each for each in module.modules() if each is not module and isinstance(each, classes)]
    if not exempt:
        return
    warn(
        "Both mixed precision and an auto_wrap_policy were specified to FSDP, where the wrapped module has submodules "
        f"of type:\n{set(type(each) for each in exempt)}\n"
        "These modules will be wrapped as separate FSDP instacnes with mixed precision disabled."
    )
    plain = {**kwargs, "mixed_precision": None}
    wrap_chosen(module, {each: plain for each in exempt if each not in wrapped}, wrapper)
    for each in exempt:
        each.register_forward_pre_hook(_to_full_precision, prepend=True)
        each.register_forward_hook(_back)


def _to_full_precision(module: Module, args: tuple) -> tuple:
    dtypes = [x.dtype for x in args if isinstance(x, torchlike.Tensor) and x.is_floating_point()]
    module._fsdp_input_dtype = dtypes[0] if dtypes else None
    own = next(iter(module.parameters(recurse=False)), None)
    return cast_floating(args, torchlike.float32 if own is None else own.dtype)


def _back(module: Module, args: tuple, output: Any) -> Any:
    dtype: Any = vars(module).pop("_fsdp_input_dtype", None)
    return output if dtype is None else cast_floating(output, dtype)
