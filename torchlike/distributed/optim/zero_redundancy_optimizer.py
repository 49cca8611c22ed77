"""`ZeroRedundancyOptimizer`: each process keeps the optimizer state of a part of the parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import unsupported
from torchlike.distributed import _functional_collectives as collectives
from torchlike.distributed import _world
from torchlike.distributed._messages import broadcast_object_list
from torchlike.distributed.algorithms.join import Join, Joinable, JoinHook
from torchlike.optim.optimizer import Optimizer

_NAME = "ZeroRedundancyOptimizer"


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer whose state is divided among the processes of a group. All processes have all parameters.

    Each process updates its part of the parameters with an optimizer of its own, `self.optim`, and sends it to the
    others. The parameters of a group are assigned in the order of their sizes, the largest first, each to the process
    that has the fewest elements.

    Args:
      params: the parameters, or dicts of parameter groups. They are dense and have the same dtype.
      optimizer_class: the class of the local optimizers.
      process_group: the processes. The default is the default group.
      parameters_as_bucket_view: has no effect on results. The parameters of a process always are sent together.
      overlap_with_ddp: not supported.
      defaults: the arguments of the local optimizers.

    Raises:
      ValueError: there are no parameters, or their dtypes differ.
      TypeError: `params` contains something else.

    >>> import torchlike as torch
    >>> import torchlike.distributed as dist
    >>> from torchlike.distributed.optim import ZeroRedundancyOptimizer
    >>> dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    >>> w = torch.ones(1, requires_grad=True)
    >>> optimizer = ZeroRedundancyOptimizer([w], optimizer_class=torch.optim.SGD, lr=0.25)
    >>> w.sum().backward()
    >>> _ = optimizer.step()
    >>> w
    tensor([0.7500], requires_grad=True)
    >>> dist.destroy_process_group()
    """

    def __init__(
        self,
        params: Any,
        optimizer_class: type[Optimizer],
        process_group: Any = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        if overlap_with_ddp:
            raise unsupported(_NAME, "overlap_with_ddp")
        self.initialized = False
        given = _checked(params)
        Joinable.__init__(self)
        Optimizer.__init__(self, given, defaults)
        self.process_group = _world.member(process_group)
        self.world_size, self.rank = self.process_group.size(), self.process_group.rank()
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self._optim_constructor, self._optim_defaults = optimizer_class, defaults
        self._sizes = [0] * self.world_size  # the number of elements that each process updates
        self._owned: list[list[list[Tensor]]] = []  # the parameters of each group and process
        self._all_state_dicts: list[dict[str, Any]] = []
        for group in self.param_groups:
            self._divide(group)
        mine = [self._local_group(i) for i in range(len(self.param_groups))]
        self.optim: Any = optimizer_class(mine, **defaults)
        self._share_options(self.optim.param_groups, self.param_groups)
        self.initialized = True

    # -- division ------------------------------------------------------------------------------------------------------

    def _divide(self, group: dict[str, Any]) -> None:
        """Assign the parameters of a group to processes."""
        owned: list[list[Tensor]] = [[] for _ in range(self.world_size)]
        for param in sorted(group["params"], key=lambda p: p.numel(), reverse=True):
            rank = self._sizes.index(min(self._sizes))
            owned[rank].append(param)
            self._sizes[rank] += param.numel()
        self._owned.append(owned)

    def _local_group(self, i: int) -> dict[str, Any]:
        return {**self.param_groups[i], "params": list(self._owned[i][self.rank])}

    @property
    def _param_to_rank(self) -> dict[Tensor, int]:
        """The process that updates each parameter."""
        return {p: rank for owned in self._owned for rank, params in enumerate(owned) for p in params}

    @property
    def _index_to_param(self) -> list[Tensor]:
        """The parameters in the order of their numbers in state dicts."""
        return list(dict.fromkeys(p for group in self.param_groups for p in group["params"]))

    @property
    def _param_to_index(self) -> dict[Tensor, int]:
        """The numbers of the parameters in state dicts."""
        return {param: i for i, param in enumerate(self._index_to_param)}

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters, and divide it among the processes."""
        super().add_param_group(param_group)
        if self.initialized:
            self._divide(self.param_groups[-1])
            self.optim.add_param_group(self._local_group(len(self.param_groups) - 1))

    @staticmethod
    def _share_options(source: list[dict[str, Any]], target: list[dict[str, Any]]) -> None:
        for given, taking in zip(source, target):
            taking.update({key: value for key, value in given.items() if key not in ("params", "param_names")})

    def _followed(self) -> list:
        return [*super()._followed(), self.optim]

    # -- steps ---------------------------------------------------------------------------------------------------------

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Update the parameters of this process, and receive those of the others."""
        Join.notify_join_context(self)
        return self._step(closure, **kwargs)

    def _step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        self._share_options(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(closure, **kwargs)
        self._send_parameters()
        self._share_options(self.optim.param_groups, self.param_groups)
        return loss

    def _send_parameters(self) -> None:
        """Send the parameters of each process to the others. One message carries those of one device."""
        if self.world_size == 1:
            return
        with torchlike.no_grad():
            for rank, source in enumerate(_world.get_process_group_ranks(self.process_group)):
                params = [param for owned in self._owned for param in owned[rank]]
                for device in dict.fromkeys(param.device for param in params):
                    _broadcast([param for param in params if param.device == device], source, self.process_group)

    # -- state dicts ---------------------------------------------------------------------------------------------------

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Collect the state of all processes in the process `to`, a rank in the group. All processes call it."""
        self._share_options(self.param_groups, self.optim.param_groups)
        self._all_state_dicts = []
        for rank, source in enumerate(_world.get_process_group_ranks(self.process_group)):
            told: list[Any] = [self.optim.state_dict() if rank == self.rank else None]
            broadcast_object_list(told, source, self.process_group)
            if self.rank == to:
                self._all_state_dicts.append(told[0])

    def state_dict(self) -> dict[str, Any]:
        """Return the state dict of all parameters. Call `consolidate_state_dict` first.

        Raises:
          RuntimeError: the state is not collected in this process.
        """
        if not self._all_state_dicts:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. "
                f"Please call `consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save "
                "the global state."
            )
        found, index = super().state_dict(), self._param_to_index
        entries: dict[int, Any] = {}
        for rank, local in enumerate(self._all_state_dicts):
            for i, group in enumerate(local["param_groups"]):
                for number, param in zip(group["params"], self._owned[i][rank]):
                    if number in local["state"]:
                        entries[index[param]] = local["state"][number]
        return {"state": dict(sorted(entries.items())), "param_groups": found["param_groups"]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state dict that `state_dict` returned. Each process keeps its part of the state."""
        index, owner = self._param_to_index, self._param_to_rank
        local = [param for owned in self._owned for param in owned[self.rank]]
        entries = {i: state_dict["state"][index[p]] for i, p in enumerate(local) if index[p] in state_dict["state"]}
        super().load_state_dict({**state_dict, "state": {}})
        self._share_options(state_dict["param_groups"], self.param_groups)
        numbers = {param: i for i, param in enumerate(local)}
        groups = [
            {**group, "params": [numbers[param] for param in owned[self.rank]]}
            for group, owned in zip(state_dict["param_groups"], self._owned)
        ]
        self.optim.load_state_dict({"state": entries, "param_groups": groups})
        for param, rank in owner.items():
            self.state[param] = self.optim.state[param] if rank == self.rank else None

    # -- uneven inputs -------------------------------------------------------------------------------------------------

    @property
    def join_device(self) -> torchlike.device:
        """The device of the parameters."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> Any:
        """The process group."""
        return self.process_group

    def join_hook(self, **_kwargs: Any) -> JoinHook:
        """Return the hook for `Join`: a process without batches repeats `step`, with the gradients that it has."""
        return _ZeROJoinHook(self)


class _ZeROJoinHook(JoinHook):
    """The actions of a process without batches for an optimizer."""

    def __init__(self, zero: ZeroRedundancyOptimizer) -> None:
        self.zero = zero

    def main_hook(self) -> None:
        self.zero._step()


def _checked(params: Any) -> list[Any]:
    """Return the parameters or groups as a list. Raise if one of them is not supported."""
    if isinstance(params, Tensor):
        raise TypeError(f"`params` argument should be an iterable of Tensors, but got {params.type()}")
    found = list(params)
    if not found:
        raise ValueError(f"{_NAME} got an empty parameter list")
    kinds = {isinstance(each, Tensor) for each in found} | {not isinstance(each, dict) for each in found}
    if len(kinds) > 1:
        raise TypeError("`params` argument should be an iterable of Tensors or dicts")
    tensors = [x for each in found for x in (_members(each["params"]) if isinstance(each, dict) else [each])]
    first = tensors[0]
    for tensor in tensors:
        if tensor.is_sparse:
            raise _other_type(f"got {tensor.type()}")
        if tensor.dtype != first.dtype:
            raise _other_type(f"got both {first.type()} and {tensor.type()}")
    return found


def _members(params: Any) -> Iterable[Tensor]:
    return [params] if isinstance(params, Tensor) else params


def _other_type(what: str) -> ValueError:
    return ValueError(f"{_NAME} only supports using the same dense type for all parameters but {what}")


def _broadcast(params: list[Tensor], source: int, group: Any) -> None:
    """Copy parameters of one device from the process `source` to all members."""
    flat = torchlike.cat([param.detach().reshape(-1) for param in params])
    flat = collectives.broadcast(flat, source, group)
    for param, part in zip(params, flat.split([param.numel() for param in params])):
        param.copy_(part.view(param.shape))
