"""The symbolic functions of ONNX opset 12. Empty, because the ONNX exporter is not supported."""
