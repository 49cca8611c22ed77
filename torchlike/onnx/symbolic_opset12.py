"""The symbolic functions of ONNX opset 12. Empty, because the exporter uses none."""
