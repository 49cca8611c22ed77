"""`torch.onnx`: modules as ONNX models."""

from __future__ import annotations

from torchlike.onnx import errors as errors
from torchlike.onnx._export import export as export
from torchlike.onnx._modes import OperatorExportTypes as OperatorExportTypes
from torchlike.onnx._modes import TensorProtoDataType as TensorProtoDataType
from torchlike.onnx._modes import TrainingMode as TrainingMode
from torchlike.onnx._program import ONNXProgram as ONNXProgram
from torchlike.onnx._state import is_in_onnx_export as is_in_onnx_export
from torchlike.onnx._symbolics import register_custom_op_symbolic as register_custom_op_symbolic
from torchlike.onnx._symbolics import unregister_custom_op_symbolic as unregister_custom_op_symbolic
from torchlike.onnx.errors import OnnxExporterError as OnnxExporterError
from torchlike.torch_version import OWN as _OWN

producer_name = "torchlike"
producer_version = _OWN
