"""The symbolic functions of ONNX opset 13. Empty, because the exporter uses none."""
