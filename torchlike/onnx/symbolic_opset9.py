"""The symbolic functions of ONNX opset 9. Empty, because the exporter uses none."""
