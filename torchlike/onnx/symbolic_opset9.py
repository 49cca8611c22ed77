"""The symbolic functions of ONNX opset 9. Empty, because the ONNX exporter is not supported."""
