"""The symbolic functions of ONNX opset 8. Empty, because the exporter uses none."""
