"""A group of parameters that are gathered by one collective, and whose gradients are reduced by one collective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import AccumulateGrad, Function, recompute, running, saved_tensor_hooks
from torchlike.distributed.fsdp._fully_shard import _fsdp_collectives as collectives
from torchlike.distributed.fsdp._fully_shard._fsdp_api import MixedPrecisionPolicy
from torchlike.distributed.fsdp._fully_shard._fsdp_common import MeshInfo
from torchlike.distributed.fsdp._fully_shard._fsdp_param import FSDPParam


class FSDPParamGroup:
    """The parameters of one call of `fully_shard` that are sharded over one mesh."""

    def __init__(
        self, params: list[FSDPParam], info: MeshInfo, policy: MixedPrecisionPolicy, reshard_after_forward: bool
    ) -> None:
        self.params, self.info, self.policy = params, info, policy
        self.reshard_after_forward, self.reshard_after_backward = reshard_after_forward, True
        self.syncs_gradients = self.all_reduces = self.unshards_in_backward = True
        self.reduces_unused = False
        self.divide_factor: float | None = None
        self.all_reduce_hook: Callable[[Tensor], None] | None = None
        self.full: list[Tensor] | None = None  # the full local parameters, without gradients
        self._shown: dict[int, int] = {}  # the index of a parameter for the id of its full value
        for module in {id(module): module for param in params for module, _ in param.holders}.values():
            module.register_state_dict_pre_hook(self._before_state)
            module.register_load_state_dict_pre_hook(self._before_state)

    def _before_state(self, *_: Any) -> None:
        """Let a module hold its shards before its state is saved or loaded. Values of full parameters are not kept."""
        self.reshard()

    # -- parameters ----------------------------------------------------------------------------------------------------

    def unshard(self, after: Tensor | None = None) -> None:
        """Gather the parameters, unless they are gathered, and let the modules hold them with new gradient edges.

        In a backward pass they are gathered after the tensor `after` is computed. Without it, they are gathered after
        the gradients that reached the operator that needs them.
        """
        if self.full is None:
            for param in self.params:
                param.take_registered()
            self.full = self._gathered(after)
            self._shown.update({id(full._value): i for i, full in enumerate(self.full)})
        with torchlike.enable_grad():
            linked = _Full.apply(self, _anchor(self.params))
            for param, full in zip(self.params, linked):
                param.register(param.shown(full))

    def _gathered(self, after: Tensor | None) -> list[Tensor]:
        dtype = self.policy.param_dtype
        with torchlike.no_grad():
            shards = [param.flat_shard(dtype if param.dtype.is_floating_point else None) for param in self.params]
            if running.walk is not None:  # XLA would otherwise merge this gather with that of the forward pass
                shards = recompute.behind_a_barrier(shards, None if after is None else [after._value])
            rows = collectives.all_gather(shards, self.info.shard_group)
            return [param.assembled(each) for param, each in zip(self.params, rows)]

    def reshard(self) -> None:
        """Let the modules hold the shards, and free the full parameters."""
        if self.full is not None:
            self.full = None
            self._shown.clear()
            for param in self.params:
                param.register(param.sharded)

    # -- saved tensors -------------------------------------------------------------------------------------------------

    def pack(self, tensor: Tensor) -> int | None:
        """Return the index of a full parameter that an operator saves, or None for another tensor."""
        return self._shown.get(id(tensor._value))

    def unpack(self, i: int) -> Tensor:
        """Return a full parameter for the backward pass."""
        if self.full is None:
            self.unshard()
        return self.full[i]  # type: ignore[index]

    # -- gradients -----------------------------------------------------------------------------------------------------

    def accumulate(self, grads: Sequence[Tensor | None]) -> None:
        """Add the gradients of the full parameters to those that are not reduced yet."""
        dtype = self.policy.reduce_dtype
        for param, grad in zip(self.params, grads):
            if grad is not None:
                grad = grad if dtype is None else grad.to(dtype)
                param.accumulated = grad if param.accumulated is None else param.accumulated + grad

    def reduced(self) -> list[Tensor | None]:
        """Average the accumulated gradients over the processes, and return this process's parts of them."""
        if self.reduces_unused and any(param.accumulated is not None for param in self.params):
            self._fill_unused()
        params = [param for param in self.params if param.accumulated is not None]
        parts = dict(zip(params, self._reduced(params))) if params else {}
        return [param.unpadded(parts[param]) if param in parts else None for param in self.params]

    def _fill_unused(self) -> None:
        dtype = self.policy.reduce_dtype or self.policy.param_dtype
        for param in self.params:
            if param.accumulated is None and param.sharded.requires_grad:
                device = param.sharded.device
                param.accumulated = torchlike.zeros(param.shape, dtype=dtype or param.dtype, device=device)

    def _reduced(self, params: list[FSDPParam]) -> list[Tensor]:
        rows = [param.split(param.accumulated) for param in params if param.accumulated is not None]
        for param in params:
            param.accumulated = None
        before, after = self._divisors(rows[0].dtype)
        rows = [each / before for each in rows] if before != 1 else rows
        parts = collectives.reduce_scatter(rows, self.info.shard_group)
        parts = [each if p.partial is None else p.partial + each for p, each in zip(params, parts)]
        group = self.info.replicate_group
        for param, part in zip(params, parts):
            param.partial = part if group is not None and not self.all_reduces else None
        if group is not None and not self.all_reduces:
            return []
        parts = parts if group is None else collectives.all_reduce(parts, group)
        parts = [each / after for each in parts] if after != 1 else parts
        if self.all_reduce_hook is not None:
            parts = self._hooked(parts)
        return parts

    def _divisors(self, dtype: torchlike.dtype) -> tuple[float, float]:
        """Return the divisors before and after the sum. In float16, two smaller divisors avoid overflow."""
        factor = self.info.size if self.divide_factor is None else self.divide_factor
        if dtype != torchlike.float16 or self.divide_factor is not None:
            return 1, factor
        before = 1
        while factor % before == 0 and factor / before > before:
            before *= 2
        return before, factor / before

    def _hooked(self, parts: list[Tensor]) -> list[Tensor]:
        flat = torchlike.cat(parts)
        if self.all_reduce_hook is not None:
            self.all_reduce_hook(flat)
        return list(flat.split([part.numel() for part in parts]))

    def reduce(self) -> None:
        """Average the accumulated gradients over the processes, and add the parts of this process to `grad`."""
        with torchlike.no_grad():
            for param, part in zip(self.params, self.reduced()):
                if part is not None:
                    _accumulate(param.sharded, part)

    def finish(self) -> None:
        """End a backward pass: reduce gradients that an earlier pass accumulated, and reshard."""
        if self.syncs_gradients and any(param.accumulated is not None for param in self.params):
            self.reduce()
        if self.reshard_after_backward:
            self.reshard()

    def forget(self) -> None:
        """Discard gradients that are not reduced yet, and reshard."""
        for param in self.params:
            param.accumulated = param.partial = None
        self.reshard()


