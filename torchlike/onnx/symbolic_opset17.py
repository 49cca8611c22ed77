"""The symbolic functions of ONNX opset 17. Empty, because the exporter uses none."""
