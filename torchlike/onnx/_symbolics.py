"""Symbolic functions, which PyTorch's exporter of TorchScript calls. Libraries register some when they are imported."""

from __future__ import annotations

import re
from collections.abc import Callable

from torchlike.onnx.errors import OnnxExporterError

_NAME = re.compile(r"^[a-zA-Z0-9-_]+::[a-zA-Z-_]+[a-zA-Z0-9-_]*$")
_registered: dict[tuple[str, int], Callable] = {}


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable, opset_version: int) -> None:
    """Register a symbolic function. An export of the operator raises, because torchlike does not call the function.

    Args:
      symbolic_name: the operator, such as `torchvision::nms`.
      symbolic_fn: a function that adds nodes to a graph of TorchScript.
      opset_version: the version of ONNX's operators for which the function is.

    Raises:
      OnnxExporterError: the name has another form.
    """
    _registered[_checked(symbolic_name), opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Remove a registered symbolic function, if there is one.

    Args:
      symbolic_name: the operator, such as `torchvision::nms`.
      opset_version: the version with which it was registered.

    Raises:
      OnnxExporterError: the name has another form.
    """
    _registered.pop((_checked(symbolic_name), opset_version), None)


def refuse(operator: str) -> None:
    """Raise `OnnxExporterError` if a symbolic function is registered for an operator."""
    if any(name == operator for name, _ in _registered):
        raise OnnxExporterError(
            f"A symbolic function is registered for {operator}. torchlike's exporter calls no symbolic functions; "
            "remove it with torch.onnx.unregister_custom_op_symbolic"
        )


def _checked(name: str) -> str:
    name = f"aten{name}" if name.startswith("::") else name
    if not _NAME.match(name):
        raise OnnxExporterError(
            f"Failed to register operator {name}. The symbolic name must match the format domain::name, and should "
            "start with a letter and contain only alphanumeric characters"
        )
    if name.startswith("onnx::"):
        raise ValueError(f"Failed to register operator {name}. onnx domain cannot be modified.")
    return name
