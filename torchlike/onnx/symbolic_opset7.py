"""The symbolic functions of ONNX opset 7. Empty, because the exporter uses none."""
