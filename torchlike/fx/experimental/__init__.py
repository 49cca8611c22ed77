"""What libraries ask of PyTorch's tracers while they run untraced."""
