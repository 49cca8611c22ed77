"""Functions that return random tensors."""
