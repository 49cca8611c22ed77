"""The modules of `torch.utils.benchmark`."""
