"""The symbolic functions of ONNX opset 16. Empty, because the exporter uses none."""
