"""The packages of the exporter, which are an extra of torchlike."""

from __future__ import annotations

import importlib
from typing import Any


def needed(name: str) -> Any:
    """Return a module of the extra `onnx`.

    Raises:
      ModuleNotFoundError: the package is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
        raise ModuleNotFoundError(
            f"torch.onnx needs the package {error.name}. Install the packages of the exporter: "
            "pip install torchlike[onnx]",
            name=error.name,
        ) from None
