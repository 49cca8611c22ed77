"""Checks that need a GPU, against PyTorch on the same GPU."""
