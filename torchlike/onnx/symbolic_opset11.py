"""The symbolic functions of ONNX opset 11. Empty, because the ONNX exporter is not supported."""
