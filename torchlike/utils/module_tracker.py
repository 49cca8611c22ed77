"""`ModuleTracker`, which tracks the modules that are currently running."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from torchlike import Tensor, is_grad_enabled
from torchlike._internal import register_multi_grad_hook, running
from torchlike.autograd.variable import Variable
from torchlike.nn.modules.module import (
    Module,
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torchlike.utils._pytree import tree_leaves


class ModuleTracker:
    """A context manager that tracks the modules that are running, in the forward and in the backward pass.

    Attributes:
      parents: the names of the running modules, and "Global". The outermost module is named after its class, and its
        submodules are named by their path, such as "Net.layers.0".

    >>> import torchlike as torch
    >>> from torchlike.utils.module_tracker import ModuleTracker
    >>> tracker = ModuleTracker()
    >>> layer = torch.nn.Linear(2, 1)
    >>> _ = layer.register_forward_pre_hook(lambda *_: print(sorted(tracker.parents)))
    >>> with tracker:
    ...     _ = layer(torch.ones(3, 2))
    ['Global', 'Linear']
    """

    def __init__(self) -> None:
        self.parents: set[str] = {"Global"}
        self._names: WeakKeyDictionary[Module, str] = WeakKeyDictionary()
        self._handles: list[Any] = []
        self._reset_at_end = False

    def __enter__(self) -> ModuleTracker:
        self._handles = [
            register_module_forward_pre_hook(self._before),
            register_module_forward_hook(self._after, always_call=True),
        ]
        return self

    def __exit__(self, *_: object) -> None:
        while self._handles:
            self._handles.pop().remove()

    @property
    def is_bw(self) -> bool:
        """Return whether a backward pass is running."""
        return running.walk is not None

    def _before(self, module: Module, inputs: Any) -> None:
        name = self._name(module)
        self._enter(name)
        tensors = _differentiable(inputs)
        if tensors:
            register_multi_grad_hook(tensors, self._leave_hook(name))

    def _after(self, module: Module, inputs: Any, outputs: Any) -> None:
        name = self._name(module)
        self._leave(name)
        tensors = _differentiable(outputs)
        if tensors:
            register_multi_grad_hook(tensors, self._enter_hook(name), mode="any")

    def _enter_hook(self, name: str) -> Callable[[Any], None]:
        def hook(_: Any) -> None:
            if not self._reset_at_end:
                self._reset_at_end = True
                Variable._execution_engine.queue_callback(self._reset)
            self._enter(name)

        return hook

    def _leave_hook(self, name: str) -> Callable[[Any], None]:
        return lambda _: self._leave(name)

    def _reset(self) -> None:
        self._reset_at_end = False
        for name in self.parents - {"Global"}:
            self._leave(name)

    def _enter(self, name: str) -> None:
        self.parents.add(name)

    def _leave(self, name: str) -> None:
        self.parents.discard(name)

    def _name(self, module: Module) -> str:
        if module not in self._names:
            self._assign_names(module, type(module).__name__)
        return self._names[module]

    def _assign_names(self, module: Module, name: str) -> None:
        """Assign `name` to a module and `name.path` to each submodule, unless they already have names."""
        if module not in self._names:
            self._names[module] = name
            for key, child in module.named_children():
                self._assign_names(child, f"{name}.{key}")


def _differentiable(tree: Any) -> list[Tensor]:
    """Return the tensors of a pytree that require grad, or an empty list if grad mode is disabled."""
    return [x for x in tree_leaves(tree) if isinstance(x, Tensor) and x.requires_grad] if is_grad_enabled() else []
