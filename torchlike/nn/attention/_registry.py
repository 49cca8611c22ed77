"""Other implementations of flash attention, which can be registered but not used."""

from __future__ import annotations

import logging
from collections.abc import Callable

from torchlike._internal import _errors

_registered: dict[str, Callable | None] = {"FA3": None, "FA4": None}


def register_flash_attention_impl(impl: str, *, register_fn: Callable) -> None:
    """Register an implementation of flash attention. `activate_flash_attention_impl` refuses it.

    Args:
      impl: its name.
      register_fn: the function that would activate it.

    >>> import torchlike as torch
    >>> torch.nn.attention.register_flash_attention_impl("own", register_fn=print)
    """
    _registered[impl] = register_fn


def activate_flash_attention_impl(impl: str) -> None:
    """Raise an error: XLA computes attention.

    Args:
      impl: the name of an implementation.

    Raises:
      ValueError: the name is not registered.
      NotImplementedError: the name is registered.

    >>> import torchlike as torch
    >>> try:
    ...     torch.nn.attention.activate_flash_attention_impl("FA4")
    ... except NotImplementedError as error:
    ...     print(str(error).partition("; ")[2])
    XLA computes attention
    """
    if impl not in _registered:
        raise ValueError(
            f"Unknown flash attention impl '{impl}'. Available implementations: {list_flash_attention_impls()}"
        )
    raise _errors.arguments.cannot("nn.attention.activate_flash_attention_impl", "XLA computes attention")


def list_flash_attention_impls() -> list[str]:
    """Return the names of the registered implementations.

    >>> import torchlike as torch
    >>> torch.nn.attention.list_flash_attention_impls()[:2]
    ['FA3', 'FA4']
    """
    return sorted(_registered)


def current_flash_attention_impl() -> str | None:
    """Return None: no other implementation is active.

    >>> import torchlike as torch
    >>> torch.nn.attention.current_flash_attention_impl() is None
    True
    """
    return None


def restore_flash_attention_impl(_raise_warn: bool = True) -> None:
    """Log a warning: no other implementation is active.

    Args:
      _raise_warn: whether the warning is logged.

    >>> import torchlike as torch
    >>> torch.nn.attention.restore_flash_attention_impl(False)
    """
    if _raise_warn:
        logging.getLogger(__name__).warning("Trying to restore default FA2 impl when no custom impl was activated")
