"""`torchlike.distributions`, with PyTorch as the judge."""
