"""State dicts of the optimizers of sharded modules."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from torchlike import Tensor
from torchlike.distributed import _world
from torchlike.distributed.checkpoint.state_dict import StateDictOptions, _from_first, _name
from torchlike.distributed.fsdp import _state as states
from torchlike.distributed.fsdp import api
from torchlike.distributed.tensor import DTensor
from torchlike.nn import Module


def _names(model: Module) -> dict[int, str]:
    """Return the names of parameters without those of wrappers, by the id of the parameter."""
    return {id(param): _name(name) for name, param in model.named_parameters()}


def _order(model: Module, optim: Any) -> list[str]:
    """Return the names of the parameters of an optimizer, in the order of its groups."""
    names = _names(model)
    return [names[id(param)] for group in optim.param_groups for param in group["params"]]


def named(model: Module, optim: Any, state: Any, settings: api.StateDictSettings) -> dict[str, Any]:
    """Return the state dict of an optimizer with the names of parameters, of the kind that the settings give."""
    order, given = _order(model, optim), optim.state_dict() if state is None else state
    is_full = settings.state_dict_type is api.StateDictType.FULL_STATE_DICT
    config = settings.optim_state_dict_config
    entries = {order[number]: values for number, values in given["state"].items()}
    made = {
        name: {key: _exported(value, is_full, config) for key, value in sorted(entries[name].items())}
        for name in sorted(entries)
    }
    made = {name: {key: values[key] for key in entries[name]} for name, values in made.items()}
    if is_full and getattr(config, "rank0_only", False) and _world.get_rank():
        return {}
    groups = [{**group, "params": [order[number] for number in group["params"]]} for group in given["param_groups"]]
    return {"state": made, "param_groups": groups}


def _exported(value: Any, is_full: bool, config: Any) -> Any:
    if not isinstance(value, Tensor) or not value.ndim:
        return value
    if is_full and isinstance(value, DTensor):
        value = value.full_tensor()
    return value.cpu() if config.offload_to_cpu else value


def shared(state: dict[str, Any] | None, settings: api.StateDictSettings) -> dict[str, Any]:
    """Return the given state dict. If the settings say `rank0_only`, return that of the first process."""
    if getattr(settings.optim_state_dict_config, "rank0_only", False):
        options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
        return _from_first(state, options, lambda path, tensor: tensor)
    if state is None or "state" not in state:
        raise ValueError('`optim_state_dict` must have the keys "state"to be a valid optimizer state dict')
    return state


def numbered(model: Module, optim: Any, state: dict[str, Any]) -> dict[str, Any]:
    """Return a state dict with the numbers of parameters and sharded values."""
    params = {
        id(param.registered()): param for wrapper in states.wrappers(model) for param in states.params_of(wrapper)
    }
    members = [param for group in optim.param_groups for param in group["params"]]
    numbers = {name: i for i, name in enumerate(_order(model, optim))}
    made = {}
    for name, values in state["state"].items():
        if name in numbers:
            owner = params.get(id(members[numbers[name]]))
            made[numbers[name]] = {key: _imported(owner, value) for key, value in values.items()}
    made = dict(sorted(made.items()))
    groups = [{**group, "params": [numbers[name] for name in group["params"]]} for group in state["param_groups"]]
    return {"state": made, "param_groups": groups}


def _imported(owner: Any, value: Any) -> Any:
    is_whole = isinstance(value, Tensor) and value.ndim and not isinstance(value, DTensor)
    return states.sharded(owner, value) if is_whole and owner is not None else value


def rekeyed(state: dict[str, Any], model: Module, optim: Any, to_names: bool) -> dict[str, Any]:
    """Return a state dict with the names of parameters as keys, or with their numbers."""
    kinds = {type(key) for key in state["state"]}
    if len(kinds) > 1:
        raise ValueError(f"Invalid parameter keys: {state['state'].keys()}")
    if kinds <= {str if to_names else int}:
        return state
    order = list(_names(model).values()) if optim is None else _order(model, optim)
    keys: dict[Any, Any] = dict(enumerate(order) if to_names else zip(order, range(len(order))))
    groups = [
        {
            key: sorted(keys[each] for each in value) if key == "params" else deepcopy(value)
            for key, value in group.items()
        }
        for group in state["param_groups"]
    ]
    return {"state": {keys[key]: values for key, values in state["state"].items()}, "param_groups": groups}
