"""Construction of a module without initialization of its parameters."""

from __future__ import annotations

import inspect
from typing import Any


def skip_init(module_cls: type, *args: Any, **kwargs: Any) -> Any:
    """Return `module_cls(*args, **kwargs)` with uninitialized parameters.

    Args:
      module_cls: a module class that accepts a `device` argument.
      *args, **kwargs: its arguments. `device` is "cpu" by default.

    Raises:
      RuntimeError: the class is no module class, or does not accept `device`.

    >>> import torchlike as torch
    >>> torch.nn.utils.skip_init(torch.nn.Linear, 5, 1).weight.shape
    torch.Size([1, 5])
    """
    from torchlike.nn.modules.module import Module

    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
