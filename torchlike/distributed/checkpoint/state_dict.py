"""State dicts of modules and optimizers, with parameter names that do not contain the names of wrappers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import torchlike
from torchlike import Tensor
from torchlike._internal import _errors
from torchlike.distributed import _functional_collectives as collectives
from torchlike.distributed import _world
from torchlike.distributed._messages import broadcast_object_list
from torchlike.distributed.tensor import DTensor, distribute_tensor

if TYPE_CHECKING:  # modules and optimizers are imported after this package
    from torchlike.nn import Module
    from torchlike.optim.optimizer import Optimizer

FQNS_T = set[str]
PrimitiveType = DTensor | Tensor | int | float | str
ValueType = Union[PrimitiveType, list[PrimitiveType], tuple[PrimitiveType], dict[str, "ValueType"]]  # noqa: UP007
DictValueType = dict[str, ValueType]
ListDictValueType = list[DictValueType]
OptimizerStateType = dict[str, DictValueType | ListDictValueType]
_WRAPPERS = ("_checkpoint_wrapped_module.", "_orig_mod.", "_fsdp_wrapped_module.")


@dataclass
class StateDictOptions:
    """Options for state dicts.

    Attributes:
      full_state_dict: gather distributed tensors, and return plain tensors. With `cpu_offload`, return the state dict
        on rank 0 only, and empty dicts on the other ranks. When loading, plain tensors are distributed as those of the
        module, and names that the dict does not contain keep their values.
      cpu_offload: move the tensors to the CPU.
      ignore_frozen_params: omit parameters that do not require grad.
      strict: as in `Module.load_state_dict`.
      broadcast_from_rank0: load the state dict of rank 0 in all processes, which send one tensor at a time. It requires
        `full_state_dict`.
      flatten_optimizer_state_dict: return a flat dict, with a key for each value of the optimizer's state.
      keep_submodule_prefixes: with `submodules`, whether names begin with the name of the submodule.
      dsd_fqn_modifiers: only the default value is supported.
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
        if self.dsd_fqn_modifiers != type(self).dsd_fqn_modifiers:
            raise _errors.arguments.unsupported("StateDictOptions", "dsd_fqn_modifiers")


def _plain(model: Module) -> Module:
    return model.module if isinstance(model, torchlike.nn.parallel.DistributedDataParallel) else model


def _name(name: str) -> str:
    for wrapper in _WRAPPERS:
        name = name.replace(wrapper, "")
    return name


def _given(state: Any, options: StateDictOptions) -> Any:
    """Return the state in the form that the options ask for. All processes gather, even if they return nothing."""
    is_here = not (_is_on_first_rank(options) and _rank())

    def exported(value: Tensor) -> Any:
        value = value.detach()
        if options.full_state_dict and isinstance(value, DTensor):
            value = value.full_tensor()
        if not is_here:
            return None
        return value.cpu() if options.cpu_offload else value

    changed = _mapped(state, exported)
    return changed if is_here else {}


def _rank() -> int:
    return _world.get_rank() if _world.is_initialized() else 0


def _mapped(state: Any, change: Callable[[Tensor], Any]) -> Any:
    """Apply a function to the tensors in nested dicts and lists."""
    if isinstance(state, Tensor):
        return change(state)
    if isinstance(state, dict):
        return {key: _mapped(value, change) for key, value in state.items()}
    return [_mapped(value, change) for value in state] if isinstance(state, list) else state


def _chosen(model: Module, submodules: set[Module] | None, options: StateDictOptions) -> Callable[[str], str | None]:
    """Return a function that gives the name of a parameter in the state dict, or None if it is left out."""
    if not submodules:
        return _name
    prefixes = [_name(f"{name}.") for name, module in _plain(model).named_modules() if module in submodules and name]

    def chosen(name: str) -> str | None:
        name = _name(name)
        prefix = next((each for each in prefixes if name.startswith(each)), None)
        if prefix is None:
            return None
        return name if options.keep_submodule_prefixes else name.removeprefix(prefix)

    return chosen


def _state_of(model: Module) -> dict[str, Any]:
    """Return the state dict of a module, with distributed tensors."""
    from torchlike.distributed.fsdp import FullyShardedDataParallel, StateDictType

    with FullyShardedDataParallel.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        return _plain(model).state_dict()


