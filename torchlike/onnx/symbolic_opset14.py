"""The symbolic functions of ONNX opset 14. Empty, because the exporter uses none."""
