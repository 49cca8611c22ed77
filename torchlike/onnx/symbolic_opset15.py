"""The symbolic functions of ONNX opset 15. Empty, because the exporter uses none."""
