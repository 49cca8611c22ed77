"""The symbolic functions of ONNX opset 19. Empty, because the exporter uses none."""
