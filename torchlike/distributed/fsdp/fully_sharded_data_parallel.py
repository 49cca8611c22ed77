"""`FullyShardedDataParallel`: a wrapper that shards the parameters of a module (FSDP1)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum, auto
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import unsupported
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.fsdp import _optim_state as optim_state
from torchlike.distributed.fsdp import _setup as setup
from torchlike.distributed.fsdp import _state as states
from torchlike.distributed.fsdp._fully_shard import _fsdp_init as init
from torchlike.distributed.fsdp._fully_shard._fsdp_api import MixedPrecisionPolicy
from torchlike.distributed.fsdp._fully_shard._fsdp_common import MeshInfo, cast_floating
from torchlike.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup
from torchlike.distributed.fsdp._fully_shard._fsdp_state import FSDPState
from torchlike.distributed.fsdp._norm import norm_of
from torchlike.distributed.fsdp.api import BackwardPrefetch as BackwardPrefetch
from torchlike.distributed.fsdp.api import CPUOffload as CPUOffload
from torchlike.distributed.fsdp.api import FullOptimStateDictConfig as FullOptimStateDictConfig
from torchlike.distributed.fsdp.api import FullStateDictConfig as FullStateDictConfig
from torchlike.distributed.fsdp.api import LocalOptimStateDictConfig as LocalOptimStateDictConfig
from torchlike.distributed.fsdp.api import LocalStateDictConfig as LocalStateDictConfig
from torchlike.distributed.fsdp.api import MixedPrecision as MixedPrecision
from torchlike.distributed.fsdp.api import OptimStateDictConfig as OptimStateDictConfig
from torchlike.distributed.fsdp.api import ShardedOptimStateDictConfig as ShardedOptimStateDictConfig
from torchlike.distributed.fsdp.api import ShardedStateDictConfig as ShardedStateDictConfig
from torchlike.distributed.fsdp.api import ShardingStrategy as ShardingStrategy
from torchlike.distributed.fsdp.api import StateDictConfig as StateDictConfig
from torchlike.distributed.fsdp.api import StateDictSettings as StateDictSettings
from torchlike.distributed.fsdp.api import StateDictType as StateDictType
from torchlike.nn import Module, Parameter

PREFIX = states.PREFIX


class OptimStateKeyType(Enum):
    """The keys of the state dict of an optimizer: names, or indices of parameters."""

    PARAM_NAME = auto()
    PARAM_ID = auto()


class FullyShardedDataParallel(Module):
    """A wrapper that shards the parameters of `module` over processes, with its gradients and its optimizer state.

    The parameters that no nested wrapper has are gathered before forward and averaged in backward, each by one
    collective. `fully_shard` does the same without a wrapper, and is the engine of this class.

    Args:
      module: the module, available as `self.module`.
      process_group: the processes. For the hybrid strategies, a pair of groups: within the first group parameters are
        sharded, along the second group they are copied.
      sharding_strategy: see `ShardingStrategy`. The default is `FULL_SHARD`.
      cpu_offload: only `CPUOffload(False)` is supported, except for modules on the CPU.
      auto_wrap_policy: which submodules get wrappers of their own. See `torch.distributed.fsdp.wrap`.
      backward_prefetch, forward_prefetch, limit_all_gathers: have no effect, because XLA orders collectives.
      mixed_precision: see `MixedPrecision`.
      ignored_modules, ignored_states: modules or parameters that are not sharded.
      param_init_fn: called with each submodule that has tensors on the meta device. By default, such modules are
        allocated, and their `reset_parameters` is called.
      device_id: the device to which the module is moved.
      sync_module_states: copy parameters and buffers from the first process.
      use_orig_params: has no effect. See below.
      device_mesh: a mesh instead of `process_group`, with two dims for the hybrid strategies.

    Raises:
      ValueError: a submodule has a wrapper although there is a policy, or the groups do not fit the strategy.

    Differences from PyTorch: each parameter remains a tensor of its own, a `DTensor` that is sharded along dim 0,
    instead of a part of one flat parameter. `SHARDED_STATE_DICT` contains `DTensor`s.

    >>> import torchlike as torch
    >>> from torchlike.distributed.fsdp import FullyShardedDataParallel
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> model = FullyShardedDataParallel(torch.nn.Linear(2, 1))
    >>> list(model.state_dict())
    ['weight', 'bias']
    >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self,
        module: Module,
        process_group: Any = None,
        sharding_strategy: ShardingStrategy | None = None,
        cpu_offload: CPUOffload | None = None,
        auto_wrap_policy: Any = None,
        backward_prefetch: BackwardPrefetch | None = BackwardPrefetch.BACKWARD_PRE,
        mixed_precision: MixedPrecision | None = None,
        ignored_modules: Iterable[Module] | None = None,
        param_init_fn: Callable[[Module], None] | None = None,
        device_id: int | torchlike.device | None = None,
        sync_module_states: bool = False,
        forward_prefetch: bool = False,
        limit_all_gathers: bool = True,
        use_orig_params: bool = False,
        ignored_states: Iterable[Parameter] | Iterable[Module] | None = None,
        device_mesh: DeviceMesh | None = None,
    ) -> None:
        super().__init__()
        device = setup.device_of(device_id)
        ignored = setup.ignored_of(ignored_modules, ignored_states)
        strategy = sharding_strategy or ShardingStrategy.FULL_SHARD
        mesh = _mesh(module, device, strategy, process_group, device_mesh, auto_wrap_policy is not None)
        if cpu_offload is not None and cpu_offload.offload_params and mesh.device_type != "cpu":
            raise unsupported("FullyShardedDataParallel", "cpu_offload")
        if auto_wrap_policy is not None:
            kwargs = {
                "sharding_strategy": strategy,
                "mixed_precision": mixed_precision,
                "param_init_fn": param_init_fn,
                "device_id": device_id,
                "sync_module_states": sync_module_states,
                "device_mesh": mesh if strategy is not ShardingStrategy.NO_SHARD else device_mesh,
                "process_group": process_group if strategy is ShardingStrategy.NO_SHARD else None,
                "ignored_states": [*ignored[0], *ignored[1]],
            }
            setup.auto_wrap(module, auto_wrap_policy, FullyShardedDataParallel, kwargs, ignored)
        setup.materialize(module, param_init_fn, device)
        if device is not None:
            for each in init.managed((module,)):
                each._apply(lambda tensor: tensor.to(device), recurse=False)
        if sync_module_states:
            _broadcast(module, ignored[1], mesh)
        self.sharding_strategy, self.mixed_precision = strategy, mixed_precision or MixedPrecision()
        self._state_dict_settings = StateDictSettings()
        self._fsdp_wrapped_module = module
        self._shard(mesh, ignored)
        states.watch(self)

    def _shard(self, mesh: DeviceMesh, ignored: tuple[set[Module], set[Parameter]]) -> None:
        given, info = self.mixed_precision, MeshInfo(mesh, self.sharding_strategy is ShardingStrategy.NO_SHARD)
        reduce = given.reduce_dtype or given.param_dtype
        policy = MixedPrecisionPolicy(given.param_dtype, reduce, None, given.cast_forward_inputs)
        members = [each for each in init.managed((self,)) if each not in ignored[0]]
        params = init.sharded(members, ignored[1], info, None)
        kept = (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy._HYBRID_SHARD_ZERO2, ShardingStrategy.NO_SHARD)
        self._state = FSDPState((self,), policy, True)
        if params:
            self._state.groups.append(FSDPParamGroup(params, info, policy, self.sharding_strategy not in kept))
        self._state.become_root()
        self._buffer_dtypes = states.converted_buffers(members, given.buffer_dtype)

    # -- the module ----------------------------------------------------------------------------------------------------

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        dtype = self.mixed_precision.param_dtype
        if dtype is not None and self.mixed_precision.cast_root_forward_inputs and self._is_root():
            args, kwargs = cast_floating(args, dtype), cast_floating(kwargs, dtype)
        return self._fsdp_wrapped_module(*args, **kwargs)

    @property
    def module(self) -> Module:
        """The wrapped module."""
        return self._fsdp_wrapped_module

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "_fsdp_wrapped_module":
                raise
            return getattr(self._fsdp_wrapped_module, name)

    def __getitem__(self, key: int) -> Any:
        return self._fsdp_wrapped_module[key]  # type: ignore[index]

    def _is_root(self) -> bool:
        return self._state.root.states[0] is self._state

    def check_is_root(self) -> bool:
        """Return whether no other wrapper contains this one."""
        return self._is_root()

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list[FullyShardedDataParallel]:
        """Return the wrappers in a module.

        Args:
          module (Module): the module.
          root_only: only return those that no other wrapper contains.
        """
        found = [each for each in module.modules() if isinstance(each, FullyShardedDataParallel)]
        return [each for each in found if each.check_is_root()] if root_only else found

    def apply(self, fn: Callable[[Module], None]) -> FullyShardedDataParallel:
        """Call a function with every submodule while they hold full parameters.

        Args:
          fn (function): called with each submodule, the innermost first, and with this module.

        Returns:
          This module.
        """
        with self.summon_full_params(self):
            super().apply(fn)
        return self

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Parameter]]:
        """Yield the parameters. Inside `summon_full_params`, the names do not contain those of wrappers.

        Args:
          *args, **kwargs: the arguments of `Module.named_parameters`.
        """
        clean = states.is_summoned(self)
        for name, param in super().named_parameters(*args, **kwargs):
            yield name.replace(PREFIX, "") if clean else name, param

    def named_buffers(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, Tensor]]:
        """Yield the buffers. Inside `summon_full_params`, the names do not contain those of wrappers.

        Args:
          *args, **kwargs: the arguments of `Module.named_buffers`.
        """
        clean = states.is_summoned(self)
        for name, buffer in super().named_buffers(*args, **kwargs):
            yield name.replace(PREFIX, "") if clean else name, buffer

    @staticmethod
    @contextmanager
    def summon_full_params(
        module: Module,
        recurse: bool = True,
        writeback: bool = True,
        rank0_only: bool = False,
        offload_to_cpu: bool = False,
        with_grads: bool = False,
    ) -> Generator[None]:
        """Let the wrappers in a module hold full parameters inside of the block.

        Args:
          module: the module.
          recurse: include nested wrappers.
          writeback: write changes of the parameters to the shards at the end of the block.
          rank0_only: the other processes keep their shards. It requires `writeback=False`.
          offload_to_cpu: move the full parameters to the CPU.
          with_grads: also gather the gradients.
        """
        found = FullyShardedDataParallel.fsdp_modules(module)
        found = found if recurse else [each for each in found if each is module]
        with ExitStack() as stack:
            for each in found:
                stack.enter_context(states.summoned(each, writeback, rank0_only, offload_to_cpu, with_grads))
            yield

    # -- gradients -----------------------------------------------------------------------------------------------------

    @contextmanager
    def no_sync(self) -> Generator[None]:
        """Accumulate the gradients of full parameters without reductions inside the block."""
        if not self.check_is_root():
            raise RuntimeError(
                "`no_sync()` on inner FSDP instances is not supported. Please call `no_sync()` on root FSDP module."
            )
        groups = [group for each in self.fsdp_modules(self) for group in each._state.groups]
        before = [group.syncs_gradients for group in groups]
        for group in groups:
            group.syncs_gradients = False
        try:
            yield
        finally:
            for group, synced in zip(groups, before):
                group.syncs_gradients = synced

    @torchlike.no_grad()
    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Tensor:
        """Scale the gradients so that the norm of all of them is at most `max_norm`. Return the norm before.

        Args:
          max_norm: the largest norm.
          norm_type: the exponent of the norm, or infinity.
        """
        if not self.check_is_root():
            raise RuntimeError("`clip_grad_norm_()` should only be called on the root FSDP instance")
        kind = float(norm_type)
        total = norm_of(self, kind)
        scale = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for param in self.parameters():
            if param.grad is not None:
                local = states.local_of(param.grad)
                local.mul_(scale.to(local.dtype))
        return total

    def register_comm_hook(self, state: object, hook: Callable[..., Any]) -> None:
        """Not supported.

        Args:
          state, hook: have no effect: the call raises.

        Raises:
          NotImplementedError: always.
        """
        raise unsupported("FullyShardedDataParallel.register_comm_hook", "hook")

    # -- state dicts ---------------------------------------------------------------------------------------------------

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Return the state of the module, of the kind that `state_dict_type` sets. All processes must call it.

        Args:
          *args, **kwargs: the arguments of `Module.state_dict`.
        """
        self.check_is_root()
        for each in self.fsdp_modules(self):
            for group in each._state.groups:
                group.reshard()
        return super().state_dict(*args, **kwargs)

    @staticmethod
    def set_state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> StateDictSettings:
        """Set the kind of the state dicts of all wrappers in a module.

        Args:
          module (Module): the module.
          state_dict_type (StateDictType): the kind.
          state_dict_config (StateDictConfig, optional): its options. Default: those of the kind.
          optim_state_dict_config (OptimStateDictConfig, optional): the options for optimizers. Default: those of the
            kind.

        Returns:
          The former settings.
        """
        return states.set_type(module, state_dict_type, state_dict_config, optim_state_dict_config)

    @staticmethod
    def get_state_dict_type(module: Module) -> StateDictSettings:
        """Return the kind of the state dicts of the wrappers in a module.

        Args:
          module (Module): the module.
        """
        return states.type_of(module)

    @staticmethod
    @contextmanager
    def state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> Generator[None]:
        """Set the kind of the state dicts inside of the block.

        Args:
          module (Module): the module.
          state_dict_type (StateDictType): the kind.
          state_dict_config (StateDictConfig, optional): its options. Default: those of the kind.
          optim_state_dict_config (OptimStateDictConfig, optional): the options for optimizers. Default: those of the
            kind.
        """
        before = states.set_type(module, state_dict_type, state_dict_config, optim_state_dict_config)
        try:
            yield
        finally:
            states.restore_type(module, before)

    @staticmethod
    def optim_state_dict(
        model: Module, optim: Any, optim_state_dict: dict[str, Any] | None = None, group: Any = None
    ) -> dict[str, Any]:
        """Return the state dict of an optimizer, with the names of parameters.

        Args:
          model: the module with the wrappers. `state_dict_type` sets the kind of the state dict.
          optim: the optimizer.
          optim_state_dict: the state dict of the optimizer. The default is `optim.state_dict()`.
          group: not supported.
        """
        _no_group("optim_state_dict", group)
        return optim_state.named(model, optim, optim_state_dict, states.type_of(model))

    @staticmethod
    def optim_state_dict_to_load(
        model: Module,
        optim: Any,
        optim_state_dict: dict[str, Any],
        is_named_optimizer: bool = False,
        load_directly: bool = False,
        group: Any = None,
    ) -> dict[str, Any]:
        """Return a state dict for `optim.load_state_dict` from the result of `optim_state_dict`.

        Args:
          model: the module with the wrappers.
          optim: the optimizer.
          optim_state_dict: the state dict with the names of parameters. If `state_dict_type` sets `rank0_only`, only
            that of the first process is used.
          is_named_optimizer: not supported.
          load_directly: also load it.
          group: not supported.
        """
        _no_group("optim_state_dict_to_load", group)
        if is_named_optimizer:
            raise unsupported("FullyShardedDataParallel.optim_state_dict_to_load", "is_named_optimizer")
        given = optim_state.shared(optim_state_dict, states.type_of(model))
        found = optim_state.numbered(model, optim, given)
        if load_directly:
            optim.load_state_dict(found)
        return found

    @staticmethod
    def rekey_optim_state_dict(
        optim_state_dict: dict[str, Any],
        optim_state_key_type: OptimStateKeyType,
        model: Module,
        optim_input: Any = None,
        optim: Any = None,
    ) -> dict[str, Any]:
        """Return the state dict of an optimizer with the names or the numbers of parameters as keys.

        Args:
          optim_state_dict: a full state dict with keys of either type.
          optim_state_key_type: the type of the new keys.
          model: the module. If no optimizer is given, its parameters are numbered in their order.
          optim_input: not supported.
          optim: the optimizer that numbers the parameters.
        """
        _no_input("rekey_optim_state_dict", optim_input)
        to_names = optim_state_key_type is OptimStateKeyType.PARAM_NAME
        return optim_state.rekeyed(optim_state_dict, model, optim, to_names)

    @staticmethod
    def full_optim_state_dict(
        model: Module, optim: Any, optim_input: Any = None, rank0_only: bool = True, group: Any = None
    ) -> dict[str, Any]:
        """Return the full state dict of an optimizer. Deprecated: use `optim_state_dict`.

        Args:
          model (Module): the module with the wrappers.
          optim (Optimizer): the optimizer.
          optim_input: must be None. It is not supported.
          rank0_only: only the first process gets the state dict. The others get an empty dict.
          group: must be None. It is not supported.
        """
        _no_group("full_optim_state_dict", group)
        _no_input("full_optim_state_dict", optim_input)
        return optim_state.named(model, optim, None, states.full(rank0_only))

    @staticmethod
    def shard_full_optim_state_dict(
        full_optim_state_dict: dict[str, Any], model: Module, optim_input: Any = None, optim: Any = None
    ) -> dict[str, Any]:
        """Return a state dict for `optim.load_state_dict`. Deprecated: use `optim_state_dict_to_load`.

        Args:
          full_optim_state_dict (dict): the full state dict, with the names of parameters.
          model (Module): the module with the wrappers.
          optim_input: must be None. It is not supported.
          optim (Optimizer): the optimizer. It must be given.
        """
        _no_input("shard_full_optim_state_dict", optim_input if optim is not None else "missing")
        return optim_state.numbered(model, optim, full_optim_state_dict)


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise unsupported(f"FullyShardedDataParallel.{name}", "optim_state_dict")

    refuse.__name__ = name
    refuse.__doc__ = "Not supported: use `optim_state_dict` and `optim_state_dict_to_load`."
    return refuse


for _name in (
    "sharded_optim_state_dict",
    "flatten_sharded_optim_state_dict",
    "scatter_full_optim_state_dict",
):
    setattr(FullyShardedDataParallel, _name, staticmethod(_refused(_name)))


def _no_input(name: str, optim_input: Any) -> None:
    if optim_input is not None:
        raise unsupported(f"FullyShardedDataParallel.{name}", "optim_input")


def _no_group(name: str, group: Any) -> None:
    if group is not None:
        raise unsupported(f"FullyShardedDataParallel.{name}", "group")


def _mesh(
    module: Module, device: torchlike.device | None, strategy: ShardingStrategy, groups: Any, mesh: Any, is_auto: bool
) -> DeviceMesh:
    kinds = [p.device.type for p in module.parameters() if p.device.type != "meta"]
    kind = device.type if device is not None else kinds[0] if kinds else "cpu"
    return setup.mesh_for(kind, strategy, groups, mesh, is_auto)


def _broadcast(module: Module, ignored: set[Parameter], mesh: DeviceMesh) -> None:
    inner = {p for each in FullyShardedDataParallel.fsdp_modules(module) for p in each.parameters()}
    setup.broadcast_state(module, ignored | inner, mesh)
