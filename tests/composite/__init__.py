"""The functions of `_composite`, compared with PyTorch."""
