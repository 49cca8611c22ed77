"""The symbolic functions of ONNX opset 10. Empty, because the exporter uses none."""
