"""Checks of ONNX models for tests."""

from __future__ import annotations

from typing import Any, Literal

import torchlike
from torchlike.onnx import _checks, _program


def assert_onnx_program(
    program: _program.ONNXProgram,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    args: tuple[Any, ...] | None = None,
    kwargs: dict[str, Any] | None = None,
    strategy: str | None = "TorchExportNonStrictStrategy",
    backend: Literal["onnxruntime", "reference"] = "onnxruntime",
) -> None:
    """Raise AssertionError if an ONNX model and its exported program differ.

    Args:
      program: the ONNX program.
      rtol, atol: the tolerances of `torch.testing.assert_close`; None for its defaults.
      args, kwargs: the inputs. None: the example inputs.
      strategy: "TorchExportNonStrictStrategy", which is the only one, or None.
      backend: "onnxruntime", or "reference" for the implementation of the package onnx.

    >>> import torchlike as torch
    >>> from torchlike.onnx.testing import assert_onnx_program
    >>> assert_onnx_program(torch.onnx.export(torch.nn.ReLU().eval(), (torch.ones(2),)))
    """
    if strategy not in (None, "TorchExportNonStrictStrategy"):
        raise ValueError(
            f"Expected strategy '{strategy}' is used to capture the exported program, but got "
            "'TorchExportNonStrictStrategy'."
        )
    wanted, found = _checks.results(program, args, kwargs, backend)
    torchlike.testing.assert_close(found, tuple(wanted), rtol=rtol, atol=atol, equal_nan=True, check_device=False)
