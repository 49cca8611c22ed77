"""Names of `torch.onnx.utils`."""

from torchlike.onnx._export import export as export
from torchlike.onnx._symbolics import register_custom_op_symbolic as register_custom_op_symbolic
from torchlike.onnx._symbolics import unregister_custom_op_symbolic as unregister_custom_op_symbolic
