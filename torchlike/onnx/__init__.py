"""`torch.onnx`: the public names of the ONNX exporter, which is not supported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchlike import _errors


def is_in_onnx_export() -> bool:
    """Return False, because there is no ONNX exporter."""
    return False


def export(*args: Any, **kwargs: Any) -> Any:
    """Raise `NotImplementedError`, because there is no ONNX exporter."""
    raise _no_exporter("onnx.export")


def _no_exporter(name: str) -> NotImplementedError:
    return _errors.arguments.cannot(name, "export with PyTorch, which reads the state dict that torchlike saves")


class ONNXProgram:
    """The class of exported programs. Not supported: the constructor raises."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise _no_exporter("onnx.ONNXProgram")


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Callable, opset_version: int, custom_opsets: Any = None
) -> None:
    """Do nothing, because there is no ONNX exporter that would use the symbolic function."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Do nothing, because no symbolic function is registered."""
