"""`torch.onnx`: what programs ask that are not being exported."""

from __future__ import annotations

from typing import Any

from torchlike import _errors


def is_in_onnx_export() -> bool:
    """Whether this is run by an exporter: no."""
    return False


def export(*args: Any, **kwargs: Any) -> Any:
    """Refused: there is no exporter."""
    raise _errors.arguments.cannot(
        "onnx.export", "export with PyTorch, which reads the state dict that torchlike saves"
    )
