"""Modules in the layout of oneDNN, which is not supported."""

from __future__ import annotations

from typing import Any, NoReturn

from torchlike._internal import _errors


def to_mkldnn(module: Any, dtype: Any = None) -> NoReturn:
    """Raise an error: XLA chooses the layout of parameters.

    Args:
      module: not used.
      dtype: not used.
    """
    raise _errors.arguments.cannot("utils.mkldnn.to_mkldnn", "use the module as it is; XLA chooses layouts")
