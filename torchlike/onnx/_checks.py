"""The results of an exported program and of its ONNX model."""

from __future__ import annotations

from typing import Any

import torchlike
from torchlike.onnx._program import ONNXProgram
from torchlike.utils import _pytree as pytree


def results(
    program: ONNXProgram, args: tuple | None, kwargs: dict[str, Any] | None, backend: str = "onnxruntime"
) -> tuple[list[torchlike.Tensor], tuple[torchlike.Tensor, ...]]:
    """Return the results of the exported program, and those of the model.

    Args:
      program: the ONNX program.
      args, kwargs: the inputs. None: the example inputs.
      backend: "onnxruntime" or "reference".

    Raises:
      ValueError: there is no exported program, or there are no inputs.
    """
    exported = program.exported_program
    if exported is None:
        raise ValueError(
            "The ONNXProgram does not contain an ExportedProgram. To verify the ONNX program, initialize ONNXProgram "
            "with an ExportedProgram, or assign the ExportedProgram to the ONNXProgram.exported_program attribute."
        )
    if args is None and kwargs is None:
        if exported.example_inputs is None:
            raise ValueError(
                "No example inputs provided and the exported_program does not contain example inputs. Please provide "
                "arguments to verify the ONNX program."
            )
        args, kwargs = exported.example_inputs
    args, kwargs = args or (), kwargs or {}
    if backend not in ("onnxruntime", "reference"):
        raise ValueError(f"Unsupported backend '{backend}'. Supported backends are 'onnxruntime' and 'reference'.")
    leaves = pytree.tree_leaves(exported.module()(*args, **kwargs))
    found = program(*args, **kwargs) if backend == "onnxruntime" else program.call_reference(*args, **kwargs)
    return [leaf.detach() for leaf in leaves if isinstance(leaf, torchlike.Tensor)], found
