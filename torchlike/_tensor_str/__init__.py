"""Tensor printing under PyTorch's private names, which libraries use to print their own tensors."""

from __future__ import annotations

from typing import Any

from torchlike._tensor import printing as _repr
from torchlike._tensor.printing import get_printoptions as get_printoptions
from torchlike._tensor.printing import printoptions as printoptions
from torchlike._tensor.printing import set_printoptions as set_printoptions
from torchlike._tensor.printing import with_suffixes as _add_suffixes  # noqa: F401
from torchlike._tensor.tensor import Tensor


class _Options:
    """The current print options: `precision`, `threshold`, `edgeitems`, `linewidth`, `sci_mode`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return get_printoptions()[name]
        except KeyError:
            raise AttributeError(name) from None


PRINT_OPTS = _Options()


def _tensor_str(self: Tensor, indent: int) -> str:
    """Return the bracketed elements as text. The first line starts at column `indent`."""
    return _repr.numbers(self._host(), indent)


def _str(self: Tensor, *, tensor_contents: str | None = None) -> str:
    """Return the printed form of a tensor, with `tensor_contents` in place of its elements if given."""
    return _repr.tensor_text(self, tensor_contents)


_str_intern = _str
