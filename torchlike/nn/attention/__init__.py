"""Selection of the backend of `scaled_dot_product_attention`."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager

from torchlike._internal import attention as _settings
from torchlike.nn import _errors_sequence as _errors
from torchlike.nn.attention._registry import activate_flash_attention_impl as activate_flash_attention_impl
from torchlike.nn.attention._registry import current_flash_attention_impl as current_flash_attention_impl
from torchlike.nn.attention._registry import list_flash_attention_impls as list_flash_attention_impls
from torchlike.nn.attention._registry import register_flash_attention_impl as register_flash_attention_impl
from torchlike.nn.attention._registry import restore_flash_attention_impl as restore_flash_attention_impl

__all__ = [
    "SDPBackend",
    "sdpa_kernel",
    "WARN_FOR_UNFUSED_KERNELS",
    "activate_flash_attention_impl",
    "current_flash_attention_impl",
    "list_flash_attention_impls",
    "register_flash_attention_impl",
    "restore_flash_attention_impl",
]

WARN_FOR_UNFUSED_KERNELS = False  # has no effect


class SDPBackend(enum.IntEnum):
    """The attention backends of PyTorch, and their meaning in torchlike.

    `MATH` computes the matrix of all scores. `FLASH_ATTENTION` and `EFFICIENT_ATTENTION` compute blocks of it. On TPU,
    `FLASH_ATTENTION` uses a Pallas kernel where it supports the call. `CUDNN_ATTENTION` is cuDNN's kernel. On the CPU,
    each backend supports the same calls as in PyTorch.

    >>> import torchlike as torch
    >>> torch.nn.attention.SDPBackend.MATH.name
    'MATH'
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


# The order in which PyTorch lists the permitted backends.
_LISTED = (
    SDPBackend.CUDNN_ATTENTION,
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.MATH,
    SDPBackend.OVERRIDEABLE,
)


@contextmanager
def sdpa_kernel(backends: list[SDPBackend] | SDPBackend, set_priority: bool = False) -> Iterator[None]:
    """Permit only the given backends of `scaled_dot_product_attention` within the block, in all threads.

    Args:
      backends: one backend, or a list of them.
      set_priority: if True, prefer the backends in the order of the list.

    Raises:
      AssertionError: `backends` is neither a backend nor a list.
      RuntimeError: raised by `scaled_dot_product_attention` if no permitted backend supports the call.

    >>> import torchlike as torch
    >>> from torchlike.nn.attention import SDPBackend, sdpa_kernel
    >>> x = torch.ones(1, 1, 2, 4)
    >>> with sdpa_kernel(SDPBackend.MATH):
    ...     torch.nn.functional.scaled_dot_product_attention(x, x, x).shape
    torch.Size([1, 1, 2, 4])
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(chosen, list):
        raise _errors.attention_backend(type(backends).__name__)
    before = _settings.permitted
    wanted = [each for each in chosen if isinstance(each, SDPBackend) and each != SDPBackend.ERROR]
    _settings.permit(wanted, wanted if set_priority else ())
    try:
        yield
    finally:
        _settings.permit(before, before if set_priority else ())


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    """Return the permitted backends. Other projects import this function."""
    permitted = _settings.permitted
    return [*map(SDPBackend, permitted)] if with_priority else [each for each in _LISTED if each in permitted]


def _backend_from_string(name: str) -> SDPBackend:
    return getattr(SDPBackend, name)
