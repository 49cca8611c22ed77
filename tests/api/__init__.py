"""The public names, and running PyTorch scripts."""
