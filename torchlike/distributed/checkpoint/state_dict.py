"""State dicts of modules and optimizers, with parameter names that do not contain the names of wrappers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torchlike
from torchlike._internal import _errors
from torchlike.distributed import _world
from torchlike.distributed._messages import broadcast_object_list

if TYPE_CHECKING:  # modules and optimizers are imported after this package
    from torchlike.nn import Module
    from torchlike.optim.optimizer import Optimizer

_WRAPPERS = ("_checkpoint_wrapped_module.", "_orig_mod.")


@dataclass
class StateDictOptions:
    """Options for state dicts.

    Attributes:
      full_state_dict: with `cpu_offload`, return the state dict on rank 0 only, and empty dicts on the other ranks.
      cpu_offload: move the tensors to the CPU.
      ignore_frozen_params: omit parameters that do not require grad.
      strict: as in `Module.load_state_dict`.
      broadcast_from_rank0: load the state dict of rank 0 in all processes.
      flatten_optimizer_state_dict: return a flat dict, with a key for each value of the optimizer's state.
      keep_submodule_prefixes, dsd_fqn_modifiers: only the default values are supported.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"

    def __post_init__(self) -> None:
        for name in ("keep_submodule_prefixes", "dsd_fqn_modifiers"):
            if getattr(self, name) != getattr(type(self), name):
                raise _errors.arguments.unsupported("StateDictOptions", name)


def _plain(model: Module) -> Module:
    return model.module if isinstance(model, torchlike.nn.parallel.DistributedDataParallel) else model


def _name(name: str) -> str:
    for wrapper in _WRAPPERS:
        name = name.replace(wrapper, "")
    return name


def _given(state: Any, options: StateDictOptions) -> Any:
    """Return the state, moved to the CPU with `cpu_offload`.

    With `cpu_offload` and `full_state_dict`, return an empty dict on all ranks except rank 0.
    """
    if options.cpu_offload:
        if options.full_state_dict and _world.is_initialized() and _world.get_rank():
            return {}
        return _on_host(state)
    return state


def _on_host(state: Any) -> Any:
    if isinstance(state, torchlike.Tensor):
        return state.detach().cpu()
    if isinstance(state, dict):
        return {key: _on_host(value) for key, value in state.items()}
    return [_on_host(value) for value in state] if isinstance(state, list) else state


def get_model_state_dict(
    model: Module, *, submodules: set[Module] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """Return the state dict of a module, with parameter names that do not contain the names of wrappers."""
    _refuse("get_model_state_dict", submodules)
    options = options or StateDictOptions()
    state = {_name(name): value for name, value in _plain(model).state_dict().items()}
    if options.ignore_frozen_params:
        for name, parameter in _plain(model).named_parameters():
            if not parameter.requires_grad:
                state.pop(_name(name), None)
    return _given(state, options)


def _refuse(name: str, submodules: Any) -> None:
    if submodules is not None:
        raise _errors.arguments.unsupported(name, "submodules")


def set_model_state_dict(
    model: Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Load a state dict that `get_model_state_dict` returned. Return the missing and unexpected keys."""
    options = options or StateDictOptions()
    state = _from_first(dict(model_state_dict), options)
    inside = {_name(name): name for name in _plain(model).state_dict(keep_vars=True)}
    return _plain(model).load_state_dict(
        {inside.get(name, name): value for name, value in state.items()}, strict=options.strict
    )


def _from_first(state: Any, options: StateDictOptions) -> Any:
    if not options.broadcast_from_rank0:
        return state
    told = [state]
    broadcast_object_list(told, 0)
    return told[0]


def _optimizers(optimizers: Any) -> list[Optimizer]:
    return [optimizers] if isinstance(optimizers, torchlike.optim.Optimizer) else list(optimizers)


def _names(model: Module) -> dict[int, str]:
    return {id(parameter): _name(name) for name, parameter in _plain(model).named_parameters()}


def get_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """Return the state dict of optimizers, with parameter names instead of indices.

    If an optimizer has no state and no gradients, it first takes a step with zero gradients and a learning rate of
    zero, which initializes the state.
    """
    _refuse("get_optimizer_state_dict", submodules)
    options, names = options or StateDictOptions(), _names(model)
    found: dict[str, Any] = {"state": {}, "param_groups": []}
    for optimizer in _optimizers(optimizers):
        _begin(optimizer)
        order = [names[id(p)] for group in optimizer.param_groups for p in group["params"]]
        state = optimizer.state_dict()
        found["state"] |= {order[i]: value for i, value in state["state"].items()}
        found["param_groups"] += [
            {**group, "params": [order[i] for i in group["params"]]} for group in state["param_groups"]
        ]
    return _given(_flat(found) if options.flatten_optimizer_state_dict else found, options)


def _begin(optimizer: Optimizer) -> None:
    if optimizer.state or any(p.grad is not None for group in optimizer.param_groups for p in group["params"]):
        return
    rates = [group["lr"] for group in optimizer.param_groups if "lr" in group]
    for group in optimizer.param_groups:
        if "lr" in group:
            group["lr"] = torchlike.zeros_like(group["lr"]) if isinstance(group["lr"], torchlike.Tensor) else 0.0
        for parameter in group["params"]:
            if parameter.requires_grad:
                parameter.grad = torchlike.zeros_like(parameter)
    optimizer.step(closure=None)
    for group in optimizer.param_groups:
        if "lr" in group:
            group["lr"] = rates.pop(0)
    optimizer.zero_grad(set_to_none=True)


def _flat(state: dict[str, Any]) -> dict[str, Any]:
    flat = {f"state.{name}.{key}": value for name, values in state["state"].items() for key, value in values.items()}
    for group in state["param_groups"]:
        for name in group["params"]:
            flat |= {f"param_groups.{name}.{key}": value for key, value in group.items() if key != "params"}
    return flat


def set_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: dict[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Load a state dict that `get_optimizer_state_dict` returned."""
    options, names = options or StateDictOptions(), _names(model)
    told = _from_first(optim_state_dict, options)
    for optimizer in _optimizers(optimizers):
        order = [names[id(p)] for group in optimizer.param_groups for p in group["params"]]
        state = _nested(told, optimizer, order) if "param_groups" not in told else told
        numbers = {name: i for i, name in enumerate(order)}
        groups = [
            {**group, "params": [numbers[name] for name in group["params"]]}
            for group in state["param_groups"]
            if set(group["params"]) <= numbers.keys()
        ]
        optimizer.load_state_dict(
            {
                "state": {numbers[name]: value for name, value in state["state"].items() if name in numbers},
                "param_groups": groups,
            }
        )


def _nested(flat: dict[str, Any], optimizer: Optimizer, order: list[str]) -> dict[str, Any]:
    """Convert a flat state dict back to a nested one."""
    found: dict[str, Any] = {"state": {}, "param_groups": []}
    names = iter(order)
    for group in optimizer.param_groups:
        members = [next(names) for _ in group["params"]]
        for name in members:
            begin = f"state.{name}."
            values = {key.removeprefix(begin): value for key, value in flat.items() if key.startswith(begin)}
            if values:
                found["state"][name] = values
        told = {key: flat[f"param_groups.{members[0]}.{key}"] for key in group if key != "params"}
        found["param_groups"].append({**told, "params": members})
    return found


def get_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the state dicts of a module and of its optimizers."""
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, optimizers, options=options),
    )


def set_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    model_state_dict: dict[str, Any],
    optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Load the state dicts that `get_state_dict` returned. Return the module's missing and unexpected keys."""
    missing = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return missing
