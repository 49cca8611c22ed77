"""Base classes for context managers that also work as decorators. Libraries derive their own modes from them."""

from __future__ import annotations

from typing import Any, Self

from torchlike._internal import _Switch


class _DecoratorContextManager(_Switch):
    """A base class for context managers that also decorate functions and generators.

    Each call of a decorated function runs in a new context.
    """

    def clone(self) -> Self:
        """Return the context manager for one call. A class whose constructor takes arguments overrides this method."""
        return type(self)()

    def _clone(self) -> Self:
        return self.clone()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """A `_DecoratorContextManager` without arguments, for which `@mode` means the same as `@mode()`."""

    def __new__(cls, orig_func: Any = None) -> Any:
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)
