"""What the programs of several topics share."""


def leaf(torch, *shape):
    """A leaf of ones that requires grad."""
    return torch.ones(*shape, requires_grad=True)


def made_in_inference_mode(torch, *shape):
    with torch.inference_mode():
        return torch.ones(*shape)
