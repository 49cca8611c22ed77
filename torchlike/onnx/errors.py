"""The errors of `torch.onnx`."""

from __future__ import annotations


class OnnxExporterWarning(UserWarning):
    """Warnings of the ONNX exporter."""


class OnnxExporterError(RuntimeError):
    """Errors of the ONNX exporter."""


class UnsupportedOperatorError(OnnxExporterError):
    """Raised if an operator has no form in ONNX.

    Args:
      name: the operator, such as `aten::det`.
      version: the version of ONNX's operators.
      supported_version: the version that has the operator, or None.
    """

    def __init__(self, name: str, version: int, supported_version: int | None) -> None:
        if supported_version is not None:
            message = (
                f"Exporting the operator '{name}' to ONNX opset version {version} is not supported. Support for this "
                f"operator was added in version {supported_version}, try exporting with this version"
            )
        elif name.startswith(("aten::", "prim::", "quantized::")):
            message = f"Exporting the operator '{name}' to ONNX opset version {version} is not supported"
        else:
            message = (
                f"ONNX export failed on an operator with unrecognized namespace {name}. If you are trying to export a "
                "custom operator, make sure you registered it with the right domain and version."
            )
        super().__init__(message)


class SymbolicValueError(OnnxExporterError):
    """Raised by PyTorch's exporter of TorchScript."""
