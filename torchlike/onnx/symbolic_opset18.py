"""The symbolic functions of ONNX opset 18. Empty, because the exporter uses none."""
