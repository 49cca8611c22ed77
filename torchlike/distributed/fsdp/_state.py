"""State dicts and full parameters of the modules that `FullyShardedDataParallel` wraps."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torchlike
from torchlike import Tensor, dtype
from torchlike._internal import unsupported
from torchlike.distributed import _world
from torchlike.distributed.fsdp import api
from torchlike.distributed.fsdp._fully_shard._fsdp_param import FSDPParam
from torchlike.distributed.tensor import DTensor
from torchlike.nn import Module, Parameter

if TYPE_CHECKING:
    from torchlike.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel

PREFIX = "_fsdp_wrapped_module."


def wrappers(module: Module) -> list[FullyShardedDataParallel]:
    """Return the wrappers in a module."""
    from torchlike.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel

    return FullyShardedDataParallel.fsdp_modules(module)


def params_of(wrapper: FullyShardedDataParallel) -> list[FSDPParam]:
    """Return the parameters of a wrapper, without those of nested wrappers."""
    return [param for group in wrapper._state.groups for param in group.params]


def local_of(tensor: Any) -> Tensor:
    """Return the local part of a tensor."""
    return tensor._local_tensor if isinstance(tensor, DTensor) else tensor


# -- the kind of state dicts -------------------------------------------------------------------------------------------

_CONFIGS: dict[api.StateDictType, tuple[type, type]] = {
    api.StateDictType.FULL_STATE_DICT: (api.FullStateDictConfig, api.FullOptimStateDictConfig),
    api.StateDictType.SHARDED_STATE_DICT: (api.ShardedStateDictConfig, api.ShardedOptimStateDictConfig),
    api.StateDictType.LOCAL_STATE_DICT: (api.LocalStateDictConfig, api.LocalOptimStateDictConfig),
}


def set_type(module: Module, kind: api.StateDictType, config: Any, optim_config: Any) -> api.StateDictSettings:
    """Set the settings of all wrappers in a module. Return the former settings."""
    if kind is api.StateDictType.LOCAL_STATE_DICT:
        raise unsupported("FullyShardedDataParallel.state_dict_type", "LOCAL_STATE_DICT")
    for given, wanted in zip((config, optim_config), _CONFIGS[kind]):
        if given is not None and not isinstance(given, wanted):
            raise RuntimeError(f"Expected state_dict_config of type {wanted} but got {type(given)}")
    before = type_of(module)
    first, second = _CONFIGS[kind]
    settings = api.StateDictSettings(
        kind, first() if config is None else config, second() if optim_config is None else optim_config
    )
    restore_type(module, settings)
    return before


def restore_type(module: Module, settings: api.StateDictSettings) -> None:
    """Give all wrappers in a module these settings."""
    for wrapper in wrappers(module):
        wrapper._state_dict_settings = settings


def type_of(module: Module) -> api.StateDictSettings:
    """Return the settings of the wrappers in a module."""
    found = wrappers(module)
    return found[0]._state_dict_settings if found else api.StateDictSettings()


def full(rank0_only: bool) -> api.StateDictSettings:
    """Return the settings of full state dicts."""
    return api.StateDictSettings(optim_state_dict_config=api.FullOptimStateDictConfig(rank0_only=rank0_only))


# -- saving and loading ------------------------------------------------------------------------------------------------


def watch(wrapper: FullyShardedDataParallel) -> None:
    """Register the hooks that convert state dicts."""
    wrapper._register_state_dict_hook(_saved)
    wrapper._register_load_state_dict_pre_hook(_loaded, with_module=True)


def _saved(wrapper: Any, state: dict[str, Any], prefix: str, metadata: dict) -> dict[str, Any]:
    """Remove the name of the wrapper from the keys, and convert the values."""
    settings: api.StateDictSettings = wrapper._state_dict_settings
    inside = prefix + PREFIX
    is_full = settings.state_dict_type is api.StateDictType.FULL_STATE_DICT
    for key in [key for key in state if key.startswith(inside)]:
        value, name = state.pop(key), key.removeprefix(inside)
        if name in wrapper._buffer_dtypes:
            value = value.to(wrapper._buffer_dtypes[name])
        state[prefix + name] = _exported(value, is_full, settings.state_dict_config)
    is_outermost = wrapper._is_root()
    if is_full and is_outermost and getattr(settings.state_dict_config, "rank0_only", False) and _world.get_rank():
        for key in [key for key in state if key.startswith(prefix)]:
            del state[key]
    return state


def _exported(value: Any, is_full: bool, config: Any) -> Any:
    if is_full and isinstance(value, DTensor):
        value = value.full_tensor()
    return value.cpu() if config.offload_to_cpu and isinstance(value, Tensor) else value


def _loaded(wrapper: Any, state: dict[str, Any], prefix: str, *_: Any) -> None:
    """Add the name of the wrapper to the keys, and shard the values. This is a hook before loading."""
    for key in [key for key in state if key.startswith(prefix) and not key.startswith(prefix + PREFIX)]:
        state[prefix + PREFIX + key.removeprefix(prefix)] = state.pop(key)
    held = {id(module): name for name, module in wrapper._fsdp_wrapped_module.named_modules()}
    for param in params_of(wrapper):
        for module, name in param.holders:
            key = prefix + PREFIX + ".".join(filter(None, (held[id(module)], name)))
            if key in state and not isinstance(state[key], DTensor):
                state[key] = sharded(param, state[key])


def sharded(param: FSDPParam, tensor: Tensor) -> DTensor | Tensor:
    """Return a full tensor with the placements of a parameter. A tensor of another shape is returned unchanged."""
    if tuple(tensor.shape) != param.global_shape:
        return tensor
    begin = min(param.rows * param.info.shard_rank, param.shape[param.dim])
    return param.distributed(tensor.detach().narrow(param.dim, begin, param.length).clone())


def converted_buffers(members: list[Module], to: dtype | None) -> dict[str, dtype]:
    """Convert the floating-point buffers of modules, and return their former dtypes by name."""
    found: dict[str, dtype] = {}
    if to is None:
        return found
    root = members[0]
    names = {id(module): name for name, module in root._fsdp_wrapped_module.named_modules()}
    for module in members:
        for name, buffer in module._buffers.items():
            if buffer is not None and buffer.is_floating_point():
                found[".".join(filter(None, (names.get(id(module), ""), name)))] = buffer.dtype
                module._buffers[name] = buffer.to(to)
    return found


# -- full parameters ---------------------------------------------------------------------------------------------------

_summoned: set[int] = set()  # the ids of wrappers whose modules hold full parameters


def is_summoned(wrapper: Module) -> bool:
    """Return whether the modules of a wrapper hold full parameters by `summon_full_params`."""
    return id(wrapper) in _summoned


@contextmanager
def summoned(
    wrapper: FullyShardedDataParallel, writeback: bool, rank0_only: bool, offload: bool, with_grads: bool
) -> Generator[None]:
    """Let the modules of a wrapper hold full parameters inside of the block."""
    if writeback and rank0_only:
        raise NotImplementedError("summon_full_params: writeback=True with rank0_only=True is not supported")
    for group in wrapper._state.groups:
        group.reshard()
    params = params_of(wrapper)
    kept = [param.registered() for param in params]
    whole = [_whole(param, offload, with_grads) for param in kept]
    is_here = not rank0_only or not _world.get_rank()
    for param, each in zip(params, whole if is_here else kept):
        param.register(each)
    _summoned.add(id(wrapper))
    try:
        yield
    finally:
        _summoned.discard(id(wrapper))
        with torchlike.no_grad():
            for param, shard in zip(params, kept):
                if writeback and is_here:
                    shard._local_tensor.copy_(local_of(sharded(param, param.registered())))
                param.register(shard)


def _whole(param: Any, offload: bool, with_grads: bool) -> Parameter:
    with torchlike.no_grad():
        tensor = param.full_tensor()
        made = Parameter(tensor.cpu() if offload else tensor, param.requires_grad)
        if with_grads and param.grad is not None:
            made.grad = param.grad.full_tensor()
    return made