def get_model_state_dict(
    model: Module, *, submodules: set[Module] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """Return the state dict of a module, with parameter names that do not contain the names of wrappers."""
    options = _checked(options)
    named = _chosen(model, submodules, options)
    frozen = {_name(n) for n, p in _plain(model).named_parameters() if not p.requires_grad}
    left_out = frozen if options.ignore_frozen_params else set()
    state = {named(name): value for name, value in _state_of(model).items() if _name(name) not in left_out}
    state.pop(None, None)
    return _given(state, options)


def set_model_state_dict(
    model: Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Load a state dict that `get_model_state_dict` returned. Return the missing and unexpected keys.

    Raises:
      RuntimeError: the state dict is empty, or does not fit the module, and `strict` is true.
    """
    options = _checked(options)
    if not model_state_dict and not options.broadcast_from_rank0:
        if options.strict and not options.ignore_frozen_params and not _is_on_first_rank(options):
            raise RuntimeError(
                "The option indicates that model state_dict is required to save or load, but model state_dict is empty."
                f"rank = dist.get_rank()={_rank()}."
            )
        return _no_keys()
    held = {_name(name): (name, value) for name, value in _state_of(model).items()}
    state: dict[str, Any] = dict(model_state_dict)
    if options.full_state_dict:
        state = _from_first(
            state, options, lambda path, value: _like(held[path[0]][1], value) if path[0] in held else value
        )
        state = {name: value for name, (_, value) in held.items() if name not in state} | state
    is_meta = any(isinstance(value, Tensor) and value.is_meta for _, value in held.values())
    inside = {name: actual for name, (actual, _) in held.items()}
    return _plain(model).load_state_dict(
        {inside.get(name, name): value for name, value in state.items()}, strict=options.strict, assign=is_meta
    )


def _no_keys() -> Any:
    """Return the missing and unexpected keys of a state dict that is not loaded: none."""
    from torchlike.nn.modules.module import _IncompatibleKeys

    return _IncompatibleKeys([], [])


def _checked(options: StateDictOptions | None) -> StateDictOptions:
    """Return the options, or the default ones. Raise if they contradict each other."""
    options = options or StateDictOptions()
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return options


def _is_on_first_rank(options: StateDictOptions) -> bool:
    """Return whether the other ranks have empty state dicts."""
    return options.cpu_offload and options.full_state_dict


def _like(held: Any, value: Tensor) -> Tensor:
    """Return a full tensor with the placements of `held`, if this is a distributed tensor of the same shape."""
    if not isinstance(held, DTensor) or isinstance(value, DTensor) or tuple(value.shape) != tuple(held.shape):
        return value
    device = value.device if held.is_meta else held.device
    return distribute_tensor(value.detach().to(device), held.device_mesh, held.placements, src_data_rank=None)


class _Told(NamedTuple):
    """The shape and dtype of a tensor that rank 0 sends."""

    shape: tuple[int, ...]
    dtype: torchlike.dtype


def _from_first(state: Any, options: StateDictOptions, take: Callable[[tuple, Tensor], Any]) -> Any:
    """Return a state dict, or that of rank 0, with its tensors replaced by the results of `take(path, tensor)`."""
    sends = options.broadcast_from_rank0 and _world.is_initialized()
    told: list[Any] = [_mapped(state, lambda x: _Told(tuple(x.shape), x.dtype)) if _rank() == 0 else None]
    if sends:
        broadcast_object_list(told, 0)
    return _taken(take, (), state, told[0] if sends else state)


def _taken(take: Callable[[tuple, Tensor], Any], path: tuple, here: Any, described: Any) -> Any:
    """Return a part of the state dict of rank 0, which `described` describes. `here` is that of this rank."""
    if isinstance(described, _Told):
        tensor = here if _rank() == 0 else torchlike.empty(described.shape, dtype=described.dtype)
        return take(path, collectives.broadcast(tensor.contiguous(), 0, _world.default()))
    if isinstance(described, dict):
        inner = here if isinstance(here, dict) else {}
        return {key: _taken(take, (*path, key), inner.get(key), each) for key, each in described.items()}
    if isinstance(described, list):
        inner = here if isinstance(here, list) else [None] * len(described)
        return [_taken(take, (*path, i), inner[i], each) for i, each in enumerate(described)]
    return take(path, described) if isinstance(described, Tensor) else described


def _optimizers(optimizers: Any) -> list[Optimizer]:
    return [optimizers] if isinstance(optimizers, torchlike.optim.Optimizer) else list(optimizers)


def _required(optimizers: Any) -> list[Optimizer]:
    found = _optimizers(optimizers)
    if not found:
        raise RuntimeError("Optimizers are not passed in but optim_only is set to True.")
    return found


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
    options, names = _checked(options), _names(model)
    named = _chosen(model, submodules, options)
    found: dict[str, Any] = {"state": {}, "param_groups": []}
    for optimizer in _required(optimizers):
        _begin(optimizer)
        order = [named(names[id(p)]) for group in optimizer.param_groups for p in group["params"]]
        state = optimizer.state_dict()
        found["state"] |= {order[i]: value for i, value in state["state"].items() if order[i] is not None}
        found["param_groups"] += [
            {**group, "params": [order[i] for i in group["params"] if order[i] is not None]}
            for group in state["param_groups"]
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
    """Load a state dict that `get_optimizer_state_dict` returned.

    Raises:
      RuntimeError: the state dict is empty, or a parameter that requires grad has no state in it and `strict` is
        true.
    """
    options, names = _checked(options), _names(model)
    optimizers = _required(optimizers)
    if not optim_state_dict and not options.broadcast_from_rank0:
        if _is_on_first_rank(options):
            return
        raise RuntimeError(
            "The option indicates that model state_dict is required to save, or load but optim state_dict is empty. "
            f"{optim_state_dict}"
        )
    params = {_name(name): param for name, param in _plain(model).named_parameters()}
    told: dict[str, Any] = optim_state_dict
    if options.full_state_dict:
        told = _from_first(told, options, lambda path, value: _like(_param_at(params, path), value))
    for optimizer in optimizers:
        order = [names[id(p)] for group in optimizer.param_groups for p in group["params"]]
        state = _nested(told, optimizer, order) if "param_groups" not in told else told
        if options.strict:
            _check_state(optimizer, order, state["state"])
        numbers = {name: i for i, name in enumerate(order)}
        optimizer.load_state_dict(
            {
                "state": {numbers[name]: value for name, value in state["state"].items() if name in numbers},
                "param_groups": _groups(optimizer, order, state["param_groups"]),
            }
        )


def _groups(optimizer: Optimizer, order: list[str], told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the groups of an optimizer, with the values of the given groups that have parameters in common with them.

    The order of the parameters is that of the optimizer. In the given groups, it may be another one.
    """
    numbers, made = iter(range(len(order))), []
    for group in optimizer.param_groups:
        members = [next(numbers) for _ in group["params"]]
        names = {order[i] for i in members}
        values = {key: value for each in told if names & {*each["params"]} for key, value in each.items()}
        made.append({**values, "params": members})
    return made


def _check_state(optimizer: Optimizer, order: list[str], state: dict[str, Any]) -> None:
    """Raise RuntimeError if the optimizer needs state of a parameter that is missing."""
    _begin(optimizer)
    params = [param for group in optimizer.param_groups for param in group["params"]]
    for name, param in zip(order, params):
        if name not in state and param.requires_grad and optimizer.state.get(param):
            raise RuntimeError(
                f"Missing optimizer state for parameter '{name}' in checkpoint. The parameter requires gradients but "
                "has no saved optimizer state. To load anyway, use StateDictOptions(strict=False)."
            )


def _param_at(params: dict[str, Any], path: tuple) -> Any:
    """Return the parameter to which an entry of an optimizer's state belongs, or None."""
    if path[0] == "state" and len(path) == 3:
        return params.get(path[1])
    name = str(path[0]).removeprefix("state.").rpartition(".")[0]  # the key of a flat state dict
    return params.get(name)


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
    """Return the state dicts of a module and of its optimizers. Without optimizers, the second one is empty."""
    found = get_model_state_dict(model, submodules=submodules, options=options)
    optimizers = _optimizers(optimizers)
    if not optimizers:
        return found, {}
    return found, get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options)


def set_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    model_state_dict: dict[str, Any],
    optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Load the state dicts that `get_state_dict` returned. Return the module's missing and unexpected keys.

    The optimizers are loaded first. An empty state dict of the module is not loaded.
    """
    optimizers = _optimizers(optimizers)
    if optimizers:
        set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    if not model_state_dict and not _checked(options).broadcast_from_rank0:
        return _no_keys()
    return set_model_state_dict(model, model_state_dict, options=options)
