"""`FSDPModule`, the class of modules that `fully_shard` wraps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torchlike import Tensor
from torchlike._internal import unsupported
from torchlike.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup
from torchlike.distributed.fsdp._fully_shard._fsdp_state import FSDPState, state_of
from torchlike.nn import Module


class UnshardHandle:
    """The handle that `FSDPModule.unshard(async_op=True)` returns."""

    def wait(self) -> None:
        """Do nothing: the parameters are gathered when the program that uses them runs."""


class FSDPModule:
    """The base class of modules that `fully_shard` wraps. `fully_shard` makes the subclasses.

    Calling a subclass returns an instance of the original class. Containers make such instances, for example for
    slices.

    Args:
      *args, **kwargs: the arguments of the original class.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Return an instance of the original class. Containers make such instances, for example for slices."""
        original: Any = cls.__mro__[2]
        made = original.__new__(original)
        made.__init__(*args, **kwargs)
        return made

    def _get_fsdp_state(self) -> FSDPState:
        state = state_of(self)  # type: ignore[arg-type]
        if state is None:
            raise AssertionError(f"No FSDP state found on {self}")
        return state

    def _groups(self, recurse: bool = False) -> Iterator[FSDPParamGroup]:
        modules = self.modules() if recurse and isinstance(self, Module) else (self,)
        for module in modules:
            if isinstance(module, FSDPModule):
                yield from module._get_fsdp_state().groups

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        self.reshard()
        return super()._apply(*args, **kwargs)  # type: ignore[misc]

    # -- gathering -----------------------------------------------------------------------------------------------------

    def reshard(self) -> None:
        """Free the full parameters of this module, and let it hold its shards. Submodules do not change."""
        for group in self._groups():
            group.reshard()

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gather the parameters of this module, so that it holds full parameters. Submodules do not change.

        Args:
          async_op: return a handle, whose `wait` does nothing.
        """
        for group in self._groups():
            group.unshard()
        return UnshardHandle() if async_op else None

    def reset_iter_state(self) -> None:
        """Discard gradients that are not reduced yet, and reshard. Call this after an error in forward or backward."""
        state = self._get_fsdp_state()
        if state.root.states[0] is not state:
            raise RuntimeError("reset_iter_state() must be called on the root FSDP module")
        for each in state.root.states:
            each.reset()

    # -- gradients -----------------------------------------------------------------------------------------------------

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Set whether backward reduces gradients. If not, it accumulates the gradients of the full parameters.

        Args:
          requires_gradient_sync: reduce gradients.
          recurse: also set it for submodules that `fully_shard` wraps.
        """
        for group in self._groups(recurse):
            group.syncs_gradients = group.all_reduces = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Set whether gradients are summed over the copies of a two-dimensional mesh.

        If not, backward accumulates the reduced gradients.

        Args:
          requires_all_reduce: sum over the copies.
          recurse: also set it for submodules that `fully_shard` wraps.
        """
        for group in self._groups(recurse):
            group.all_reduces = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Set whether the full parameters are freed after forward.

        Args:
          reshard_after_forward: free them.
          recurse: also set it for submodules that `fully_shard` wraps.

        Raises:
          ValueError: the value is not a bool.
        """
        if not isinstance(reshard_after_forward, bool):
            raise ValueError(f"reshard_after_forward should be a bool, got {type(reshard_after_forward)}")
        for module in self.modules() if recurse and isinstance(self, Module) else (self,):
            if isinstance(module, FSDPModule):
                state = module._get_fsdp_state()
                state.is_automatic = False
                for group in state.groups:
                    group.reshard_after_forward = reshard_after_forward

    def set_reshard_after_backward(self, reshard_after_backward: bool, *, recurse: bool = True) -> None:
        """Set whether the full parameters are freed after backward. If not, the next forward uses the same values.

        Args:
          reshard_after_backward: free them.
          recurse: also set it for submodules that `fully_shard` wraps.
        """
        for group in self._groups(recurse):
            group.reshard_after_backward = reshard_after_backward

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """Set whether the parameters are gathered before the backward pass of this module.

        If not, they are gathered when an operator needs them.

        Args:
          unshard_in_backward: gather them before.
        """
        for group in self._groups():
            group.unshards_in_backward = unshard_in_backward

    def set_reduce_scatter_unused_params(self, reduce_scatter_unused_params: bool, *, recurse: bool = True) -> None:
        """Set whether parameters without a gradient take part in the reduction of their group, with zeros.

        Args:
          reduce_scatter_unused_params: let them take part.
          recurse: also set it for submodules that `fully_shard` wraps.
        """
        for group in self._groups(recurse):
            group.reduces_unused = reduce_scatter_unused_params

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Set the number by which the sums of gradients are divided.

        Args:
          factor (float): the number. Without this call, it is the number of processes.
        """
        for group in self._groups():
            group.divide_factor = factor

    set_reduce_scatter_divide_factor = set_gradient_divide_factor

    def set_all_reduce_hook(self, hook: Callable[[Tensor], None], *, stream: Any = None) -> None:
        """Set a function that receives the reduced gradients of a group in one flat tensor, and may change them.

        Args:
          hook: the function.
          stream: not supported.
        """
        if stream is not None:
            raise unsupported("FSDPModule.set_all_reduce_hook", "stream")
        for group in self._groups():
            group.all_reduce_hook = hook

    # -- without an effect on results ----------------------------------------------------------------------------------

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Has no effect. In PyTorch it delays the end of the communication of a backward pass.

        Args:
          is_last_backward: has no effect.
        """

    def set_modules_to_forward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Has no effect on results. XLA orders the collectives of a program.

        Args:
          modules (list of FSDPModules): the modules. They are only checked.

        Raises:
          ValueError: a module was not wrapped by `fully_shard`.
        """
        _check_modules(modules)

    def set_modules_to_backward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Has no effect on results. XLA orders the collectives of a program.

        Args:
          modules (list of FSDPModules): the modules. They are only checked.

        Raises:
          ValueError: a module was not wrapped by `fully_shard`.
        """
        _check_modules(modules)

    def set_reduce_scatter_max_input_buffers(self, max_input_buffers: int, *, recurse: bool = True) -> None:
        """Has no effect on results. XLA allocates the buffers of a program.

        Args:
          max_input_buffers, recurse: have no effect.
        """

    def set_force_sum_reduction_for_comms(self, enable: bool) -> None:
        """Has no effect. Reductions always are sums, followed by a division.

        Args:
          enable: has no effect.
        """

    # -- not supported -------------------------------------------------------------------------------------------------

    def set_custom_all_gather(self, comm: Any) -> None:
        """Not supported.

        Args:
          comm: has no effect: the call raises.

        Raises:
          NotImplementedError: always.
        """
        raise unsupported("FSDPModule.set_custom_all_gather", "comm")

    def set_custom_reduce_scatter(self, comm: Any) -> None:
        """Not supported.

        Args:
          comm: has no effect: the call raises.

        Raises:
          NotImplementedError: always.
        """
        raise unsupported("FSDPModule.set_custom_reduce_scatter", "comm")

    def set_post_optim_event(self, event: Any) -> None:
        """Not supported.

        Args:
          event: has no effect: the call raises.

        Raises:
          NotImplementedError: always.
        """
        raise unsupported("FSDPModule.set_post_optim_event", "event")

    def set_separate_reduce_scatter_group(self, enable: bool = True, *, recurse: bool = True) -> None:
        """Not supported.

        Args:
          enable, recurse: have no effect: the call raises.

        Raises:
          NotImplementedError: always.
        """
        raise unsupported("FSDPModule.set_separate_reduce_scatter_group", "enable")

    def set_allocate_memory_from_process_group_for_comm(self, enable: bool) -> None:
        """Not supported.

        Args:
          enable: has no effect: the call raises.

        Raises:
          NotImplementedError: always.
        """
        raise unsupported("FSDPModule.set_allocate_memory_from_process_group_for_comm", "enable")

    def set_symm_mem_for_comm(self, backend: str = "NCCL") -> None:
        """Not supported.

        Args:
          backend: has no effect: the call raises.

        Raises:
          NotImplementedError: always.
        """
        raise unsupported("FSDPModule.set_symm_mem_for_comm", "backend")


def _check_modules(modules: list[Any]) -> None:
    for module in modules:
        if not isinstance(module, FSDPModule):
            raise ValueError(f"FSDP: expected an FSDPModule, got {type(module)}")
