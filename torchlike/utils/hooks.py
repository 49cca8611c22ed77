"""`torch.utils.hooks`: handles that remove hooks, and the mark of hooks that no file needs."""

from collections.abc import Callable

from torchlike.nn.modules._handle import RemovableHandle as RemovableHandle


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