def _anchor(params: list[FSDPParam]) -> Tensor:
    """Return a leaf that lets autograd record `_Full`, if a parameter requires grad."""
    needs = any(param.sharded.requires_grad for param in params)
    return torchlike.zeros((), device=params[0].sharded.device).requires_grad_(needs)


def _accumulate(sharded: Any, part: Tensor) -> None:
    """Add a local gradient to `grad`, and run the hooks that are registered for this."""
    node = sharded._edge[0] if sharded._edge is not None else None
    if isinstance(node, AccumulateGrad):
        node.receive((part._value, None), False)


class _Full(Function):
    """The full parameters of a group, for the gradient graph. The backward pass reduces their gradients.

    Gradients do not flow through the node: `reduce` adds them to the shards, so that a parameter without a gradient is
    left alone.
    """

    @staticmethod
    def forward(ctx: Any, group: FSDPParamGroup, anchor: Tensor) -> tuple[Tensor, ...]:
        ctx.group = group
        ctx.set_materialize_grads(False)
        made = tuple([full.detach() for full in group.full or ()])
        frozen = [full for full, param in zip(made, group.params) if not param.sharded.requires_grad]
        ctx.mark_non_differentiable(*frozen)
        return made

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple:
        group: FSDPParamGroup = ctx.group
        if group.reshard_after_backward:
            group.reshard()
        with torchlike.no_grad():
            group.accumulate(grads)
        if group.syncs_gradients:
            group.reduce()
        return None, None


class SavedParameters(saved_tensor_hooks.saved_tensors_hooks):
    """A context in which operators save references to the full parameters of groups instead of the parameters.

    Other tensors are saved as outside of the context: by the enclosing hooks, if there are any.
    """

    def __init__(self, groups: list[FSDPParamGroup]) -> None:
        stack = saved_tensor_hooks.local.stack
        outer = stack[-1] if stack else None

        def pack(tensor: Tensor) -> tuple[Any, Any]:
            for group in groups:
                place = group.pack(tensor)
                if place is not None:
                    return group, place
            return None, saved_tensor_hooks.Kept(tensor) if outer is None else outer[0](tensor)

        def unpack(packed: tuple[Any, Any]) -> Tensor:
            group, held = packed
            if group is not None:
                return group.unpack(held)
            return held.tensor() if outer is None else outer[1](held)

        super().__init__(pack, unpack)
