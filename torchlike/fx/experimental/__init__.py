"""The experimental functions of `torch.fx` that libraries call."""
