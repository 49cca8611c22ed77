"""`torch.onnx`: what programs ask that are not being exported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors


def is_in_onnx_export() -> bool:
    """Whether this is run by an exporter: no."""
    return False


def export(*args: Any, **kwargs: Any) -> Any:
    """Refused: there is no exporter."""
    raise _no_exporter("onnx.export")


def _no_exporter(name: str) -> NotImplementedError:
    return _errors.arguments.cannot(name, "export with PyTorch, which reads the state dict that torchlike saves")


class ONNXProgram:
    """An exported program; nothing makes one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _no_exporter("onnx.ONNXProgram")


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Callable, opset_version: int, custom_opsets: Any = None
) -> None:
    """Say how an exporter is to write an operator: let pass, since there is no exporter to ask."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Take that back."""
