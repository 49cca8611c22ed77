"""`torch.utils.hooks`: handles that remove hooks, backward hooks of modules, and hooks that no file needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike.nn.modules._handle import RemovableHandle as RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks", "BackwardHook"]


def unserializable_hook(f: Callable) -> Callable:
    """Mark a tensor hook, so that saving the tensor gives no warning that the hook is not saved. Return the hook.

    Args:
      f: the hook.

    >>> import torchlike as torch
    >>> @torch.utils.hooks.unserializable_hook
    ... def double(grad):
    ...     return grad * 2
    """
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of every hook of a tensor that would not be saved with it.

    Args:
      tensor: the tensor.
    """
    from torchlike._internal import warn_of_lost_hooks

    warn_of_lost_hooks(tensor)


class BackwardHook:
    """The full backward hooks of one call of a module.

    Args:
      module: the module.
      user_hooks: functions of (module, gradients of the inputs, gradients of the outputs).
      user_pre_hooks: functions of (module, gradients of the outputs), which run first.

    >>> import torchlike as torch
    >>> hook = torch.utils.hooks.BackwardHook(None, [lambda module, inputs, outputs: print(outputs)], [])
    >>> (x,) = hook.setup_input_hook((torch.ones(1, requires_grad=True),))
    >>> hook.setup_output_hook(2 * x).sum().backward()
    (tensor([1.]),)
    """

    def __init__(self, module: Any, user_hooks: list[Callable], user_pre_hooks: list[Callable]) -> None:
        from torchlike.nn.modules._hooks import BackwardWatch

        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self._watch = BackwardWatch(module, user_hooks, user_pre_hooks)

    def setup_input_hook(self, args: tuple) -> tuple:
        """Return the inputs with which the module must be called.

        Args:
          args: the inputs.
        """
        return self._watch.inputs(args)

    def setup_output_hook(self, args: Any) -> Any:
        """Return the outputs whose gradients must be computed.

        Args:
          args: the output, or a tuple of outputs.
        """
        return self._watch.outputs(args)
