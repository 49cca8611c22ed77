"""The symbolic functions of ONNX opset 11. Empty, because the exporter uses none."""
