"""The state of `fully_shard` on a module: the hooks around its forward pass, and before its backward pass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torchlike
from torchlike import Tensor
from torchlike._internal import Connected, running
from torchlike.distributed.fsdp._fully_shard._fsdp_api import MixedPrecisionPolicy
from torchlike.distributed.fsdp._fully_shard._fsdp_common import cast_floating, tensors_in
from torchlike.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup, SavedParameters
from torchlike.nn import Module

_KEY = "_fsdp_state"  # the attribute of a module that holds its state


def state_of(module: Module) -> FSDPState | None:
    """Return the state of a module that `fully_shard` wraps, or None for another module."""
    return vars(module).get(_KEY)


class _Root(Connected):
    """The data that the states below one root module share. Compiled steps do not guard it.

    The first of `states` is that of the root module.
    """

    def __init__(self, states: list[FSDPState]) -> None:
        self.states = states
        self.has_run = False  # whether the root module has begun a forward pass
        self.last_walk: Any = None  # the backward pass whose end already has the callback
        self.arrived: Tensor | None = None  # the gradient that reached the last module of this pass


class FSDPState:
    """The state of the modules of one call of `fully_shard`."""

    def __init__(self, modules: tuple[Module, ...], policy: MixedPrecisionPolicy, is_automatic: bool) -> None:
        self.modules, self.policy = modules, policy
        self.is_automatic = is_automatic  # whether `reshard_after_forward` depends on being the root
        self.groups: list[FSDPParamGroup] = []
        self.root = _Root([self])
        self.not_run: list[Module] = []  # the modules of the call that have not run yet in this forward pass
        self.saving: list[SavedParameters] = []
        for module in modules:
            vars(module)[_KEY] = self
            module.register_forward_pre_hook(self.before_forward, prepend=True, with_kwargs=True)
            module.register_forward_hook(self.after_forward, always_call=True)

    # -- the tree of states --------------------------------------------------------------------------------------------

    def become_root(self) -> None:
        """Make this the root of all states below its modules, except those whose root has run."""
        self.root = _Root(list(dict.fromkeys(s for module in self.modules for s in states_below(module))))
        for state in self.root.states:
            if not state.root.has_run:
                state.root = self.root

    def find_root(self) -> None:
        """Begin the first forward pass of the root. This module becomes the root if the root has not run before."""
        if self.root.has_run:
            return
        if self.root.states[0] is not self:
            self.become_root()
        if len(self.modules) > 1:
            raise RuntimeError(f"FSDP requires a single root module but got {self.modules}")
        for state in self.root.states:
            if state.root is not self.root:
                raise RuntimeError(
                    f"FSDP state has already been lazily initialized for {_path(self.modules, state.modules[0])}\n"
                    "FSDP requires running forward through the root module first"
                )
        self._check_shared()
        self.root.has_run = True

    def _check_shared(self) -> None:
        """Raise an error if two calls of `fully_shard` took the same parameter. They would train two copies of it."""
        seen: set[int] = set()
        for param in (p for state in self.root.states for group in state.groups for p in group.params):
            if id(param.original) in seen:
                module, name = param.holders[0]
                path = ".".join(filter(None, (_path(self.modules, module), name)))
                raise ValueError(
                    f"Parameter '{path}' is shared with a parameter already managed by another FSDP group. For "
                    "shared/tied parameters, use fully_shard([module_a, module_b]) to place them in the same FSDP "
                    "group."
                )
            seen.add(id(param.original))

    # -- forward -------------------------------------------------------------------------------------------------------

    def before_forward(self, module: Module, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """Gather the parameters and convert the inputs. This is a forward pre-hook."""
        self.find_root()
        is_first = not self.not_run
        if is_first:
            self.not_run.extend(self.modules)
            if running.walk is None or not all(group.full for group in self.groups):
                for group in self.groups:
                    group.unshard()
            self._save_references()
        dtype = self.policy.param_dtype
        if self.policy.cast_forward_inputs and dtype is not None:
            args, kwargs = cast_floating(args, dtype), cast_floating(kwargs, dtype)
        return args, kwargs

    def _save_references(self) -> None:
        groups = self._freed_after_forward()
        if groups and torchlike.is_grad_enabled():
            self.saving.append(SavedParameters(groups))
            self.saving[-1].__enter__()

    def after_forward(self, module: Module, args: tuple, output: Any) -> Any:
        """Reshard, convert the outputs, and watch their gradients. This is a forward hook, also called after errors."""
        if module in self.not_run:
            self.not_run.remove(module)
        if not self.not_run or output is None:
            self.not_run.clear()
            self._end_forward()
        if output is None:
            return None
        for tensor in tensors_in(output):
            if tensor.requires_grad and torchlike.is_grad_enabled():
                tensor.register_hook(self.before_backward)
        return output if self.policy.output_dtype is None else cast_floating(output, self.policy.output_dtype)

    def _end_forward(self) -> None:
        while self.saving:
            self.saving.pop().__exit__(None, None, None)
        if running.walk is None:  # a checkpoint that runs forward again needs the parameters for its backward pass
            for group in self._freed_after_forward():
                group.reshard()

    def _freed_after_forward(self) -> list[FSDPParamGroup]:
        """Return the groups whose full parameters are freed after forward. By default, the root keeps its own."""
        if self.is_automatic and self.root.states[0] is self:
            return []
        return [group for group in self.groups if group.reshard_after_forward]

    def reset(self) -> None:
        """End a forward or backward pass that raised an error."""
        while self.saving:
            self.saving.pop().__exit__(None, None, None)
        self.not_run.clear()
        self.root.arrived = None
        for group in self.groups:
            group.forget()

    # -- backward ------------------------------------------------------------------------------------------------------

    def before_backward(self, grad: Tensor) -> None:
        """Gather the parameters again. This is a hook on the gradients of the outputs.

        They may be gathered as soon as the gradient has reached the previous module of the backward pass. The
        collective then overlaps with the backward pass of that module. They are not gathered earlier, to save memory.
        """
        walk, root = running.walk, self.root
        if walk is not None and root.last_walk is not walk:
            root.last_walk, root.arrived = walk, None
            walk.at_end.append(self._end_backward)
        after = grad if root.arrived is None else root.arrived
        for group in self.groups:
            if group.full is None and group.unshards_in_backward:
                group.unshard(after)
        root.arrived = grad

    def _end_backward(self) -> None:
        self.root.last_walk = self.root.arrived = None
        for state in self.root.states:
            for group in state.groups:
                group.finish()


def states_below(module: Module) -> Iterable[FSDPState]:
    """Yield the states of a module and of its submodules."""
    for each in module.modules():
        state = state_of(each)
        if state is not None:
            yield state


def _path(roots: tuple[Module, ...], wanted: Module) -> str:
    return next((name for root in roots for name, module in root.named_modules() if module is wanted), "")
