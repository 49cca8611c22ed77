"""`torch.utils`: data loading and other helpers. Each submodule is imported on first use."""

import importlib
import pkgutil
from typing import Any


def swap_tensors(t1: Any, t2: Any) -> None:
    """Swap two tensors in place, so that existing references to one tensor see the contents of the other.

    Args:
      t1, t2 (Tensor): the tensors. Their shapes, dtypes and classes may differ.

    A backward pass of a graph that was made with one of the tensors raises RuntimeError.

    >>> import torchlike as torch
    >>> x, y = torch.zeros(1), torch.ones(2)
    >>> torch.utils.swap_tensors(x, y)
    >>> x
    tensor([1., 1.])
    """
    from torchlike._internal import copying

    copying.swap(t1, t2)


def set_module(obj: Any, mod: str) -> None:
    """Set the name of the module that an object says it comes from.

    Args:
      obj: a function or class.
      mod: the name of the module.

    Raises:
      TypeError: `mod` is not a string.

    >>> import torchlike as torch
    >>> def f(): ...
    >>> torch.utils.set_module(f, "my.module")
    >>> f.__module__
    'my.module'
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def __getattr__(name: str) -> Any:
    from torchlike._internal import _errors

    known = [module.name for module in pkgutil.iter_modules(__path__)]
    if name not in known:
        raise _errors.arguments.unknown_name("torch.utils", name, known)
    try:
        return importlib.import_module(f"torchlike.utils.{name}")
    except (
        ImportError
    ) as error:  # A required library is not installed. `import` reports which one, and `hasattr` returns False.
        raise _errors.arguments.unknown_name("torch.utils", name, []) from error
