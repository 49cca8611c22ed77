"""`fully_shard`: fully sharded data parallelism of the parameters of a module (FSDP2)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any, NoReturn

from torchlike._internal import unsupported
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.fsdp._fully_shard import _fsdp_init as init
from torchlike.distributed.fsdp._fully_shard._fsdp_api import DataParallelMeshDims, MixedPrecisionPolicy, OffloadPolicy
from torchlike.distributed.fsdp._fully_shard._fsdp_common import MeshInfo, check_mesh
from torchlike.distributed.fsdp._fully_shard._fsdp_module import FSDPModule
from torchlike.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup
from torchlike.distributed.fsdp._fully_shard._fsdp_state import FSDPState, state_of
from torchlike.nn import Module, Parameter


def fully_shard(
    module: Any,
    *,
    mesh: DeviceMesh | None = None,
    reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Callable[[Parameter], Any] | None = None,
    mp_policy: MixedPrecisionPolicy | None = None,
    offload_policy: OffloadPolicy | None = None,
    ignored_params: set[Parameter] | None = None,
    dp_mesh_dims: DataParallelMeshDims | None = None,
) -> Any:
    """Shard the parameters of a module, its gradients and its optimizer state over the processes of a mesh.

    Each parameter becomes a `DTensor` that is sharded along dim 0. Before forward, the parameters of this call are
    gathered by one all-gather. In the backward pass, their gradients are averaged by one reduce-scatter. Call the
    function bottom-up: on submodules, for example on each layer, and then on the whole module. A call takes the
    parameters that no earlier call took. Create the optimizer after the calls.

    The class of the module becomes a subclass of `FSDPModule` and of its class.

    Args:
      module: a module, or a list of modules whose parameters form one group.
      mesh: a one-dimensional mesh, or a two-dimensional mesh with names: parameters are copied along its first dim and
        sharded along its second dim. The default is a mesh of all processes.
      reshard_after_forward: whether the full parameters are freed after forward, and gathered again in backward. The
        default is False for the root module, and True for the others. An int, the size of a smaller mesh, is taken as
        True.
      shard_placement_fn: a function of a parameter that returns `Shard(dim)`, or None for `Shard(0)`. Only dim 0 may be
        sharded unevenly.
      mp_policy: the dtypes of parameters, gradients, inputs and outputs.
      offload_policy: `OffloadPolicy()`. `CPUOffloadPolicy` is not supported.
      ignored_params: parameters that are not sharded.
      dp_mesh_dims: not supported.

    Returns:
      `module`, changed in place.

    Raises:
      ValueError: the module is a container without `forward`, a parameter has no dims, or the mesh has more than two.
        The first forward pass raises it if two calls took the same parameter.
      AssertionError: the function was called on the module before.

    Differences from PyTorch: while they are gathered, the parameters of a module are not leaves of the gradient graph.
    An int as `reshard_after_forward` is taken as True; PyTorch keeps the parameters sharded over fewer processes.

    >>> import torchlike as torch
    >>> from torchlike.distributed.fsdp import fully_shard
    >>> store = torch.distributed.HashStore()
    >>> torch.distributed.init_process_group("gloo", rank=0, world_size=1, store=store)
    >>> model = fully_shard(torch.nn.Linear(2, 1))
    >>> model.weight.placements, model(torch.ones(3, 2)).shape
    ((Shard(dim=0),), torch.Size([3, 1]))
    >>> torch.distributed.destroy_process_group()
    """
    is_one = isinstance(module, Module)
    modules: tuple[Module, ...] = (module,) if is_one else tuple(module)
    if dp_mesh_dims is not None:
        raise unsupported("fully_shard", "dp_mesh_dims")
    init.check_modules(modules)
    mesh = init.default_mesh(modules) if mesh is None else mesh
    check_mesh(mesh)
    info = MeshInfo(mesh)
    init.check_size(reshard_after_forward, info.shard_size)
    policy = mp_policy or MixedPrecisionPolicy()
    members = init.managed(modules)
    params = init.sharded(members, ignored_params or set(), info, shard_placement_fn)
    state = FSDPState(modules, policy, reshard_after_forward is None)
    if params:
        state.groups.append(FSDPParamGroup(params, info, policy, reshard_after_forward is not False))
    state.become_root()
    for member in members:
        member._is_fsdp_managed_module = True
    for each in modules:
        each.__class__ = _wrapped(type(each))
    return module


fully_shard.state = state_of  # type: ignore[attr-defined]


@functools.cache
def _wrapped(cls: type[Module]) -> type[Module]:
    """Return the subclass of `FSDPModule` and of the class of a module."""
    members: dict[str, Any] = {"__deepcopy__": _no_copy, "__module__": cls.__module__}
    return type(f"FSDP{cls.__name__}", (FSDPModule, cls), members)


def _no_copy(*args: Any, **kwargs: Any) -> NoReturn:
    raise AssertionError("FSDP does not support deepcopy. Please use state dict for serialization.")


def register_fsdp_forward_method(module: Module, method_name: str) -> None:
    """Gather the parameters around another method of a module, as around its `forward`.

    Args:
      module: a module that `fully_shard` wraps. The function does nothing for other modules.
      method_name: the name of the method.
    """
    state = state_of(module)
    if state is None or not isinstance(module, FSDPModule):
        return
    if not hasattr(module, method_name):
        raise ValueError(f"{type(module)} does not have a method {method_name}")
    method = getattr(module, method_name)

    @functools.wraps(method)
    def wrapped(self: Module, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = state.before_forward(self, args, kwargs)
        try:
            output = method(*args, **kwargs)
        except Exception:
            state.after_forward(self, args, None)
            raise
        return state.after_forward(self, args, output)

    setattr(module, method_name, MethodType(wrapped, module))


def share_comm_ctx(modules: list[FSDPModule]) -> None:
    """Do nothing: several root modules share no communication streams, because XLA orders the collectives.

    Args:
      modules (list of FSDPModules): the root modules. They are only checked.

    Raises:
      ValueError: a module was not wrapped by `fully_shard`.
    """
    for module in modules:
        if not isinstance(module, FSDPModule):
            raise ValueError(f"Expects list of FSDPModules but got {module}")
