"""The default of the argument `check_invariants` of sparse constructors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class check_sparse_tensor_invariants:
    """The default of `check_invariants`, which sparse constructors use if the argument is not given.

    As a context manager or decorator, it sets the default inside a block or call. Only the check of the order of
    indices in compressed layouts depends on the default. All other checks always run.

    Args:
      enable: the default inside.

    >>> import torchlike as torch
    >>> with torch.sparse.check_sparse_tensor_invariants():
    ...     torch.sparse.check_sparse_tensor_invariants.is_enabled()
    True
    """

    _enabled = False

    @staticmethod
    def is_enabled() -> bool:
        """Return whether invariants are checked by default."""
        return check_sparse_tensor_invariants._enabled

    @staticmethod
    def enable() -> None:
        """Check invariants by default."""
        check_sparse_tensor_invariants._enabled = True

    @staticmethod
    def disable() -> None:
        """Do not check invariants by default."""
        check_sparse_tensor_invariants._enabled = False

    def __init__(self, enable: Any = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for "
                "context nesting."
            )
        self.saved_state = self.is_enabled()
        check_sparse_tensor_invariants._enabled = bool(self.state)

    def __exit__(self, *_: object) -> None:
        check_sparse_tensor_invariants._enabled = bool(self.saved_state)
        self.saved_state = None

    def __call__(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return function(*args, **kwargs)

        return checked
