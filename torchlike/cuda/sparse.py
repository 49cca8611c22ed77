"""`torch.cuda.sparse`, an empty module as in PyTorch."""
