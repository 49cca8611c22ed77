"""Blocks that are decorators too, as libraries derive their own modes from them."""

from __future__ import annotations

from typing import Any, Self

from torchlike._internal import _Switch


class _DecoratorContextManager(_Switch):
    """A block (`__enter__`, `__exit__`) that decorates functions and generators too, each call within its own."""

    def clone(self) -> Self:
        """The block of one call; a class with arguments overrides it."""
        return type(self)()

    def _clone(self) -> Self:
        return self.clone()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """The same for a class without arguments: `@mode` is `@mode()`."""

    def __new__(cls, orig_func: Any = None) -> Any:
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)
