"""The symbolic functions of ONNX opset 20. Empty, because the exporter uses none."""
